package server

import (
	"encoding/hex"
	"net/http"
	"strings"

	"backsolve/server/catalog"
)

// answerVersion is part of every ETag. It changes when the same question to the
// same table gets another answer from this program than from the one before.
const answerVersion = "1"

// How long an answer may be kept, without the word for who may.
const (
	forever    = "max-age=31536000, immutable"
	revalidate = "no-cache"
)

var (
	noStore        = []string{"no-store"}
	publicForever  = []string{"public, " + forever}
	publicCheck    = []string{"public, " + revalidate}
	privateForever = []string{"private, " + forever}
	privateCheck   = []string{"private, " + revalidate}
	jsonType       = []string{"application/json"}
	problemType    = []string{"application/problem+json"}
	textType       = []string{"text/plain; charset=utf-8"}
	yamlType       = []string{"application/yaml"}
)

// freshness says how an answer may be kept.
type freshness struct {
	// tag is the ETag; the answer must not be kept where it is "".
	tag string
	// immutable says that the answer can never be another one: the address says by its
	// identity which table is asked.
	immutable bool
}

// answerFreshness is that of what a table, or a pairing, says of a position. With the
// same address another table may answer tomorrow, one with steps for example, unless
// the address names the table.
func answerFreshness(h catalog.Handle, named bool) freshness {
	if h.Table() == nil {
		return freshness{tag: tagOf("pairing")}
	}
	tag := h.Identity()
	if nimbers, ok := h.Table().NimbersIdentity(); ok {
		// The address names one of two tables.
		return freshness{tag: tagOf(hex.EncodeToString(nimbers[:8]) + tag)}
	}
	return freshness{tagOf(tag), named}
}

// tagOf returns an ETag made of what decides an answer. It is a weak one, for the
// same answer may be compressed or not.
func tagOf(what string) string { return `W/"` + what[:min(len(what), 32)] + "-" + answerVersion + `"` }

// setFreshness sets the headers of caching and reports whether the client has
// the answer already.
func (s *Server) setFreshness(w http.ResponseWriter, r *http.Request, f freshness) (known bool) {
	h := w.Header()
	if f.tag == "" {
		h["Cache-Control"] = noStore
		return false
	}
	h["Etag"] = []string{f.tag}
	switch {
	case s.token.Load() == nil && f.immutable:
		h["Cache-Control"] = publicForever
	case s.token.Load() == nil:
		h["Cache-Control"] = publicCheck
	case f.immutable:
		h["Cache-Control"] = privateForever
	default:
		h["Cache-Control"] = privateCheck
	}
	return matches(r.Header["If-None-Match"], f.tag)
}

// matches reports whether one of the tags of an If-None-Match header is the
// tag, weak and strong ones being alike.
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
