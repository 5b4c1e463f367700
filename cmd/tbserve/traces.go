package main

import (
	"context"
	"log/slog"
	"os"
	"sync"

	"backsolve/cmd/cli"
	"backsolve/server/otlp"
)

// exportTraces exports spans as the variables of OpenTelemetry say, nil if there are none, until
// stop is called after the last request.
func exportTraces(log *slog.Logger) (traces *otlp.Exporter, stop func(), err error) {
	traces, err = otlp.FromEnvironment(os.Getenv, "tbserve")
	if err != nil {
		return nil, nil, cli.Usagef("$%w", err)
	}
	if traces == nil {
		return nil, func() {}, nil
	}
	traces.Log = log
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { traces.Run(ctx) })
	return traces, func() {
		cancel()
		running.Wait()
	}, nil
}
