package server

import (
	"net/http"
	"strings"
	"testing"
)

const some = "/v1/quixo/2/position?p=../.."

func TestToken(t *testing.T) {
	s := start(t, func(o *Options) {
		o.Tokens, o.Page = tokensOf(t, "s3cret"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeBody(w, http.StatusOK, textType, []byte("page")) })
	})
	for _, path := range []string{some, "/v1/tables", "/uwapi/", "/metrics", "/v1/quixo/9"} {
		for _, sent := range []string{"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret"} {
			r := s.get(path, "Authorization", sent)
			r.want(t, http.StatusUnauthorized, "Authorization: Bearer")
			if got := r.header.Get("WWW-Authenticate"); got != `Bearer realm="backsolve"` {
				t.Errorf("WWW-Authenticate: %s", got)
			}
		}
		if r := s.get(path, "Authorization", "bearer s3cret"); r.status == http.StatusUnauthorized {
			t.Errorf("%s: %s", path, r.body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/v1/openapi.yaml"} {
		s.want(http.StatusOK, path)
	}
	if r := s.get("/"); r.status == http.StatusUnauthorized {
		t.Error("the page wants a token")
	}
	if strings.Contains(s.log.String(), "s3cre") {
		t.Error("the token is logged")
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	const origin = "https://example.org"
	for _, c := range []struct {
		origins []string
		origin  string
		allow   string
		vary    string
	}{
		{nil, origin, "", ""},
		{[]string{"*"}, origin, "*", ""},
		{[]string{"*"}, "", "*", ""},
		{[]string{"https://other.org", origin}, origin, origin, "Origin"},
		{[]string{origin}, "https://example.org.evil", "", "Origin"},
		{[]string{origin}, "", "", "Origin"},
	} {
		s := start(t, func(o *Options) { o.Origins, o.Tokens = c.origins, tokensOf(t, "secret") })
		for _, path := range []string{some, "/nonsense"} { // errors are readable, too
			r := s.get(path, "Origin", c.origin)
			if got := r.header.Get("Access-Control-Allow-Origin"); got != c.allow {
				t.Errorf("%v for %q: %q, want %q", c.origins, c.origin, got, c.allow)
			}
			if got := strings.Join(r.header.Values("Vary"), ", "); strings.Contains(got, "Origin") != (c.vary != "") {
				t.Errorf("%v: Vary: %s", c.origins, got)
			}
			if got := r.header.Get("Access-Control-Expose-Headers"); (got != "") != (c.allow != "" && c.origin != "") {
				t.Errorf("%v: Access-Control-Expose-Headers: %s", c.origins, got)
			}
		}
		r := s.do(http.MethodOptions, some, "", "Origin", c.origin, "Access-Control-Request-Method", "GET")
		if c.origins == nil {
			r.want(t, http.StatusMethodNotAllowed)
			continue
		}
		r.want(t, http.StatusNoContent)
		if got := r.header.Get("Access-Control-Allow-Headers"); strings.Contains(got, "Authorization") != (c.allow != "") {
			t.Errorf("%v: Access-Control-Allow-Headers: %s", c.origins, got)
		}
	}
}
