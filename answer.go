package backsolve

import (
	"backsolve/game"
	"backsolve/probe"
)

// Outcome is how a position ends under best play, for the player to move.
type Outcome uint8

// The outcomes, with the numbers that they have in table files and in C.
const (
	Draw Outcome = 0
	Win  Outcome = 1
	Lose Outcome = 2
)

// String returns win, lose or draw.
func (o Outcome) String() string { return game.Outcome(o).String() }

// Value is what a position is worth to the player to move, and a move to the player
// who makes it.
type Value struct {
	Outcome Outcome
	// Steps is the number of plies to the end under best play. It is −1 for a draw
	// and in a table without steps.
	Steps int
}

// String returns the value in words: win in 21, draw, lose.
func (v Value) String() string { return v.probed().String() }

// Nimber is the Grundy value of a position, where that is known: the size of the heap of
// Nim that the position equals, where both players have the same moves and who cannot move
// loses. It is 0 where the player to move loses, and that of a sum of positions is the XOR
// of theirs. The zero value says that it is not known.
type Nimber struct{ nimber probe.Nimber }

// Value returns the Grundy value, and whether it is known.
func (n Nimber) Value() (value int, known bool) { return n.nimber.Value() }

// String returns the Grundy value, a dash where it is not known.
func (n Nimber) String() string { return n.nimber.String() }

// Answer is all that a table knows of a position.
type Answer struct {
	Game string
	Size int
	// Position is the text of the position, with the side to move written out.
	Position string
	Value
	// Nimber is the position's, where the table has nimbers.
	Nimber Nimber
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	// Moves are the legal moves, the best first: wins, the fewest steps first, then
	// draws, then losses, the most steps first. Equal ones are ordered by their text.
	Moves []Move
	// Partial says that moves are left out because an opening table ends there, of
	// which it is not known what they are worth. The best one is never left out.
	Partial bool
}

// Move is a legal move.
type Move struct {
	// Move is its text: d1d4.
	Move string
	// Value is what it is worth to the player who makes it, its steps counted from the
	// position before it.
	Value
	// Nimber is that of the position after it, where the table has nimbers.
	Nimber Nimber
	// Position is the text of the position after it.
	Position string
}

// MarshalJSON writes the JSON that tbquery and the HTTP API answer with.
func (a *Answer) MarshalJSON() ([]byte, error) {
	p := probe.Answer{
		Game: a.Game, Size: a.Size, Position: a.Position, Value: a.probed(), Nimber: a.Nimber.nimber, Terminal: a.Terminal, Source: probe.FromTable, Partial: a.Partial,
	}
	for _, m := range a.Moves {
		p.Moves = append(p.Moves, probe.Move{Move: m.Move, Value: m.probed(), Nimber: m.Nimber.nimber, Position: m.Position})
	}
	return p.MarshalJSON()
}

func newAnswer(p *probe.Answer) *Answer {
	a := &Answer{
		Game: p.Game, Size: p.Size, Position: p.Position, Value: newValue(p.Value), Nimber: Nimber{p.Nimber}, Terminal: p.Terminal, Partial: p.Partial,
		Moves: make([]Move, len(p.Moves)),
	}
	for i, m := range p.Moves {
		a.Moves[i] = Move{Move: m.Move, Value: newValue(m.Value), Nimber: Nimber{m.Nimber}, Position: m.Position}
	}
	return a
}

func newValue(v probe.Value) Value { return Value{Outcome(v.Outcome), v.Steps} }

func (v Value) probed() probe.Value {
	return probe.Value{Outcome: game.Outcome(v.Outcome), Steps: v.Steps}
}
