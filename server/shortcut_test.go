package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An address goes the short way just if the mux would take it to the same handler with the
// same words, and all others go to the mux as they are.
func TestShortcut(t *testing.T) {
	var way string
	mux := http.NewServeMux()
	mux.HandleFunc(positionPattern, func(_ http.ResponseWriter, r *http.Request) {
		way = "mux " + r.Pattern + " " + r.PathValue("game") + " " + r.PathValue("size")
	})
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { way = "mux other " + r.URL.Path })
	short := shortcut(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		game, size, _ := plainPosition(r)
		way = "short " + r.Pattern + " " + game + " " + size
	}), mux)
	ask := func(h http.Handler, method, address string) string {
		way = "nowhere"
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, address, nil))
		return way
	}
	for address, want := range map[string]bool{
		"/v1/quixo/4/position": true, "/v1/quixo/4/position?p=..%2F.. x": true, "/v1/notakto-boards/12/position": true,
		"/v1/quixo/four/position": true, "/v1/quixo/-4/position": true, "/v1/a/b/position": true,
		"/v1/quixo/4": false, "/v1/quixo/4/positions": false, "/v1/quixo/4/position/": false, "/v1/quixo/4/5/position": false,
		"/v1/quixo//position": false, "/v1//4/position": false, "/v1///position": false, "/v1/position": false, "/v1//position": false,
		"/v1/quixo/../position": false, "/v1/./4/position": false, "//v1/quixo/4/position": false, "/v1/Quixo/4/position": false,
		"/v1/%71uixo/4/position": false, "/v1/quixo/%34/position": false, "/v1/qui%2Fxo/4/position": false, "/v1/quixo/4/p%6Fsition": false,
		"/v1/quixo/4%20/position": false, "/v1/qüixo/4/position": false, "/v2/quixo/4/position": false, "/": false, "/v1/quixo:4/position": false,
	} {
		address := strings.ReplaceAll(address, " ", "%20")
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
			got, slow := ask(short, method, address), ask(mux, method, address)
			if taken := strings.HasPrefix(got, "short "); taken != (want && method == "GET") {
				t.Errorf("%s %s goes the way %q", method, address, got)
			} else if _, rest, _ := strings.Cut(got, " "); taken && "mux "+rest != slow || !taken && got != slow {
				t.Errorf("%s %s goes the way %q, by the mux alone %q", method, address, got, slow)
			}
		}
	}
}
