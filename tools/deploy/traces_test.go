package deploy

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"backsolve/server"
	"backsolve/server/catalog"
	"backsolve/server/otlp"
)

// What tbserve exports is a document of OpenTelemetry's own types, with nothing that these do not
// know: the span of each request belongs to its sender's trace and has its route and status.
func TestTraces(t *testing.T) {
	var got trace.TracesData
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = protojson.Unmarshal(body, &got)
		}
		if err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v in %s", err, body)
		}
	}))
	defer collector.Close()
	vars := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_SERVICE_NAME": "tables"}
	traces, err := otlp.FromEnvironment(func(name string) string { return vars[name] }, "other")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := catalog.Open([]string{t.TempDir()}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	s := server.New(server.Options{Catalog: tables, Traces: traces, Limits: server.DefaultLimits()})
	const sender, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for _, path := range []string{"/healthz", "/v1/tables", "/nothing?x=1"} { // the second before it serves
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Traceparent", "00-"+sender+"-"+parent+"-01")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	traces.Run(ended)
	if len(got.ResourceSpans) != 1 || value(got.ResourceSpans[0].Resource.Attributes, "service.name").GetStringValue() != "tables" {
		t.Fatalf("%v", &got)
	}
	spans := got.ResourceSpans[0].ScopeSpans[0].Spans
	for i, want := range []struct {
		name, route string
		status      int64
		code        trace.Status_StatusCode
	}{
		{"GET /healthz", "/healthz", 200, trace.Status_STATUS_CODE_UNSET}, {"GET /v1/tables", "/v1/tables", 503, trace.Status_STATUS_CODE_ERROR},
		{"GET", "", 404, trace.Status_STATUS_CODE_UNSET},
	} {
		span := spans[i]
		// protojson reads ids as base64, where the protocol has hexadecimal digits.
		id := base64.StdEncoding.EncodeToString
		if id(span.TraceId) != sender || id(span.ParentSpanId) != parent || len(id(span.SpanId)) != 16 {
			t.Errorf("%v", span)
		}
		if span.Name != want.name || span.Kind != trace.Span_SPAN_KIND_SERVER || span.Status.GetCode() != want.code || span.EndTimeUnixNano < span.StartTimeUnixNano ||
			value(span.Attributes, "http.route").GetStringValue() != want.route || value(span.Attributes, "http.response.status_code").GetIntValue() != want.status {
			t.Errorf("%v, want %+v", span, want)
		}
	}
}

// value returns the value of an attribute.
func value(of []*common.KeyValue, key string) *common.AnyValue {
	for _, a := range of {
		if a.Key == key {
			return a.Value
		}
	}
	return nil
}
