package otlp

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Span is a sampled request.
type Span struct {
	traceID, id, parent string // hexadecimal digits
	state               string
	began, ended        time.Time
	request             *http.Request
	status              int
}

// traceparent matches the header of that name in W3C's Trace Context, of any version.
var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)

// Parent returns the ids of the trace and the span that a request belongs to, "" without a valid
// header, and whether its sender samples it.
func Parent(r *http.Request) (trace, span string, sampled bool) {
	sent := r.Header["Traceparent"]
	if len(sent) != 1 || strings.HasPrefix(sent[0], "ff") {
		return "", "", false
	}
	ids := traceparent.FindStringSubmatch(sent[0])
	if ids == nil || strings.Trim(ids[1], "0") == "" || strings.Trim(ids[2], "0") == "" {
		return "", "", false
	}
	flags, _ := strconv.ParseUint(ids[3], 16, 8) // two digits
	return ids[1], ids[2], flags&1 == 1
}

// Begin returns the span of a request that has just come, nil if it is not sampled.
func (e *Exporter) Begin(r *http.Request, now time.Time) *Span {
	if e == nil {
		return nil
	}
	s := &Span{began: now, request: r}
	var sampled bool
	if s.traceID, s.parent, sampled = Parent(r); s.traceID == "" {
		s.traceID = randomID() + randomID()
	}
	if !e.settings.samples(s.traceID, s.parent != "", sampled) {
		return nil
	}
	if s.parent != "" {
		s.state = r.Header.Get("Tracestate")
	}
	s.id = randomID()
	return s
}

// randomID returns 16 hexadecimal digits, not all of them 0.
func randomID() string {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1)
	return hex.EncodeToString(id[:])
}

// TraceID returns the id of the trace, "" of no span.
func (s *Span) TraceID() string {
	if s == nil {
		return ""
	}
	return s.traceID
}

// End queues the span of a request with its status, or drops it if too many wait.
func (e *Exporter) End(s *Span, status int, took time.Duration) {
	if s == nil {
		return
	}
	s.ended, s.status = s.began.Add(took), status
	select {
	case e.queue <- s:
	default:
		e.drop(1)
	}
}

// object is one of JSON.
type object = map[string]any

// document returns what is sent of spans: a TracesData of the protocol, whose ids are
// hexadecimal and whose 64-bit integers are strings.
func document(service string, spans []*Span) object {
	list := make([]object, len(spans))
	for i, s := range spans {
		list[i] = s.document()
	}
	return object{"resourceSpans": []object{{
		"resource":   object{"attributes": []object{text("service.name", service)}},
		"scopeSpans": []object{{"scope": object{"name": "backsolve/server"}, "spans": list}},
	}}}
}

const (
	kindServer  = 2
	statusError = 2
)

func (s *Span) document() object {
	r := s.request
	method, route, _ := strings.Cut(r.Pattern, " ")
	if route == "" {
		method, route = r.Method, ""
	}
	attributes := []object{
		text("http.request.method", r.Method), text("url.path", r.URL.Path), text("url.scheme", scheme(r)),
		text("network.protocol.version", fmt.Sprintf("%d.%d", r.ProtoMajor, r.ProtoMinor)),
		{"key": "http.response.status_code", "value": object{"intValue": strconv.Itoa(s.status)}},
	}
	optional := func(key, value string) {
		if value != "" {
			attributes = append(attributes, text(key, value))
		}
	}
	optional("http.route", route)
	optional("url.query", r.URL.RawQuery)
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		optional("client.address", host)
	}
	span := object{
		"traceId": s.traceID, "spanId": s.id, "kind": kindServer, "name": strings.TrimSpace(method + " " + route),
		"startTimeUnixNano": strconv.FormatInt(s.began.UnixNano(), 10), "endTimeUnixNano": strconv.FormatInt(s.ended.UnixNano(), 10),
	}
	if s.parent != "" {
		span["parentSpanId"], span["traceState"] = s.parent, s.state
	}
	if s.status >= 500 {
		optional("error.type", strconv.Itoa(s.status))
		span["status"] = object{"code": statusError}
	}
	span["attributes"] = attributes
	return span
}

func text(key, value string) object { return object{"key": key, "value": object{"stringValue": value}} }

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}
