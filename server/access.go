package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Tokens are the tokens of clients, and what each allows.
type Tokens struct {
	sums   [][sha256.Size]byte
	solves []bool // whether each allows jobs
	// open lets clients without a token ask.
	open bool
}

// solveScope is the word for the right to start and stop jobs.
const solveScope = "solve"

// ParseTokens reads a token from each line, followed by the word solve if it allows jobs. The
// token * lets everyone ask. The error does not repeat a token.
func ParseTokens(text string) (*Tokens, error) {
	t := new(Tokens)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case len(words) > 2 || len(words) == 2 && words[1] != solveScope:
			return nil, fmt.Errorf("a line must have one token, alone or with the word %s after it", solveScope)
		case words[0] != "*":
			t.sums, t.solves = append(t.sums, sha256.Sum256([]byte(words[0]))), append(t.solves, len(words) == 2)
		case len(words) == 2:
			return nil, fmt.Errorf("jobs need a token, so * cannot have the word %s", solveScope)
		default:
			t.open = true
		}
	}
	if len(t.sums) == 0 {
		return nil, errors.New("there is no token; write one on a line")
	}
	return t, nil
}

// private reports whether clients must send a token.
func (s *Server) private() bool {
	t := s.tokens.Load()
	return t != nil && !t.open
}

var (
	errToken = &httpError{status: http.StatusUnauthorized, challenge: `Bearer realm="backsolve"`,
		text: "this server requires a token; send it in the header Authorization: Bearer …"}
	errNoRight = &httpError{status: http.StatusForbidden, text: "jobs need a token with the right to solve; ask the server's operator for one"}
)

// authorized calls a handler only for requests that may ask.
func (s gate) authorized(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if t := s.tokens.Load(); t != nil {
			sent := r.Header["Authorization"]
			if known, _ := t.knows(sent); !known && (!t.open || sent != nil) {
				fail(w, errToken)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

// maySolve returns an error unless the request has a token that allows jobs.
func (s *Server) maySolve(r *http.Request) error {
	t := s.tokens.Load()
	if t == nil {
		return errNoRight
	}
	switch known, solves := t.knows(r.Header["Authorization"]); {
	case !known:
		return errToken
	case !solves:
		return errNoRight
	}
	return nil
}

// knows reports whether a header has a token, and whether that allows jobs. It compares in
// constant time.
func (t *Tokens) knows(authorization []string) (known, solves bool) {
	if len(authorization) != 1 {
		return false, false
	}
	scheme, sent, _ := strings.Cut(authorization[0], " ")
	sum := sha256.Sum256([]byte(sent))
	for i := range t.sums {
		if subtle.ConstantTimeCompare(sum[:], t.sums[i][:]) == 1 {
			known, solves = true, solves || t.solves[i]
		}
	}
	known = known && strings.EqualFold(scheme, "Bearer")
	return known, known && solves
}

// Headers and methods that pages of other origins may use.
const (
	exposedHeaders = "ETag, Retry-After, Server, X-Request-Id"
	allowedHeaders = "Authorization, Content-Type, If-None-Match, X-Request-Id"
	allowedMethods = "GET, HEAD, POST, DELETE"
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
