package server

import (
	"net/http"
	"slices"

	"backsolve/internal/server/token"
)

func (s *Server) private() bool { return !s.tokens.Load().IsOpen() }

var (
	errToken = &httpError{status: http.StatusUnauthorized, challenge: token.Challenge,
		text: "this server requires a token; send it in the header Authorization: Bearer …"}
	errNoRight = refusal(http.StatusForbidden, "jobs need a token with the right to solve; ask the server's operator for one")
	errDear    = refusal(http.StatusForbidden, "planning takes seconds for this game, so it needs a token with the right to solve; ask the server's operator for one")
)

func (s gate) authorized(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.tokens.Load().Admits(r.Header["Authorization"]) {
			fail(w, errToken)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (s *Server) maySolve(r *http.Request) error {
	t := s.tokens.Load()
	if t == nil {
		return errNoRight
	}
	switch known, solves := t.Knows(r.Header["Authorization"]); {
	case !known:
		return errToken
	case !solves:
		return errNoRight
	}
	return nil
}

const (
	exposedHeaders = "ETag, Retry-After, Server, X-Request-Id"
	allowedHeaders = "Authorization, Content-Type, If-None-Match, X-Request-Id"
	allowedMethods = "GET, HEAD, POST, DELETE"
)

func (s gate) cors(h http.Handler) http.Handler {
	if len(s.origins) == 0 {
		return h
	}
	all := slices.Contains(s.origins, "*")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		switch {
		case all:
			header.Set("Access-Control-Allow-Origin", "*")
		case slices.Contains(s.origins, origin):
			header.Set("Access-Control-Allow-Origin", origin)
			fallthrough
		default:
			header.Add("Vary", "Origin")
		}
		allowed := header.Get("Access-Control-Allow-Origin") != ""
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			if allowed {
				header.Set("Access-Control-Allow-Methods", allowedMethods)
				header.Set("Access-Control-Allow-Headers", allowedHeaders)
				header.Set("Access-Control-Max-Age", "86400")
			}
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if allowed && origin != "" {
			header.Set("Access-Control-Expose-Headers", exposedHeaders)
		}
		h.ServeHTTP(w, r)
	})
}
