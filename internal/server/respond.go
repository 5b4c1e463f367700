package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"backsolve/internal/probe"
)

// send sends a body, or 304 if the client has it. It returns nil, as handlers do that have answered.
func (s *Server) send(w http.ResponseWriter, r *http.Request, f freshness, contentType []string, body []byte) error {
	h := w.Header()
	h["Cache-Control"] = noStore
	if f.tag != "" {
		h["Etag"], h["Cache-Control"] = []string{f.tag}, cacheControl[[2]bool{s.private(), f.immutable}]
		if matches(r.Header["If-None-Match"], f.tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	writeBody(w, http.StatusOK, contentType, body)
	return nil
}

func (s *Server) sendJSON(w http.ResponseWriter, r *http.Request, f freshness, v any) error {
	return s.send(w, r, f, jsonType, mustMarshal(v))
}

func (s *Server) sendAnswer(w http.ResponseWriter, r *http.Request, a *probe.Answer, f freshness) error {
	return s.send(w, r, f, jsonType, append(a.AppendJSON(nil), '\n'))
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
