package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/server/api"
)

func (s *Server) routes(page http.Handler) http.Handler {
	mux := http.NewServeMux()
	routes := &router{mux, s}
	routes.handle("GET /healthz", http.HandlerFunc(s.alive))
	routes.handle("GET /readyz", http.HandlerFunc(s.readiness))
	routes.handle("GET /metrics", gate{s}.authorized(s.exposition()))
	routes.handle("GET /v1/openapi.yaml", compressed(http.HandlerFunc(s.spec), 1))
	api.HandlerWithOptions(handlers{s}, api.StdHTTPServerOptions{
		BaseRouter:       routes,
		ErrorHandlerFunc: func(w http.ResponseWriter, _ *http.Request, err error) { fail(w, bindingError(err)) },
	})
	uwapi{s}.uwapiRoutes(routes)
	if page != nil {
		routes.handle("GET /{$}", compressed(page, 4))
		routes.handle("GET /assets/", compressed(described(page), 4))
	}
	routes.handle("/", unknown(mux))
	return withBoardWords(mux)
}

// withBoardWords rewrites a board in one word, as on command lines, to game and size:
// /v1/notakto:3+3/move becomes /v1/notakto-boards/2/move.
func withBoardWords(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, "/v1/"); ok && strings.Contains(rest, ":") {
			word, after, deeper := strings.Cut(rest, "/")
			name, n, ok, err := games.Named(word)
			if err != nil {
				fail(w, refusal(http.StatusNotFound, "%v", err))
				return
			}
			if ok {
				path := fmt.Sprintf("/v1/%s/%v", name, game.Size(n))
				if deeper {
					path += "/" + after
				}
				r.URL.Path, r.URL.RawPath = path, ""
			}
		}
		h.ServeHTTP(w, r)
	})
}

type router struct {
	*http.ServeMux
	server *Server
}

func (r *router) handle(pattern string, h http.Handler) {
	r.server.metrics.addRoute(pattern)
	r.Handle(pattern, h)
}

// HandleFunc is called by the generated code for each operation.
func (r *router) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	known, described := queryParameters[pattern]
	if !described {
		panic("no parameters are listed for " + pattern)
	}
	checked := func(w http.ResponseWriter, req *http.Request) {
		if _, err := readQuery(req.URL.RawQuery, known, nil); err != nil {
			fail(w, err)
			return
		}
		handle(w, req)
	}
	switch _, path, _ := strings.Cut(pattern, " "); {
	case pattern == positionPattern:
		checked = handlers{r.server}.boundPosition
	case r.server.jobs == nil && (path == "/v1/plan" || path == "/v1/rules" || strings.HasPrefix(path, "/v1/jobs")):
		handle = func(w http.ResponseWriter, _ *http.Request) { fail(w, errNoJobs) }
	}
	r.handle(pattern, gate{r.server}.guard(compressed(http.HandlerFunc(checked), 1)))
}

// compressed compresses, from level 1 for answers to 4 for what is fetched once, and costs clients without Accept-Encoding nothing.
func compressed(h http.Handler, level int) http.Handler {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1<<10), gzhttp.CompressionLevel(level), gzhttp.ZstdCompressionLevel(level))
	if err != nil {
		panic(err) // these options are valid
	}
	compressing := compress(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		if _, sent := r.Header["Accept-Encoding"]; sent || header["Vary"] != nil {
			compressing(w, r)
			return
		}
		header["Vary"] = variesByEncoding
		h.ServeHTTP(w, r)
	})
}

var variesByEncoding = []string{"Accept-Encoding"}

func (s *Server) alive(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Cache-Control"], w.Header()["Server"] = noStore, s.named
	writeBody(w, http.StatusOK, textType, []byte("alive\n"))
}

func (s *Server) readiness(w http.ResponseWriter, _ *http.Request) {
	err := gate{s}.available()
	if s.state.Load() == leaving {
		err = errLeaving
	}
	if err != nil {
		fail(w, err)
		return
	}
	w.Header()["Cache-Control"] = noStore
	writeBody(w, http.StatusOK, textType, []byte("ready\n"))
}

func (s *Server) spec(w http.ResponseWriter, r *http.Request) {
	s.send(w, r, freshness{tag: specTag}, yamlType, api.Spec)
}

var specTag = tagOfBody(api.Spec)

func described(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &unlessMissing{ResponseWriter: w}
		page.ServeHTTP(seen, r)
		if seen.missing {
			fail(w, nothingAt(r))
		}
	})
}

type unlessMissing struct {
	http.ResponseWriter
	missing bool
}

func (u *unlessMissing) WriteHeader(status int) {
	if u.missing = status == http.StatusNotFound; !u.missing {
		u.ResponseWriter.WriteHeader(status)
	}
}

func (u *unlessMissing) Write(p []byte) (int, error) {
	if u.missing {
		return len(p), nil
	}
	return u.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (u *unlessMissing) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func nothingAt(r *http.Request) error {
	return &httpError{status: http.StatusNotFound, text: fmt.Sprintf("there is nothing at %s; "+
		"GET /v1/tables lists the tables, GET /v1/openapi.yaml describes all addresses", printable(r.URL.Path))}
}

func unknown(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var allow []string
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
			if _, pattern := mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host}); pattern != "/" {
				allow = append(allow, method)
			}
		}
		if allow == nil || slices.Contains(allow, r.Method) {
			fail(w, nothingAt(r))
			return
		}
		fail(w, &httpError{status: http.StatusMethodNotAllowed, allow: strings.Join(allow, ", "), text: fmt.Sprintf("%s cannot be used with %s, only %s",
			printable(r.Method), printable(r.URL.Path), strings.Join(allow, ", "))})
	})
}
