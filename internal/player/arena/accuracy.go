package arena

import (
	"context"
	"slices"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe"
)

// Exam is a number of random positions, each state of a game that is not over with
// the same probability, in which an agent has to find a right move.
type Exam struct {
	// Table knows which moves are right.
	Table *probe.Table
	Agent player.Agent
	// States is the number of positions.
	States int
	// Seed is where all chance comes from: that of position i from Seed(Seed, i, 0),
	// that of its player from Seed(Seed, i, 1).
	Seed uint64
	// Threads is the number of positions that are worked on at once, 1 or more.
	Threads int
}

// Accuracy is what came of an exam.
type Accuracy struct {
	// States is the number of positions.
	States int
	// Lenient is the number of moves that keep the outcome. Strict is that of those
	// which also win as soon or lose as late as can be; where the position is a draw
	// both are the same, as all moves that keep a draw are alike. It is −1 for a
	// table without steps.
	Lenient, Strict int
	// Failures is the number of positions in which the agent had no legal move to
	// offer, and Failure says what was wrong the first time. They count as wrong.
	Failures int
	Failure  string
	// Thinking is the time that all moves took together.
	Thinking time.Duration
}

// mark is what came of one position.
type mark struct {
	lenient, strict bool
	failure         error // nil where there was a move
	took            time.Duration
}

// Take lets the agent take the exam, and calls report after each position where it
// is not nil, in the calling goroutine. The error is that of the table, the cause of
// ctx, or a *UnableError where the agent has no move to offer in the first position.
func (e *Exam) Take(ctx context.Context, report func()) (*Accuracy, error) {
	a := &Accuracy{States: e.States}
	if !e.Table.HasSteps() {
		a.Strict = -1
	}
	err := inOrder(ctx, e.States, e.Threads, e.examine, func(i int, m mark) error {
		if i == 0 && m.failure != nil {
			return &UnableError{e.Agent.Name(), "", m.failure}
		}
		a.add(m, e.Table.HasSteps())
		if report != nil {
			report()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Accuracy) add(m mark, steps bool) {
	a.Thinking += m.took
	if m.failure != nil {
		a.Failures++
		if a.Failure == "" {
			a.Failure = m.failure.Error()
		}
	}
	if m.lenient {
		a.Lenient++
	}
	if m.strict && steps {
		a.Strict++
	}
}

// examine asks for a move in the i-th position and marks it.
func (e *Exam) examine(ctx context.Context, i int) (mark, error) {
	rules := e.Table.Rules()
	p := probe.RandomOpenPosition(rules, player.NewRand(Seed(e.Seed, i, 0)))
	best, ranked, err := e.Table.Rank(p, nil)
	if err != nil {
		return mark{}, err
	}
	m, took, err := e.ask(ctx, i, p)
	if ctx.Err() != nil {
		return mark{}, context.Cause(ctx)
	}
	if err != nil {
		return mark{failure: err, took: took}, nil
	}
	at := slices.IndexFunc(ranked, func(r probe.Ranked) bool { return r.Move == m })
	if at < 0 {
		return mark{failure: illegal(game.Opaque[game.Position](rules), p, m), took: took}, nil
	}
	value := ranked[at].Value
	return mark{lenient: value.Outcome == best.Outcome, strict: value == best, took: took}, nil
}

// ask returns the move of a new player in a position and the time it took.
func (e *Exam) ask(ctx context.Context, i int, p game.State) (game.Move, time.Duration, error) {
	a, err := e.Agent.Begin(Seed(e.Seed, i, 1))
	if err != nil {
		return game.Move{}, 0, err
	}
	defer a.Close()
	start := time.Now()
	m, err := player.Move(ctx, a, p)
	return m, time.Since(start), err
}
