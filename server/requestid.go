package server

import (
	"math/rand/v2"
	"strconv"
)

const (
	requestIDHeader = "X-Request-Id"
	maxRequestID    = 64
)

// requestID returns the client's id of a request if it is safe to log, else a new one.
func requestID(sent []string) string {
	if len(sent) == 1 && isRequestID(sent[0]) {
		return sent[0]
	}
	return strconv.FormatUint(rand.Uint64()|1<<63, 16) // always 16 digits
}

// isRequestID reports whether an id has 1 to 64 characters that are safe in logs and headers.
func isRequestID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
