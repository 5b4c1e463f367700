// Package arena plays games and matches of two agents. It reports results with their uncertainty.
package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
)

// Game is the setup of a game.
type Game struct {
	Rules game.Rules
	// Start is the first position, which is not over.
	Start game.State
	// Agents are the players; the first one begins.
	Agents [2]player.Agent
	// Seeds are the random seeds of the agents.
	Seeds [2]uint64
	// Turns limits the plies of both sides; a longer game is a draw.
	Turns int
}

// Played is the record of a game.
type Played struct {
	Result Result
	Reason Reason
	// Failure says what the loser did wrong if the reason is ByFailure.
	Failure string
	err     error // its text is Failure
	// Moves are the moves of both sides, in order.
	Moves []game.Move
	// Times says how long each move took; the last may be the time of a player that failed.
	Times []time.Duration
}

// Result is the result of a game.
type Result string

// The results.
const (
	FirstWins  Result = "first"
	SecondWins Result = "second"
	Drawn      Result = "draw"
)

// winFor returns a win for a side, 0 for the first one.
func winFor(side int) Result {
	if side == 0 {
		return FirstWins
	}
	return SecondWins
}

// For returns the outcome for a side, 0 for the first one.
func (r Result) For(side int) game.Outcome {
	switch r {
	case Drawn:
		return game.Draw
	case winFor(side):
		return game.Win
	}
	return game.Lose
}

// Reason is why a game ended.
type Reason string

// The reasons.
const (
	ByRules   Reason = "rules"      // the position is over
	ByTurns   Reason = "turn limit" // it is a draw
	ByFailure Reason = "failure"    // the loser returned no legal move
)

// Play counts a loss for a player that fails to begin, or returns an error or an illegal move. The error is the cause of ctx if
// that ends; Play waits for a player that is still running then.
func (g *Game) Play(ctx context.Context) (*Played, error) {
	d := &Played{}
	var players [2]player.Player
	for side, agent := range g.Agents {
		p, err := agent.Begin(g.Seeds[side])
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			d.fail(side, fmt.Errorf("it cannot begin: %w", err))
			return d, nil
		}
		defer p.Close() // errors after the game do not matter
		players[side] = p
	}
	return d, g.play(ctx, players, d)
}

func (g *Game) play(ctx context.Context, players [2]player.Player, d *Played) error {
	var legal []game.Move
	p := g.Start
	for ply := 0; ; ply++ {
		side := sideOf(g.Rules, g.Start, p)
		if outcome, over := g.Rules.Terminal(p); over {
			d.Result, d.Reason = resultOf(outcome, side), ByRules
			return nil
		}
		if ply == 2*g.Turns {
			d.Result, d.Reason = Drawn, ByTurns
			return nil
		}
		start := time.Now()
		m, err := player.Move(ctx, players[side], p)
		d.Times = append(d.Times, time.Since(start))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			legal = g.Rules.Moves(legal[:0], p)
			if !slices.Contains(legal, m) {
				err = Illegal(g.Rules, p, m)
			}
		}
		if err != nil {
			d.fail(side, err)
			return nil
		}
		d.Moves = append(d.Moves, m)
		p = g.Rules.Play(p, m)
	}
}

// sideOf returns whose turn it is: 0 for the side that begins at start, else 1.
func sideOf(rules game.Rules, start, s game.State) int {
	if rules.Turn(s) == rules.Turn(start) {
		return 0
	}
	return 1
}

// resultOf takes the outcome for the side to move.
func resultOf(o game.Outcome, side int) Result {
	switch o {
	case game.Win:
		return winFor(side)
	case game.Lose:
		return winFor(1 - side)
	}
	return Drawn
}

func (d *Played) fail(side int, err error) {
	d.Result, d.Reason, d.Failure, d.err = winFor(1-side), ByFailure, err.Error(), err
}

// Illegal reports an illegal move, and the position in which it was made.
func Illegal(rules game.Rules, p game.State, m game.Move) error {
	text := game.MoveText(rules, p, m)
	if _, err := rules.ParseMove(p, text); errors.As(err, new(*game.SyntaxError)) {
		return fmt.Errorf("its move of the numbers %d and %d is not a move of the game, in %s", m.From, m.To, rules.Format(p))
	}
	return fmt.Errorf("its move %s is not legal in %s", text, rules.Format(p))
}
