package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/pflag"

	"backsolve/internal/registry"
)

func metricsFlag(f *pflag.FlagSet, address *string) {
	f.StringVar(address, "metrics", "", "`ADDRESS` serve metrics for Prometheus there at /metrics, for example :9090")
}

// serveMetrics serves metrics until stop is called; without an address there are none.
func serveMetrics(address string) (_ prometheus.Registerer, stop func(), err error) {
	if address == "" {
		return nil, func() {}, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; choose another address with --metrics", err)
	}
	metrics, mux := registry.New(programVersion()), http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	go web.Serve(l)
	return metrics, func() { web.Close() }, nil
}
