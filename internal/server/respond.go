package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"backsolve/internal/probe"
)

// setFreshness sets the cache headers and reports whether the client has the answer already.
func (s *Server) setFreshness(w http.ResponseWriter, r *http.Request, f freshness) (known bool) {
	h := w.Header()
	if f.tag == "" {
		h["Cache-Control"] = noStore
		return false
	}
	h["Etag"] = []string{f.tag}
	switch {
	case !s.private() && f.immutable:
		h["Cache-Control"] = publicForever
	case !s.private():
		h["Cache-Control"] = publicCheck
	case f.immutable:
		h["Cache-Control"] = privateForever
	default:
		h["Cache-Control"] = privateCheck
	}
	return matches(r.Header["If-None-Match"], f.tag)
}

// send sends a body, or 304 if the client has it.
func (s *Server) send(w http.ResponseWriter, r *http.Request, f freshness, contentType []string, body []byte) {
	if s.setFreshness(w, r, f) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(w, http.StatusOK, contentType, body)
}

func (s *Server) sendJSON(w http.ResponseWriter, r *http.Request, f freshness, v any) {
	s.send(w, r, f, jsonType, mustMarshal(v))
}

func (s *Server) sendAnswer(w http.ResponseWriter, r *http.Request, a *probe.Answer, f freshness) {
	s.send(w, r, f, jsonType, append(a.AppendJSON(nil), '\n'))
}

// mustMarshal returns a line of JSON for a value of one of our types.
func mustMarshal(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func writeBody(w http.ResponseWriter, status int, contentType []string, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentType
	if &contentType[0] != &jsonType[0] {
		h["X-Content-Type-Options"] = nosniff
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body) // an error means that the client is gone
}
