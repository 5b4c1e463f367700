package grade

import (
	"context"
	"fmt"
	"sync"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/internal/probe"
)

// Marks are the result of an exam.
type Marks struct {
	// States is the number of positions.
	States int
	// Lenient counts the moves that keep the outcome, Strict those that also win as soon or
	// lose as late as can be; it is −1 where steps are not known.
	Lenient, Strict int
	// Failures counts the positions in which the agent had no legal move, which is wrong.
	Failures int
	// Thinking is the time that all moves took together.
	Thinking time.Duration
}

// Exam asks the agent in random open positions of a grid: position i has the chance of
// arena.Seed(Seed, i, 0), and its player that of arena.Seed(Seed, i, 1). It calls report after
// each, unless nil. The error is a *arena.UnableError where the agent has no legal move in the
// first position.
func (a *Subject) Exam(ctx context.Context, states int, report func()) (*Marks, error) {
	grid, ok := game.GridOf(a.Rules)
	if !ok {
		return nil, fmt.Errorf("positions of %v cannot be drawn", a.Rules.Info())
	}
	var lock sync.Mutex
	marks := &Marks{States: states}
	err := a.each(ctx, states, func(i int) error {
		s := probe.RandomOpenPosition(grid, player.NewRand(arena.Seed(a.Seed, i, 0)))
		value, rated, err := a.Answers.Rate(a.Rules, s, nil)
		if err != nil {
			return err
		}
		m, took, failure := a.timed(ctx, s, arena.Seed(a.Seed, i, 1))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		at := place(rated, m)
		if failure == nil && at < 0 {
			failure = arena.Illegal(a.Rules, s, m)
		}
		if i == 0 && failure != nil {
			return &arena.UnableError{Agent: a.Agent.Name(), Err: failure}
		}
		lock.Lock()
		defer lock.Unlock()
		marks.Thinking += took
		if failure != nil {
			marks.Failures++
		} else if rated[at].Outcome == value.Outcome {
			marks.Lenient++
			if rated[at].Value == value {
				marks.Strict++
			}
		}
		if report != nil {
			report()
		}
		return nil
	})
	if !a.Answers.HasSteps() {
		marks.Strict = -1
	}
	return marks, err
}

func (a *Subject) timed(ctx context.Context, s game.State, seed uint64) (game.Move, time.Duration, error) {
	p, err := a.Agent.Begin(seed)
	if err != nil {
		return game.Move{}, 0, err
	}
	defer p.Close()
	began := time.Now()
	m, err := player.Move(ctx, p, s)
	return m, time.Since(began), err
}
