// Package registry has the metrics that all services export to Prometheus.
package registry

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// New returns a registry with the metrics of the runtime, the process and the build.
func New(version string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "backsolve_build_info", Help: "1, with the version and platform of the build.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version(), "goos": runtime.GOOS, "goarch": runtime.GOARCH},
	})
	build.Set(1)
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build)
	for i, kind := range faultKinds {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "backsolve_page_faults_total", Help: "Page faults of the process; major ones waited for the disk.",
			ConstLabels: prometheus.Labels{"kind": kind},
		}, func() float64 { return pageFaults()[i] }))
	}
	return r
}
