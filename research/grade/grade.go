// Package grade measures agents by the truth: in which states their moves keep the value,
// and whether anybody can beat them. It takes any agent, and any game whose values a
// table or a strategy knows.
package grade

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/game"
	"backsolve/internal/matrix"
	"backsolve/player"
	"backsolve/player/zero"
	"backsolve/probe"
)

// Subject is an agent that is measured, with what knows the values of its game.
type Subject struct {
	Rules   game.Rules
	Answers probe.Answerer
	Agent   player.Agent
	// From is the position that games begin with and that states are reached from, which must
	// not be over; nil for the start of the game.
	From game.State
	// Seed is what the chance of the agent comes from: every move is that of a new player
	// with this seed, so that it depends on the position only.
	Seed uint64
	// Threads is the number of positions that are worked on at once.
	Threads int
	// Late is, where Answers know only the ends of games, up to how many cells are left in
	// the positions that are drawn; 0 where they know all states.
	Late int

	open []game.State // what reached has found
}

// Start returns the position that games begin with.
func (a *Subject) Start() game.State {
	if a.From != nil {
		return a.From
	}
	return a.Rules.Start()
}

// Estimator is implemented by agents that can say at once what they think of a position
// that is not over: its value for the player to move, from −1 to 1, and a move.
type Estimator interface {
	Estimate(s game.State) (value float32, best game.Move)
}

// Symmetric is implemented by agents that play in images of a position the images of
// their move. Canonical is the same for positions that are images of each other.
type Symmetric interface {
	Canonical(s game.State) zero.State
}

// ask returns the agent's move in a position and its place in the rated moves.
func (a *Subject) ask(ctx context.Context, s game.State, rated []probe.Rated) (game.Move, int, error) {
	p, err := a.Agent.Begin(a.Seed)
	if err != nil {
		return game.Move{}, 0, fmt.Errorf("%s cannot begin: %w", a.Agent.Name(), err)
	}
	defer p.Close()
	m, err := p.Move(ctx, s)
	if ctx.Err() != nil {
		return game.Move{}, 0, context.Cause(ctx)
	}
	if err != nil {
		return game.Move{}, 0, fmt.Errorf("%s has no move in %s: %w", a.Agent.Name(), a.Rules.Format(s), err)
	}
	at := place(rated, m)
	if at < 0 {
		return game.Move{}, 0, fmt.Errorf("%s makes the move %s in %s, which is not among those whose values are known", a.Agent.Name(), a.Rules.FormatMove(m), a.Rules.Format(s))
	}
	return m, at, nil
}

// each has something done for the numbers below n on all threads, with room for rated moves that
// is handed back to be used again. The error is that of the least number for which there is one, or
// the context's cause.
func (a *Subject) each(ctx context.Context, n int, do func(i int, rated []probe.Rated) ([]probe.Rated, error)) error {
	errs := make([]error, n)
	matrix.Share(n, a.Threads, func(first, end int) {
		var rated []probe.Rated
		for i := first; i < end && ctx.Err() == nil; i++ {
			if rated, errs[i] = do(i, rated[:0]); errs[i] != nil {
				return
			}
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// place returns where a move stands among rated ones, −1 if nowhere.
func place(rated []probe.Rated, m game.Move) int {
	return slices.IndexFunc(rated, func(r probe.Rated) bool { return r.Move == m })
}

// goodness orders outcomes.
func goodness(o game.Outcome) int {
	switch o {
	case game.Win:
		return 2
	case game.Draw:
		return 1
	}
	return 0
}

// Holder is implemented by agents that have learned from some states and not from others.
type Holder interface {
	// HoldsOut reports whether there are states that they have not learned from.
	HoldsOut() bool
	// HeldOut reports whether a position that is not over is one of them.
	HeldOut(s game.State) bool
}

// Progress is what the states of a board are told apart by, in words for many of them: a
// number that only grows or only falls while a game goes on.
func (a *Subject) Progress() string {
	switch board := a.Rules.Info(); {
	case board.Board == game.OfHeaps:
		return "counters"
	case board.Board == game.OnRow:
		return "moves"
	case board.MoveKind == game.Encloses:
		return "empty"
	}
	return "marks"
}

// progress returns that number of a state: of marked cells or, where marks change, of empty
// ones, of counters that are left, or of files that moves were made on; 0 on other boards.
func (a *Subject) progress(s game.State) (n int) {
	board := a.Rules.Info()
	if p, ok := s.(game.Position); ok {
		if n = bits.OnesCount64(p.X | p.O); board.MoveKind == game.Encloses {
			n = board.Size*board.Size - n
		}
		return n
	}
	var room [128]byte
	text := a.Rules.AppendFormat(room[:0], s)
	switch board.Board {
	case game.OnRow:
		return bytes.Count(text, []byte("X"))
	case game.OfHeaps:
		heap := 0
		for _, c := range append(text, '/') {
			if c >= '0' && c <= '9' {
				heap = 10*heap + int(c-'0')
			} else {
				n, heap = n+heap, 0
			}
		}
	}
	return n
}
