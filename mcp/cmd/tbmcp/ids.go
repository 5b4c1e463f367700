package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"backsolve/cmd/cli"
)

// The SDK (v1.8.0) reads identifiers as floating-point numbers, which rounds those above 2⁵³. So
// it gets the text of each identifier, as a string.

const cancelled = "notifications/cancelled"

// hideID replaces the identifier of a request by its text. Other messages stay as they are.
func hideID(message []byte) []byte {
	var fields, params map[string]json.RawMessage
	if json.Unmarshal(message, &fields) != nil || fields["method"] == nil {
		return message
	}
	hide(fields, "id")
	var method string
	json.Unmarshal(fields["method"], &method) // a value of another type leaves it empty
	if method == cancelled && json.Unmarshal(fields["params"], &params) == nil {
		hide(params, "requestId")
		fields["params"], _ = json.Marshal(params) // cannot fail: it was read as JSON
	}
	hidden, _ := json.Marshal(fields)
	return hidden
}

func hide(fields map[string]json.RawMessage, name string) {
	if id := fields[name]; len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
		fields[name], _ = json.Marshal(string(id)) // cannot fail
	}
}

type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *jsonrpc.Error  `json:"error,omitempty"`
}

// showID gives an answer the client's identifier again, in place of its text.
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
	err := cli.WriteJSON(&out, r)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// withIDs wraps a handler, which gets the texts of identifiers in place of them.
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
		w.Write(text) // it fails if the client has gone, which needs no answer
	})
}

type held struct {
	http.ResponseWriter
	status int
	text   bytes.Buffer
}

func (h *held) WriteHeader(status int) { h.status = status }

func (h *held) Write(b []byte) (int, error) { return h.text.Write(b) }
