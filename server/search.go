package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"backsolve/partition"
	"backsolve/probe"
	"backsolve/server/catalog"
)

// source is what answers a request: a table, a strategy, or the search for what
// these do not know. It must be released.
type source struct {
	catalog.Handle
	answers probe.Answerer
	// named says that the address names the table by its identity.
	named bool
	// searches says that it may have been searched for.
	searches bool
}

// asked is the board that a request asks about.
type asked struct {
	game            string
	size            int
	after, identity *string
	steps           bool // are wanted where there is no table
}

// sourceOf returns what answers for a board as long as the request lasts.
func (s *Server) sourceOf(ctx context.Context, a asked) (source, error) {
	h, err := s.find(a.game, a.size, a.after, a.identity)
	switch {
	case err == nil && (s.search == nil || h.Table() != nil && !h.Table().Opening()):
		return source{Handle: h, answers: h.Answerer(), named: a.identity != nil}, nil
	case s.search == nil || a.identity != nil && err != nil || err != nil && !isUnsolved(err):
		return source{}, boardError(err)
	}
	var known probe.Answerer
	if err == nil {
		known = h.Answerer()
	}
	board, wrong := probe.NewBoard(a.game, a.size, or(a.after, ""))
	if wrong != nil {
		h.Release()
		return source{}, boardError(wrong)
	}
	answers := board.Fallback(ctx, known, err, probe.OnDemand{Solver: s.search, Steps: a.steps})
	if answers == nil {
		return source{}, err
	}
	return source{Handle: h, answers: answers, searches: true}, nil
}

// freshness says how an answer may be kept. What was searched for, a table may say
// better one day.
func (s source) freshness() freshness {
	if s.searches {
		return freshness{tag: tagOf("search")}
	}
	return answerFreshness(s.Handle, s.named)
}

// errThinking is why nothing is searched for now.
var errThinking = &httpError{
	status: http.StatusServiceUnavailable, retryAfter: time.Second,
	text: "as many positions as the server thinks about at once are being thought about; try again soon",
}

// isUnsolved reports whether an error says that a board has no table, or can have none.
func isUnsolved(err error) bool {
	_, missing := errors.AsType[*probe.MissingError](err)
	return missing || partition.HasNone(err)
}
