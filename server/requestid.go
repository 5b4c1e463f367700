package server

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

const (
	requestIDHeader = "X-Request-Id"
	maxRequestID    = 64
)

// idCharacters are safe in logs and headers.
const idCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// requestID returns the client's id of a request if it has 1 to 64 characters that are safe to log,
// else a new one.
func requestID(sent []string) string {
	if len(sent) == 1 && sent[0] != "" && len(sent[0]) <= maxRequestID && strings.Trim(sent[0], idCharacters) == "" {
		return sent[0]
	}
	return strconv.FormatUint(rand.Uint64()|1<<63, 16) // always 16 digits
}

// traceparent matches the header of that name in W3C's Trace Context, of any version.
var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$`)

// traceID returns the id of the trace that a request belongs to, "" without a valid one.
func traceID(sent []string) string {
	if len(sent) != 1 || strings.HasPrefix(sent[0], "ff") || strings.Contains(sent[0], "-00000000000000000000000000000000-") {
		return ""
	}
	if id := traceparent.FindStringSubmatch(sent[0]); id != nil {
		return id[1]
	}
	return ""
}
