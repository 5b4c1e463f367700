package otlp

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// env returns variables as os.Getenv would.
func env(of map[string]string) func(string) string {
	return func(name string) string { return of[name] }
}

const (
	endpoint   = "OTEL_EXPORTER_OTLP_ENDPOINT"
	sampler    = "OTEL_TRACES_SAMPLER"
	samplerArg = "OTEL_TRACES_SAMPLER_ARG"
)

func TestFromEnvironment(t *testing.T) {
	const at = "http://127.0.0.1:4318"
	for want, of := range map[string]map[string]string{
		"":                                       {sampler: "nonsense"},
		at + "/v1/traces":                        {endpoint: at + "/"},
		at + "/other":                            {endpoint: "http://other", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": at + "/other"},
		"error: OTEL_TRACES_SAMPLER is":          {endpoint: at, sampler: "nonsense"},
		"error: OTEL_TRACES_SAMPLER_ARG":         {endpoint: at, sampler: "traceidratio", samplerArg: "2"},
		"error: OTEL_EXPORTER_OTLP_ENDPOINT":     {endpoint: "127.0.0.1:4318"},
		"error: OTEL_EXPORTER_OTLP_PROTOCOL":     {endpoint: at, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		"error: OTEL_EXPORTER_OTLP_HEADERS":      {endpoint: at, "OTEL_EXPORTER_OTLP_HEADERS": "=x"},
		"error: OTEL_EXPORTER_OTLP_HEADERS is n": {endpoint: at, "OTEL_EXPORTER_OTLP_HEADERS": "a=%"},
	} {
		e, err := FromEnvironment(env(of), "x")
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else if e != nil {
			got = e.settings.endpoint
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: %s, want %s", of, got, want)
		}
	}
	for _, off := range []string{"OTEL_SDK_DISABLED=true", "OTEL_TRACES_EXPORTER=none"} {
		name, value, _ := strings.Cut(off, "=")
		if e, err := FromEnvironment(env(map[string]string{endpoint: at, name: value}), "x"); e != nil || err != nil {
			t.Errorf("%s: %v, %v", off, e, err)
		}
	}
}

// A parent decides, or the trace's id where the sampler says so.
func TestSampling(t *testing.T) {
	const low, high = "0000000000000001", "fffffffffffffffe"
	for _, c := range []struct {
		sampler, arg, header string
		want                 bool
	}{
		{"", "", "", true},
		{"", "", "00-" + low + high + "-" + low + "-00", false},
		{"", "", "00-" + low + high + "-" + low + "-01", true},
		{"", "", "00-" + low + high + "-" + low + "-1", true}, // no parent
		{"always_on", "", "00-" + low + high + "-" + low + "-00", true},
		{"always_off", "", "", false},
		{"parentbased_always_off", "", "00-" + low + high + "-" + low + "-03", true},
		{"traceidratio", "0.5", "00-" + low + high + "-" + low + "-01", false},
		{"traceidratio", "0.5", "00-" + high + low + "-" + low + "-00", true},
		{"parentbased_traceidratio", "0", "00-" + high + low + "-" + low + "-01", true},
		{"parentbased_traceidratio", "0", "", false},
	} {
		e, err := FromEnvironment(env(map[string]string{endpoint: "http://x", sampler: c.sampler, samplerArg: c.arg}), "x")
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		if c.header != "" {
			r.Header.Set("Traceparent", c.header)
		}
		if s := e.Begin(r, time.Now()); (s != nil) != c.want {
			t.Errorf("%+v: %+v", c, s)
		}
	}
	var none *Exporter
	none.End(none.Begin(httptest.NewRequest("GET", "/", nil), time.Now()), 200, 0)
}

// Spans come in batches with the headers of the environment, the last ones when Run ends. Those
// that the collector refuses, or that too many wait before, are counted.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	got, status := []string{}, http.StatusOK
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/traces" || r.Header.Get("Api-Key") != "a b" || r.Header.Get("Content-Type") != "application/json" || !json.Valid(body) {
			t.Errorf("%v %v", r.URL, r.Header)
		}
		got = append(got, string(body))
		w.WriteHeader(status)
	}))
	defer collector.Close()
	e, err := FromEnvironment(env(map[string]string{endpoint: collector.URL, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b"}), "x")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	end := func(n int) {
		for range n {
			e.End(e.Begin(httptest.NewRequest("GET", "/", nil), time.Now()), 200, time.Millisecond)
		}
	}
	end(maxQueue + 3)
	running, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { e.Run(running) })
	for len(e.queue) > 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	done.Wait()
	registry := prometheus.NewRegistry()
	registry.MustRegister(e.Metrics())
	fates := func() map[string]float64 {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]float64{}
		for _, m := range families[0].Metric {
			all[m.Label[0].GetValue()] = m.Counter.GetValue()
		}
		return all
	}
	if want := map[string]float64{"sent": maxQueue, "dropped": 3}; !maps.Equal(fates(), want) || len(got) != maxQueue/maxBatch {
		t.Errorf("%v in %d batches, want %v", fates(), len(got), want)
	}
	status = http.StatusServiceUnavailable
	end(1)
	e.Run(ended)
	if want := map[string]float64{"sent": maxQueue, "dropped": 4}; !maps.Equal(fates(), want) || !e.failing {
		t.Errorf("%v, want %v", fates(), want)
	}
}
