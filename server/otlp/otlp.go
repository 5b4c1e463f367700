// Package otlp exports a span for each request of a server by OpenTelemetry's protocol, OTLP over
// HTTP as JSON. It has no more than a server needs: the SDK would make tbserve 10 MB larger.
package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Bounds of what waits for the collector, as those of the SDK.
const (
	maxQueue = 2048
	maxBatch = 512
	interval = 5 * time.Second
	timeout  = 2 * time.Second // twice that is the most by which a server ends later
)

// Exporter sends spans. Run sends what End has queued. A nil *Exporter has no spans.
type Exporter struct {
	// Log gets the first failure of a row of them; nil for no log.
	Log      *slog.Logger
	settings settings
	client   http.Client
	queue    chan *Span
	spans    *prometheus.CounterVec
	failing  bool
}

func newExporter(s settings) *Exporter {
	return &Exporter{
		settings: s, client: http.Client{Timeout: timeout}, queue: make(chan *Span, maxQueue),
		spans: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "backsolve_trace_spans_total", Help: "Spans of sampled requests: sent to the collector, or dropped as it does not take them or not as fast.",
		}, []string{"fate"}),
	}
}

// Metrics counts the spans.
func (e *Exporter) Metrics() prometheus.Collector { return e.spans }

// drop counts spans that are lost.
func (e *Exporter) drop(n int) { e.spans.WithLabelValues("dropped").Add(float64(n)) }

// Run sends batches of spans, until ctx ends and those that are queued then are sent.
func (e *Exporter) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var batch []*Span
	for ended := false; !ended; {
		select {
		case s := <-e.queue:
			if batch = append(batch, s); len(batch) < maxBatch {
				continue
			}
		case <-tick.C:
		case <-ctx.Done():
			ended = true
			for len(e.queue) > 0 {
				batch = append(batch, <-e.queue)
			}
		}
		if len(batch) > 0 {
			e.send(batch)
			batch = nil
		}
	}
}

// send sends a batch, or drops it: a server must not keep what nobody takes.
func (e *Exporter) send(batch []*Span) {
	err := e.post(batch)
	if err == nil {
		e.spans.WithLabelValues("sent").Add(float64(len(batch)))
	} else {
		e.drop(len(batch))
	}
	if e.Log != nil && err != nil && !e.failing {
		e.Log.Warn("spans are dropped, as the collector does not take them", "error", err)
	}
	e.failing = err != nil
}

func (e *Exporter) post(batch []*Span) error {
	body, err := json.Marshal(document(e.settings.service, batch))
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, e.settings.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range e.settings.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := e.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if said, _ := io.ReadAll(io.LimitReader(answer.Body, 200)); answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %q", answer.Status, said)
	}
	return nil
}
