package backsolve

import (
	"backsolve/game"
	"backsolve/internal/probe"
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

// Value is the game-theoretic value of a position for the player to move, or of a move for
// the player who makes it.
type Value struct {
	Outcome Outcome
	// Steps is the number of plies to the end under best play, −1 for a draw and in a table
	// without steps.
	Steps int
}

// String returns the value in words: win in 21, draw, lose.
func (v Value) String() string { return v.probed().String() }

// Nimber is the Grundy value of a position, if known: the size of the Nim heap that the
// position equals if both players have the same moves and a player who cannot move loses. It
// is 0 if the player to move loses. The nimber of a sum of positions is the XOR of theirs.
// The zero value is unknown.
type Nimber struct{ nimber probe.Number }

// Value returns the Grundy value, and whether it is known.
func (n Nimber) Value() (value int, known bool) { return n.nimber.Value() }

// String returns the Grundy value, or a dash if it is unknown.
func (n Nimber) String() string { return n.nimber.String() }

// Answer is all that a table knows about a position.
type Answer struct {
	// Game and Size are as in Board.
	Game, Size string
	// Position is the text of the position, with the side to move written out.
	Position string
	Value
	// Nimber is known if the table has nimbers.
	Nimber Nimber
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	// Moves are the legal moves, the best first: wins with the fewest steps first, then
	// draws, then losses with the most steps. Ties are ordered by their text.
	Moves []Move
	// Partial says that moves of unknown value, which leave an opening table, are left out.
	// The best one is never left out.
	Partial bool
}

// Move is a legal move.
type Move struct {
	// Move is its text: d1d4.
	Move string
	// Value is for the player who makes it, with steps counted from the position before
	// it.
	Value
	// Nimber is the nimber of the position after it, known if the table has nimbers.
	Nimber Nimber
	// Position is the text of the position after it.
	Position string
}

// MarshalJSON writes the JSON that tbquery and the HTTP API answer with.
func (a *Answer) MarshalJSON() ([]byte, error) {
	size, _ := game.ParseSize(a.Size)
	p := probe.Answer{
		Game: a.Game, Size: int(size), Position: a.Position, Value: a.probed(), Nimber: a.Nimber.nimber, Terminal: a.Terminal, Source: probe.FromTable, Partial: a.Partial,
	}
	for _, m := range a.Moves {
		p.Moves = append(p.Moves, probe.Move{Move: m.Move, Value: m.probed(), Nimber: m.Nimber.nimber, Position: m.Position})
	}
	return p.MarshalJSON()
}

func newAnswer(p *probe.Answer) *Answer {
	a := &Answer{
		Game: p.Game, Size: game.Size(p.Size).String(), Position: p.Position, Value: newValue(p.Value), Nimber: Nimber{p.Nimber}, Terminal: p.Terminal, Partial: p.Partial,
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
