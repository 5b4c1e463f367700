package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The SDK (v1.8.0) reads identifiers as floating-point numbers, which rounds those above 2⁵³. So it
// gets the text of an identifier in place of it, as a string.

// cancelled is the method of a notification that names a request.
const cancelled = "notifications/cancelled"

// hideID returns a message of a client with the text of its identifier. What is no request it
// returns as it is.
func hideID(message []byte) []byte {
	var fields, params map[string]json.RawMessage
	if json.Unmarshal(message, &fields) != nil || fields["method"] == nil {
		return message
	}
	hide(fields, "id")
	var method string
	json.Unmarshal(fields["method"], &method) // another type is no method
	if method == cancelled && json.Unmarshal(fields["params"], &params) == nil {
		hide(params, "requestId")
		fields["params"], _ = json.Marshal(params) // texts that were read are JSON
	}
	hidden, _ := json.Marshal(fields)
	return hidden
}

// hide replaces a string or number by its text.
func hide(fields map[string]json.RawMessage, name string) {
	if id := fields[name]; len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
		fields[name], _ = json.Marshal(string(id)) // a string is JSON
	}
}

// reply is an answer to a client.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// showID returns an answer with the identifier of the client, of which it has the text.
func showID(answer []byte) ([]byte, error) {
	var r reply
	if err := json.Unmarshal(answer, &r); err != nil {
		return nil, err
	}
	var text string
	if json.Unmarshal(r.ID, &text) == nil && text != "" {
		r.ID = json.RawMessage(text)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(r)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// withIDs serves messages of clients by a handler that gets the texts of their identifiers.
func withIDs(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		if body = hideID(body); len(body) > 0 {
			r.ContentLength = int64(len(body))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := &held{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(answer, r)
		text := answer.text.Bytes()
		if shown, err := showID(text); err == nil && w.Header().Get("Content-Type") == "application/json" {
			text = shown
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		}
		w.WriteHeader(answer.status)
		w.Write(text) // a client that is gone needs no answer
	})
}

// held is an answer that is not sent yet.
type held struct {
	http.ResponseWriter
	status int
	text   bytes.Buffer
}

func (h *held) WriteHeader(status int) { h.status = status }

func (h *held) Write(b []byte) (int, error) { return h.text.Write(b) }
