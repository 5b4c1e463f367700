package server

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"backsolve/internal/server/catalog"
)

// answerVersion is part of every ETag. Increase it when the answers from the same table change.
const answerVersion = "1"

// searchTag is the ETag of answers that were searched for, with a version like answerVersion. Since
// version 2, empty cells of Othello count for the winner.
var searchTag = tagOf("search-2")

var (
	noStore     = []string{"no-store"}
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
	textType    = []string{"text/plain; charset=utf-8"}
	yamlType    = []string{"application/yaml"}
)

// cacheControl is the header by whether clients must send a token, and whether the answer is immutable.
var cacheControl = map[[2]bool][]string{
	{false, false}: {"public, no-cache"}, {false, true}: {"public, max-age=31536000, immutable"},
	{true, false}: {"private, no-cache"}, {true, true}: {"private, max-age=31536000, immutable"},
}

type freshness struct {
	tag       string // the ETag; an answer without one must not be stored
	immutable bool   // as the address has the table's identity
}

// answerFreshness is the freshness of an answer about a position. Another table may answer at
// the same address tomorrow, unless the address names the table.
func answerFreshness(h catalog.Handle, named bool) freshness {
	if !h.Stored() {
		return freshness{tag: tagOf("pairing")}
	}
	tag := h.Identity()
	if t := h.Table(); t != nil {
		if nimbers, ok := t.NimbersIdentity(); ok {
			// The address names only one of the two tables.
			return freshness{tag: tagOf(hex.EncodeToString(nimbers[:8]) + tag)}
		}
	}
	return freshness{tagOf(tag), named}
}

// tagOf returns an ETag made from everything that determines an answer; it is weak because the answer may be compressed.
func tagOf(what string) string { return `W/"` + what[:min(len(what), 32)] + "-" + answerVersion + `"` }

func tagOfBody(body []byte) string {
	sum := sha256.Sum256(body)
	return tagOf(hex.EncodeToString(sum[:]))
}

// matches reports whether an If-None-Match header has the tag, by weak comparison.
func matches(sent []string, tag string) bool {
	strong := strings.TrimPrefix(tag, "W/")
	for _, line := range sent {
		for one := range strings.SplitSeq(line, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == strong {
				return true
			}
		}
	}
	return false
}
