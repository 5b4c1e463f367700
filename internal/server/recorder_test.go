package server

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"backsolve/internal/server/catalog"
)

// panics is a page whose handlers panic.
func panics(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "late") {
		io.WriteString(w, "half an answer")
		http.NewResponseController(w).Flush()
	}
	panic("on purpose")
}

// A handler that panics costs its client an answer, and nobody else anything.
func TestPanic(t *testing.T) {
	s := start(t, func(o *Options) { o.Page = http.HandlerFunc(panics) })
	s.want(http.StatusInternalServerError, "/assets/early", "internal error: on purpose", `"request_id":"`)
	resp, err := s.client.Get(s.url + "/assets/late")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an answer passes for whole: %q, %v", got, err)
	}
	if log := s.log.String(); strings.Count(log, `"panic":"on purpose"`) != 2 || !strings.Contains(log, "recorder_test.go") {
		t.Errorf("not logged with a stack: %s", log)
	}
	s.want(http.StatusOK, some)
	s.want(http.StatusOK, "/metrics", `backsolve_http_requests_total{method="GET",route="/assets/",status="500"} 1`)
}

func TestRequestID(t *testing.T) {
	s := start(t, nil)
	for sent, kept := range map[string]bool{
		"": false, "abc": true, "0-9_A.z": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false,
		"a b": false, "a\tb": false, `a"b`: false, "ä": false,
	} {
		r := s.get("/nonsense", requestIDHeader, sent)
		got := r.header.Get(requestIDHeader)
		if (got == sent) != kept || !kept && len(got) != 16 {
			t.Errorf("%q becomes %q", sent, got)
		}
		r.want(t, http.StatusNotFound, `"request_id":"`+got+`"`)
		if !strings.Contains(s.log.String(), `"id":"`+got+`"`) {
			t.Errorf("%s is not logged", got)
		}
	}
	if a, b := requestID(nil), requestID([]string{"a", "b"}); a == b || len(a) != 16 || len(b) != 16 {
		t.Errorf("%q and %q", a, b)
	}
}

// The server's own faults are errors in the log, refusals are warnings, all else is for
// debugging.
func TestLogLevels(t *testing.T) {
	s := start(t, nil)
	s.want(http.StatusOK, some)
	s.want(http.StatusNotFound, "/nonsense")
	s.server.semaphore = make(semaphore)
	s.want(http.StatusServiceUnavailable, some)
	for _, want := range []string{
		`"level":"DEBUG","msg":"request"`, `"url":"/v1/quixo/2/position?p=../..","status":200`, `"status":404`, `"error":"there is nothing at /nonsense`,
		`"level":"WARN","msg":"request refused"`,
	} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("no %s in %s", want, s.log.String())
		}
	}
	var log syncBuffer
	quiet := start(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	quiet.want(http.StatusOK, some)
	if log.String() != "" {
		t.Errorf("a good request is logged: %s", log.String())
	}
}

// A panic while a batch is answered is its last element, or its whole answer.
func TestBatchPanics(t *testing.T) {
	s := start(t, nil)
	a := newAnswers(s.server, catalog.Handle{}, linesLayout, fullForm) // which answers with a panic
	a.add(t.Context(), nil, errBlank)
	a.add(t.Context(), []byte("../.."), nil)
	a.end(t.Context(), nil)
	c := <-a.queue
	<-c.done
	lines := strings.Split(string(c.answer), "\n")
	if len(lines) != 3 || c.err == nil || !strings.HasPrefix(lines[0], `{"line":1,"error":"this line is blank`) || !strings.HasPrefix(lines[1], `{"line":2,"error":"internal error: `) {
		t.Errorf("%v, %q", c.err, lines)
	}
	var err error
	func() {
		defer s.server.rescue(&err)
		panic("on purpose")
	}()
	if err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Error(err)
	}
}

// The log has the id of the trace that a valid traceparent names, and nothing else of a header.
func TestTraceIsLogged(t *testing.T) {
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "-00f067aa0ba902b7-01"
	s := start(t, nil)
	for sent, logged := range map[string]bool{
		"00-" + trace + parent:                          true,
		"01-" + trace + parent + "-more":                true, // a later version
		"ff-" + trace + parent:                          false,
		"00-" + strings.Repeat("0", 32) + parent:        false,
		"00-" + strings.ToUpper(trace) + parent:         false,
		"00-" + trace:                                   false,
		"00-" + trace + parent + `" status=200`:         false,
		strings.Repeat("0", 5000) + "-" + trace:         false,
		"00-" + trace + "-00f067aa0ba902b7-01\tx":       false,
		"00-" + trace + "-00f067aa0ba902b7-01-" + "\ty": true,
	} {
		before := len(s.log.String())
		s.get("/healthz", "Traceparent", sent)
		log := s.log.String()[before:]
		if got := strings.Contains(log, `"trace_id":"`+trace+`"`); got != logged || strings.Contains(log, "00f067aa0ba902b7") {
			t.Errorf("%q is logged: %v, want %v: %s", sent, got, logged, log)
		}
	}
}

// wantLeft waits until the log says that a client left, which must not count as an error of the server.
func (s *site) wantLeft() {
	s.t.Helper()
	for late := time.After(10 * time.Second); !strings.Contains(s.log.String(), `"status":499`); {
		select {
		case <-late:
			s.t.Fatalf("a client that left is logged as %s", s.log)
		case <-time.After(time.Millisecond):
		}
	}
	if strings.Contains(s.log.String(), `"level":"ERROR"`) {
		s.t.Error(s.log)
	}
}
