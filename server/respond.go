package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"backsolve/probe"
)

// sendJSON sends a value in JSON unless the client has it already.
func (s *Server) sendJSON(w http.ResponseWriter, r *http.Request, f freshness, v any) {
	if s.setFreshness(w, r, f) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(w, http.StatusOK, jsonType, mustMarshal(v))
}

// sendAnswer sends an answer unless the client has it.
func (s *Server) sendAnswer(w http.ResponseWriter, r *http.Request, a *probe.Answer, f freshness) {
	if s.setFreshness(w, r, f) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(w, http.StatusOK, jsonType, append(a.AppendJSON(nil), '\n'))
}

// mustMarshal encodes a value of a type of our own, all of which can be encoded.
func mustMarshal(v any) []byte {
	body, err := marshal(v)
	if err != nil {
		panic(err)
	}
	return body
}

// marshal encodes a value in JSON as a line.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return b.Bytes(), err
}

// writeBody answers with a body that is whole.
func writeBody(w http.ResponseWriter, status int, contentType []string, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body) // a client that is gone needs no answer
}
