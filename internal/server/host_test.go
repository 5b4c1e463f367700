package server

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// askAs asks for the tables by a Host header.
func (s *site) askAs(host string) int {
	s.t.Helper()
	conn := s.dial(fmt.Sprintf("GET /v1/tables HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// At a loopback address the server is asked by its own names only, so that no page from
// elsewhere reads it whose name leads there.
func TestHost(t *testing.T) {
	t.Parallel()
	names := map[string]bool{
		"localhost": true, "localhost:8080": true, "LocalHost:1": true, "localhost.": true, "127.0.0.1": true, "127.0.0.1:99": true, "127.1.2.3:99": true,
		"[::1]": true, "[::1]:8080": true, "": true,
		"evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "evil-localhost": false,
		"192.168.1.1": false, "0.0.0.0:8080": false, "[::2]:8080": false,
	}
	s := start(t, nil)
	for host, want := range names {
		if got := s.askAs(host); (got == http.StatusOK) != want || !want && got != http.StatusMisdirectedRequest {
			t.Errorf("%q is answered with %d", host, got)
		}
	}
	named := start(t, func(o *Options) { o.Hosts = []string{"tables.example"} })
	for host, want := range map[string]int{"tables.example": 200, "Tables.Example:80": 200, "localhost": 200, "evil.example": 421, "a.tables.example": 421} {
		if got := named.askAs(host); got != want {
			t.Errorf("%q is answered with %d, want %d", host, got, want)
		}
	}
	for what, change := range map[string]func(*Options){
		"any name": func(o *Options) { o.Hosts = []string{"*"} },
		"a token":  func(o *Options) { o.Tokens = tokensOf(t, "secret") },
	} {
		if got := start(t, change).askAs("evil.example"); got == http.StatusMisdirectedRequest {
			t.Errorf("with %s the name is refused", what)
		}
	}
}

// Over a Unix socket, which no browser uses, any name will do, and errors look like all others.
func TestHostElsewhere(t *testing.T) {
	s := start(t, nil)
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, httptest.NewRequest("GET", "http://evil.example/v1/tables", nil)) // which has come to no address
	if w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
	req, err := http.NewRequest("GET", s.url+"/v1/tables", strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "evil.example"
	s.send(req).want(t, http.StatusMisdirectedRequest, "to the name evil.example", "use localhost")
}
