package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// authorized calls a handler only for requests with the token, if the server has one.
func (s gate) authorized(h http.Handler) http.Handler {
	if s.token.Load() == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knows(r.Header["Authorization"]) {
			fail(w, &httpError{status: http.StatusUnauthorized, challenge: `Bearer realm="backsolve"`,
				text: "this server requires a token; send it in the header Authorization: Bearer …"})
			return
		}
		h.ServeHTTP(w, r)
	})
}

// knows reports whether a header has the token. It compares in constant time.
func (s gate) knows(authorization []string) bool {
	if len(authorization) != 1 {
		return false
	}
	scheme, sent, _ := strings.Cut(authorization[0], " ")
	sum := sha256.Sum256([]byte(sent))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.token.Load()[:]) == 1
}

// Headers and methods that pages of other origins may use.
const (
	exposedHeaders = "ETag, Retry-After, Server, X-Request-Id"
	allowedHeaders = "Authorization, Content-Type, If-None-Match, X-Request-Id"
	allowedMethods = "GET, HEAD, POST"
)

// cors lets pages of the configured origins read answers, and answers preflight requests.
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
