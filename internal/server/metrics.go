package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"backsolve/internal/registry"
	"backsolve/internal/server/catalog"
)

// metrics are the metrics of the server. Routes are patterns, so their number is bounded.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	latency   *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	positions prometheus.Counter
	lookups   prometheus.Counter
	routes    map[string]*routeMetrics
	other     *routeMetrics
}

type routeMetrics struct {
	name    string
	latency prometheus.Observer
	// usual counts requests with the route's method and status 200, nearly all.
	method string
	usual  prometheus.Counter
}

const otherRoute = "other"

var countedMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func newMetrics(totals func() catalog.Totals, version string) *metrics {
	own := registry.New(version)
	factory := promauto.With(own)
	m := &metrics{
		registry: own,
		requests: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "backsolve_http_requests_total", Help: "Requests answered.",
		}, []string{"route", "method", "status"}),
		latency: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "backsolve_http_request_seconds", Help: "Time from the header of a request to the end of its answer.",
			Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 10e-3, 50e-3, 250e-3, 1, 5, 30},
		}, []string{"route"}),
		inFlight: factory.NewGauge(prometheus.GaugeOpts{
			Name: "backsolve_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
		positions: factory.NewCounter(prometheus.CounterOpts{
			Name: "backsolve_positions_total", Help: "Positions answered.",
		}),
		lookups: factory.NewCounter(prometheus.CounterOpts{
			Name: "backsolve_lookups_total", Help: "States looked up in tables: those of the positions answered and of their moves.",
		}),
		routes: map[string]*routeMetrics{},
	}
	addTables(factory, totals)
	m.other = m.newRoute(http.MethodGet, otherRoute)
	return m
}

func addTables(factory promauto.Factory, totals func() catalog.Totals) {
	gauge := func(name, help string, labels prometheus.Labels, value func(catalog.Totals) float64) {
		factory.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return value(totals()) })
	}
	gauge("backsolve_table_bytes", "Length of the files of all tables that can be read.", nil, func(t catalog.Totals) float64 { return float64(t.Bytes) })
	const help = "Tables that can be read (ok) and that cannot (broken)."
	gauge("backsolve_tables", help, prometheus.Labels{"state": "ok"}, func(t catalog.Totals) float64 { return float64(t.OK) })
	gauge("backsolve_tables", help, prometheus.Labels{"state": "broken"}, func(t catalog.Totals) float64 { return float64(t.Broken) })
	gauge("backsolve_unreadable_directories", "Directories of tables that cannot be read.", nil, func(t catalog.Totals) float64 { return float64(t.Unreadable) })
	factory.NewCounterFunc(prometheus.CounterOpts{
		Name: "backsolve_table_reloads_total", Help: "How often a table was opened, reopened or dropped.",
	}, func() float64 { return float64(totals().Reloads) })
}

func (m *metrics) newRoute(method, name string) *routeMetrics {
	return &routeMetrics{
		name: name, latency: m.latency.WithLabelValues(name),
		method: method, usual: m.requests.WithLabelValues(name, method, "200"),
	}
}

// addRoute adds the metrics of a pattern. It must not run concurrently with requests.
func (m *metrics) addRoute(pattern string) {
	method, name, found := strings.Cut(pattern, " ")
	if found {
		if name = strings.TrimSuffix(name, "/{$}"); name == "" {
			name = "/"
		}
		m.routes[pattern] = m.newRoute(method, name)
	}
}

func (m *metrics) observe(r *http.Request, status int, took time.Duration) {
	m.inFlight.Dec()
	route, found := m.routes[r.Pattern]
	if !found {
		route = m.other
	}
	route.latency.Observe(took.Seconds())
	if r.Method == route.method && status == http.StatusOK {
		route.usual.Inc()
		return
	}
	method := r.Method
	if !slices.Contains(countedMethods, method) {
		method = otherRoute // a client may send any word
	}
	m.requests.WithLabelValues(route.name, method, strconv.Itoa(status)).Inc()
}

func (m *metrics) countAnswer(h catalog.Handle, moves int) { m.countLookups(h, 1, 1+moves) }

func (m *metrics) countLookups(h catalog.Handle, positions, lookups int) {
	m.positions.Add(float64(positions))
	if h.Stored() {
		m.lookups.Add(float64(lookups))
	}
}
