package server

import (
	"net/http"
	_ "net/http/pprof" // for http.DefaultServeMux

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func (s *Server) exposition() http.Handler {
	return promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{})
}

// Admin returns the handler of the operator's own listener: profiles below /debug/pprof/, and
// /metrics. It requires no token. At a loopback address it refuses foreign names, through which a
// page in the operator's browser could read it (DNS rebinding).
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.exposition())
	mux.Handle("GET /debug/pprof/", http.DefaultServeMux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := (gate{s}).checkName(r); err != nil {
			http.Error(w, err.Error(), http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
