package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"backsolve/internal/server/api"
)

// silent keeps no log: the log of millions of requests would fill the memory.
func silent(o *Options) { o.Log = slog.New(slog.DiscardHandler) }

// handled answers a request without a connection, and checks the answer.
func (s *site) handled(t *testing.T, req *http.Request) reply {
	t.Helper()
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, req)
	r := reply{w.Code, w.Header(), w.Body.String()}
	checkReply(t, req, r)
	return r
}

// Whatever a client gives as a position or a whole query, the answer follows the API and is never
// a fault of the server.
func FuzzPosition(f *testing.F) {
	s := start(f, silent)
	for _, text := range []string{".../.../... x", "XXX/.../...", "", "\x00", "ä/", strings.Repeat("X", 5000), "a=b&p=%zz;&p", "p=.../.../...&after=a1"} {
		f.Add(text, "")
		f.Add(".../.../...", text)
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		for _, path := range []string{"/v1/quixo/3/position", "/v1/notakto/3/move", "/v1/quixo/3/line", "/v1/notakto/3/random", "/uwapi/quixo/3x3/positions/"} {
			u := &url.URL{Path: path, RawQuery: "p=" + url.QueryEscape(text)}
			if query != "" {
				u.RawQuery = query
			}
			req := (&http.Request{Method: "GET", URL: u, RequestURI: u.RequestURI(), Header: http.Header{}}).WithContext(context.Background())
			r := s.handled(t, req)
			if r.status >= 500 || !utf8.ValidString(r.body) {
				t.Errorf("%s: %d: %s", u, r.status, r.body)
			}
		}
	})
}

// The parameters of a position are read as the generated code reads them.
func FuzzBoundPosition(f *testing.F) {
	s := start(f, silent)
	generated := http.NewServeMux()
	api.HandlerFromMux(handlers{s.server}, generated)
	for _, query := range []string{"p=.../.../...+x", "p=.../.../...%20x&after=", "after=a1&p=..../..../..../X...", "p", "p=", "", "&p=.../.../...&", "q=1", "p=%zz", "p=a&p=b"} {
		f.Add("3", query)
		f.Add("four", query)
	}
	f.Fuzz(func(t *testing.T, size, query string) {
		u := &url.URL{Path: "/v1/notakto/" + size + "/position", RawQuery: query}
		request := func() *http.Request {
			req := &http.Request{Method: "GET", URL: u, RequestURI: u.RequestURI(), Header: http.Header{}}
			return req.WithContext(context.Background())
		}
		got := s.handled(t, request())
		if got.status != http.StatusOK {
			return
		}
		want := httptest.NewRecorder()
		generated.ServeHTTP(want, request())
		if want.Code != got.status || want.Body.String() != got.body {
			t.Errorf("%s: %d, %s; the generated code has %d, %s", u, got.status, got.body, want.Code, want.Body)
		}
	})
}

// Whatever the body of a batch is, each line has its answer.
func FuzzBatch(f *testing.F) {
	s := start(f, silent)
	f.Add("../..\n", false)
	f.Add(`["../.."]`, true)
	f.Fuzz(func(t *testing.T, body string, array bool) {
		req := httptest.NewRequest("POST", "/v1/quixo/2/positions", strings.NewReader(body))
		req.Header.Set("Content-Type", linesMedia)
		if array {
			req.Header.Set("Content-Type", arrayMedia)
		}
		if r := s.handled(t, req); r.status >= 500 || !array && r.status != http.StatusOK {
			t.Errorf("%q: %d: %s", body, r.status, r.body)
		}
	})
}
