package server

import (
	"context"
	"errors"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/server/catalog"
	"backsolve/partition"
)

// source answers a query from a table or a strategy, or by search. It must be released.
type source struct {
	catalog.Handle
	answers  probe.Answerer
	text     string // of the position, without startpos and moves
	named    bool   // by the identity of the table
	searches bool   // where table and strategy have no answer
}

type query struct {
	game            string
	size            int
	after, identity *string
	text            string // of the position
	steps           bool   // search for them, too
}

func (s handlers) sourceOf(ctx context.Context, q query) (source, error) {
	h, err := s.find(q.game, q.size, q.after, q.identity)
	answered := err == nil && (s.search == nil || h.Stored() && (h.Table() == nil || !h.Table().Opening()))
	unsolved := errors.As(err, new(*probe.MissingError)) || partition.HasNone(err)
	byRules := s.search == nil && errors.Is(err, partition.ErrTooLarge)
	if !answered && (s.search == nil && !byRules || q.identity != nil && err != nil || err != nil && !unsolved) {
		return source{}, err
	}
	a := source{Handle: h, text: q.text, named: q.identity != nil, searches: !answered}
	if err == nil {
		a.answers = h.Answerer()
	}
	if answered && game.WrittenOut(q.text) {
		return a, nil
	}
	board, state, wrong := readPosition(q.game, q.size, q.after, q.text)
	if wrong != nil {
		h.Release()
		return source{}, wrong
	}
	a.text = board.Rules().Format(state)
	if byRules {
		a.answers = board.ByRules(err)
	} else if a.searches {
		a.answers = board.Fallback(ctx, a.answers, err, probe.OnDemand{Solver: s.search, Steps: q.steps})
	}
	if a.answers == nil {
		return source{}, err
	}
	return a, nil
}

func (s handlers) ask(from source, maxPlies int) (*probe.Answer, error) {
	a, err := from.answers.Ask(from.text, maxPlies)
	if err != nil {
		return nil, positionError(err)
	}
	s.metrics.countAnswer(from.Handle, len(a.Moves))
	return a, nil
}

// freshness says how an answer may be cached. A table may improve on a search one day.
func (s source) freshness() freshness {
	if s.searches {
		return freshness{tag: searchTag}
	}
	return answerFreshness(s.Handle, s.named)
}

var errThinking = unavailable(time.Second, "the server is busy with as many searches as it can run at once; try again soon")
