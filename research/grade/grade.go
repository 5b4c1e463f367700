// Package grade measures agents by exact values: in which states their moves keep the value, and
// whether any opponent beats them.
package grade

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"time"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/dawson"
	"backsolve/game/nim"
	"backsolve/internal/matrix"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
)

// Subject is an agent to be measured, with the exact values of its game.
type Subject struct {
	Rules   game.Rules
	Answers probe.Answerer
	Agent   player.Agent
	From    game.State // the first position, which must be open; nil for the start of the game
	Seed    uint64     // of a new player for each move, so that it depends on the position only
	Threads int        // positions to work on at once
	Late    int        // most cells left in drawn positions, if Answers know only the ends of games; else 0

	open []game.State // the reachable states, once found
}

// Start returns the first position.
func (a *Subject) Start() game.State {
	if a.From != nil {
		return a.From
	}
	return a.Rules.Start()
}

// network returns the agent if it plays by a network, and therefore alike on equal inputs, else nil.
func (a *Subject) network() *zero.Agent {
	agent, _ := a.Agent.(*zero.Agent)
	return agent
}

// ask returns the agent's move in a position and its index in the rated moves.
func (a *Subject) ask(ctx context.Context, s game.State, rated []probe.Rated) (game.Move, int, error) {
	m, err := a.move(ctx, s, a.Seed)
	if err != nil {
		return game.Move{}, 0, err
	}
	at := place(rated, m)
	if at < 0 {
		return game.Move{}, 0, fmt.Errorf("%s makes the move %s in %s, whose value is unknown", a.Agent.Name(), game.MoveText(a.Rules, s, m), a.Rules.Format(s))
	}
	return m, at, nil
}

func (a *Subject) move(ctx context.Context, s game.State, seed uint64) (game.Move, error) {
	m, _, err := a.Timed(ctx, s, seed)
	if ctx.Err() != nil {
		return game.Move{}, context.Cause(ctx)
	}
	if err != nil {
		return game.Move{}, fmt.Errorf("%s has no move in %s: %w", a.Agent.Name(), a.Rules.Format(s), err)
	}
	return m, nil
}

// each calls do for the numbers below n on all threads, and returns the error of the least number.
func (a *Subject) each(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	matrix.Share(n, a.Threads, func(first, end int) {
		for i := first; i < end && ctx.Err() == nil && errs[first] == nil; i++ {
			errs[first] = do(i)
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return cmp.Or(errs...)
}

// place returns the index of a move among rated ones, −1 if it is missing.
func place(rated []probe.Rated, m game.Move) int {
	return slices.IndexFunc(rated, func(r probe.Rated) bool { return r.Move == m })
}

// Progress names and returns a number that only grows or only falls during a game: the tier of listed
// positions, counters left, files moved on, empty cells if marks change, else marked cells of a grid.
func (a *Subject) Progress(s game.State) (name string, n int) {
	board := a.Rules.Info()
	p, _ := s.(game.Position)
	own, listed := a.Rules.(custom.Listed)
	switch {
	case listed:
		n, _ = own.Number(s)
		return "tier", n
	case board.Board == game.OfHeaps:
		for _, counters := range nim.Counters(s) {
			n += int(counters)
		}
		return "counters", n
	case board.Board == game.OnRow:
		return "moves", bits.OnesCount32(dawson.Played(s))
	}
	if n = bits.OnesCount64(p.X | p.O); board.MoveKind == game.Encloses {
		return "empty", game.Size(board.Size).Cells() - n
	}
	return "marks", n
}

// Marks are the result of an exam.
type Marks struct {
	States int // positions
	// Lenient counts the moves that keep the outcome, Strict those that also win as soon or
	// lose as late as can be; it is −1 where steps are not known.
	Lenient, Strict int
	Failures        int           // positions in which the agent had no legal move, which is wrong
	Thinking        time.Duration // of all moves
}

// Exam asks the agent in random open positions of a grid: position i has the chance of
// arena.Seed(Seed, i, 0), and its player that of arena.Seed(Seed, i, 1). It calls report after
// each, unless nil. Without a legal move in the first position the error is a *arena.UnableError.
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
		m, took, failure := a.Timed(ctx, s, arena.Seed(a.Seed, i, 1))
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

// Timed returns the move of a new player in a position, and how long it thinks.
func (a *Subject) Timed(ctx context.Context, s game.State, seed uint64) (game.Move, time.Duration, error) {
	p, err := a.Agent.Begin(seed)
	if err != nil {
		return game.Move{}, 0, fmt.Errorf("it cannot begin: %w", err)
	}
	defer p.Close()
	began := time.Now()
	m, err := player.Move(ctx, p, s)
	return m, time.Since(began), err
}
