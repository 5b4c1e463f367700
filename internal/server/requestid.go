package server

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	requestIDHeader = "X-Request-Id"
	maxRequestID    = 64
)

const idCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// requestID returns the client's id if it has 1 to 64 characters that are safe to log, else a new one.
func requestID(sent []string) string {
	if len(sent) == 1 && sent[0] != "" && len(sent[0]) <= maxRequestID && strings.Trim(sent[0], idCharacters) == "" {
		return sent[0]
	}
	return strconv.FormatUint(rand.Uint64()|1<<63, 16) // always 16 digits
}
