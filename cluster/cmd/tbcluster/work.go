package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/spf13/cobra"

	"backsolve/cluster"
	"backsolve/cluster/store"
	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/internal/machine"
	"backsolve/retro"
)

type workFlags struct {
	url       *string
	store     string
	threads   cli.CountValue
	memory    cli.BytesValue
	untilDone bool
	metrics   string
	attached  bool   // to a parent process, whose log it uses
	table     string // that it may write, for that
}

func workCommand() *cobra.Command {
	l := &workFlags{threads: cli.ThreadsValue()}
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Work on the solves of a cluster until stopped",
		Args:  cli.Args(0),
		Long: `Work on the current solve of a cluster, and on later ones. A worker takes shards of
blocks from the queue, solves them and writes the results to the store. Workers can
join and leave at any time: unfinished blocks go to another worker. A worker needs the
same program version and --store as the coordinator.

` + credentials,
		Example: `  tbcluster work --cluster nats://host:4222 --store /shared/backsolve
  tbcluster work --cluster tls://host:4222 --store s3://bucket/prefix --threads 8 --memory 16GiB`,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd) },
	}
	f := cmd.Flags()
	l.url = clusterFlag(f)
	f.StringVar(&l.store, "store", "", "`DIR` shared store: a directory that all processes see, or s3://bucket/prefix")
	f.Var(&l.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	f.Var(&l.memory, "memory", "memory limit, for example 8GiB (default three quarters of what is available)")
	f.BoolVar(&l.untilDone, "until-done", false, "end when the first solve that it works for is over")
	metricsFlag(f, &l.metrics)
	f.BoolVar(&l.attached, "attached", false, "end when standard input ends, for a parent process")
	f.StringVar(&l.table, "table", "", "write this table of the parent process")
	cobra.CheckErr(errors.Join(f.MarkHidden("attached"), f.MarkHidden("table")))
	return cmd
}

func (l *workFlags) run(cmd *cobra.Command) error {
	if err := checkCluster(*l.url); err != nil {
		return err
	}
	if l.store == "" {
		return cli.Usagef("--store is missing; give the coordinator's: a directory that all see, or s3://bucket/prefix")
	}
	ctx := cmd.Context()
	if l.attached {
		// A signal from the terminal is for the parent process, which ends this one.
		attached, end := context.WithCancel(context.WithoutCancel(ctx))
		defer end()
		go func() {
			io.Copy(io.Discard, cmd.InOrStdin())
			end()
		}()
		ctx = attached
	}
	place, err := store.Open(ctx, l.store)
	if err != nil {
		return err
	}
	memory := solving.MemoryLimit(l.memory, machine.AvailableMemory()).Bytes
	if memory > 0 {
		machine.LimitHeap(memory)
		debug.SetGCPercent(25) // the limit counts no garbage, and most memory is not on the heap
	}
	o := cluster.WorkOptions{Threads: l.threads.Count, Memory: memory, UntilDone: l.untilDone, IdleIfFaulty: !l.attached && !l.untilDone}
	o.Table = l.table
	o.URL, o.Store, o.Version = *l.url, place, programVersion()
	if !l.attached {
		o.Wait = waitForNATS
		log := cli.NewLogger(cmd, slog.LevelInfo)
		o.Logf = func(level slog.Level, format string, args ...any) {
			log.Log(context.Background(), level, fmt.Sprintf(format, args...))
		}
	}
	var stop func()
	if o.Metrics, stop, err = serveMetrics(l.metrics); err != nil {
		return err
	}
	defer stop()
	err = cluster.Work(ctx, o)
	switch {
	case l.attached && ctx.Err() != nil:
		return nil // the parent process has closed its standard input
	case errors.Is(err, cluster.ErrVersion), errors.Is(err, cluster.ErrStore), errors.Is(err, cluster.ErrByteOrder), errors.As(err, new(*retro.MemoryError)):
		return &cli.RefusedError{Err: err}
	}
	return err
}
