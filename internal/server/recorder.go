package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"backsolve/game/custom"
)

const slow = time.Second // requests that take this long are logged as warnings

// statusLeft is recorded, as nginx does, for clients that leave before there is an answer.
const statusLeft = 499

type recorder struct {
	http.ResponseWriter
	status int // 0 before the header is written
	bytes  int64
	err    error
}

func (x *recorder) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *recorder) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

func (x *recorder) Flush() { http.NewResponseController(x.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (x *recorder) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func recorderOf(w http.ResponseWriter) *recorder {
	for {
		switch t := w.(type) {
		case *recorder:
			return t
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil
		}
	}
}

func noteError(w http.ResponseWriter, err error) {
	if x := recorderOf(w); x != nil {
		x.err = err
	}
}

// Headers of some responses. Each costs the server and its client, so JSON has few.
var (
	nosniff = []string{"nosniff"} // of all content but JSON, which browsers do not take for a page
	closing = []string{"close"}   // of the last response on a connection
)

// ServeHTTP answers, counts and logs a request. The server survives panics of handlers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	x := &recorder{ResponseWriter: w}
	h := w.Header()
	if sent := r.Header[requestIDHeader]; sent != nil {
		h[requestIDHeader] = []string{requestID(sent)}
	}
	if s.state.Load() == leaving {
		h["Connection"] = closing
	}
	s.metrics.inFlight.Inc()
	defer s.finish(x, r, start)
	s.handler.ServeHTTP(x, r)
}

func (s *Server) finish(x *recorder, r *http.Request, start time.Time) {
	panicked := recover()
	if panicked != nil && panicked != http.ErrAbortHandler {
		err := s.panicked(panicked)
		if x.status == 0 {
			fail(x, err)
			panicked = nil
		} else {
			panicked = http.ErrAbortHandler // marks the response as incomplete
		}
		x.err = err
	}
	if x.status == 0 {
		x.status = http.StatusOK
	}
	if errors.Is(x.err, context.Canceled) && r.Context().Err() != nil && s.state.Load() == ready {
		x.status = statusLeft
	}
	took := time.Since(start)
	s.metrics.observe(r, x.status, took)
	s.logRequest(x, r, took)
	if panicked != nil {
		panic(panicked)
	}
}

func (s *Server) panicked(p any) error {
	if fault, ok := p.(*custom.Fault); ok {
		return fault
	}
	s.log.Error("a handler panicked", "panic", p, "stack", string(debug.Stack()))
	return fmt.Errorf("internal error: %v; please report it with your request", p)
}

// rescue, deferred, turns a panic into an error, for goroutines besides the handler's.
func (s *Server) rescue(err *error) {
	if p := recover(); p != nil {
		*err = s.panicked(p)
	}
}

// traceparent matches the header of that name in W3C's Trace Context, of any version.
var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

func traceID(r *http.Request) string {
	sent := r.Header["Traceparent"]
	if len(sent) != 1 || strings.HasPrefix(sent[0], "ff") {
		return ""
	}
	ids := traceparent.FindStringSubmatch(sent[0])
	if ids == nil || strings.Trim(ids[1], "0") == "" || strings.Trim(ids[2], "0") == "" {
		return ""
	}
	return ids[1]
}

// logRequest logs our faults as errors, slow requests and 503s as warnings, others to debug. It logs no headers, so no token.
func (s *Server) logRequest(x *recorder, r *http.Request, took time.Duration) {
	level, message := slog.LevelDebug, "request"
	_, refused := errors.AsType[*httpError](x.err) // no fault of the server
	switch {
	case x.status >= 500 && !refused:
		level, message = slog.LevelError, "request failed"
	case x.status >= 500:
		level, message = slog.LevelWarn, "request refused"
	case took >= slow:
		level, message = slog.LevelWarn, "slow request"
	}
	if !s.log.Enabled(r.Context(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("id", x.Header().Get(requestIDHeader)), slog.String("client", r.RemoteAddr), slog.String("method", r.Method),
		slog.String("url", r.URL.RequestURI()), slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("took", took),
	}
	if trace := traceID(r); trace != "" {
		attributes = append(attributes, slog.String("trace_id", trace))
	}
	if x.err != nil {
		attributes = append(attributes, slog.String("error", x.err.Error()))
	}
	s.log.LogAttrs(r.Context(), level, message, attributes...)
}
