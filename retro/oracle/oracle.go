// Package oracle solves a game one state at a time by its rules alone, without slices,
// blocks and symmetry. It is short rather than fast. Tests compare the engine with it, and
// benchmarks measure the engine's speed against it.
package oracle

import (
	"fmt"
	"math/bits"

	"backsolve/game"
)

// Solution has the value of every state of a board. A state is a position seen by the
// player to move, so positions that differ in the colours alone are one state. Its number is
// the sum of digit·base^cell over all cells. The digit is 0 for an empty cell, 1 for one of
// the player to move and 2 for one of the opponent. The base is 3, or 2 in a game with one
// kind of marks, where the number is the mask. Its methods are safe for concurrent use.
type Solution struct {
	marks  int
	powers []uint64 // base^cell, and base^cells at the end
	values []value
}

// value is steps·4 + outcome. 0 is a draw or not yet known; drawn is a drawn terminal state.
type value uint16

const drawn value = 3

func (v value) outcome() game.Outcome {
	if v == drawn {
		return game.Draw
	}
	return game.Outcome(v & 3)
}
func (v value) steps() int { return int(v >> 2) }

// maxStates is the most states that Solve accepts.
const maxStates = 1 << 32

// Solve finds the outcome and steps of every state, in two bytes a state and one goroutine.
// It is meant for boards of up to 10⁸ states: Notakto up to 5×5, Quixo up to 4×4. It panics
// where there are more than 2³² states.
func Solve(rules game.Grid) *Solution {
	s := number(rules)
	s.values = make([]value, s.powers[len(s.powers)-1])
	found := s.labelTerminal(rules)
	for steps := 1; found; steps++ {
		found = s.label(rules, steps)
	}
	return s
}

func number(rules game.Grid) *Solution {
	s := &Solution{marks: rules.Marks()}
	power := uint64(1)
	for range rules.Rows() * rules.Cols() {
		s.powers = append(s.powers, power)
		power *= uint64(s.marks + 1)
		if power > maxStates {
			panic(fmt.Sprintf("oracle: %v has more than 2³² states, too many to solve one by one; take a smaller board", rules.Info()))
		}
	}
	s.powers = append(s.powers, power)
	return s
}

// labelTerminal labels the terminal states. It reports whether there are any.
func (s *Solution) labelTerminal(rules game.Grid) bool {
	found := false
	for i := range s.values {
		outcome, over := rules.Terminal(s.State(i))
		if !over {
			continue
		}
		found = true
		if s.values[i] = value(outcome); outcome == game.Draw {
			s.values[i] = drawn
		}
	}
	return found
}

// label labels the states with the given steps, after all with fewer. It reports whether
// there are any. Without any, no state has more steps, and the unlabelled ones are drawn.
func (s *Solution) label(rules game.Grid, steps int) bool {
	found := false
	var moves []game.Move
	for i, v := range s.values {
		if v != 0 {
			continue
		}
		p := s.State(i)
		moves = rules.Moves(moves[:0], p)
		if outcome := s.decide(rules, p, moves, steps); outcome != game.Draw {
			s.values[i] = value(steps)<<2 | value(outcome)
			found = true
		}
	}
	return found
}

// decide returns the outcome of a state by its children with fewer steps: won if one is lost,
// lost if all are won, and Draw if they do not decide it.
func (s *Solution) decide(rules game.Grid, p game.Position, moves []game.Move, steps int) game.Outcome {
	won := 0
	for _, m := range moves {
		child := s.values[s.Number(rules.Play(p, m))]
		switch {
		case child.steps() >= steps: // labelled in this pass
		case child.outcome() == game.Lose:
			return game.Win
		case child.outcome() == game.Win:
			won++
		}
	}
	if won == len(moves) && won > 0 {
		return game.Lose
	}
	return game.Draw
}

// Len returns the number of states.
func (s *Solution) Len() int { return len(s.values) }

// State returns state i, 0 ≤ i < Len, as a position with X to move.
func (s *Solution) State(i int) game.Position {
	if s.marks == 1 {
		return game.Position{X: uint64(i)}
	}
	var p game.Position
	for bit := uint64(1); i > 0; bit <<= 1 {
		switch i % 3 {
		case 1:
			p.X |= bit
		case 2:
			p.O |= bit
		}
		i /= 3
	}
	return p
}

// Number returns the number of the state of p.
func (s *Solution) Number(p game.Position) int {
	if s.marks == 1 {
		return int(p.X)
	}
	return int(s.sum(p.Mover()) + 2*s.sum(p.Waiting()))
}

func (s *Solution) sum(mask uint64) uint64 {
	var sum uint64
	for ; mask != 0; mask &= mask - 1 {
		sum += s.powers[bits.TrailingZeros64(mask)]
	}
	return sum
}

// Value returns the outcome of p for the player to move and the steps to the end, 0 for a
// draw.
func (s *Solution) Value(p game.Position) (outcome game.Outcome, steps int) {
	v := s.values[s.Number(p)]
	return v.outcome(), v.steps()
}
