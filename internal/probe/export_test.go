package probe

import (
	"context"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/partition"
)

// Unexported functions for tests.
var (
	AppendText = appendText
	ParseShape = parseShape
)

// ShapeGame returns the game in the shape of a table of a board after given moves.
func ShapeGame(board game.Info, taken uint64) string {
	return Shape(&partition.Space{Facts: partition.Facts{Game: board.Name, Size: board.Size, Taken: taken}}, false).Game
}

// AppendAnswer appends to dst the JSON of the answer to a position.
func (t *Table) AppendAnswer(dst []byte, p game.Position) ([]byte, error) {
	defer t.stored.ShareDeadline()()
	dst, _, err := t.appendAnswer(dst, p, batched{})
	return dst, err
}

// Answer returns the answer to a position, without a line.
func (t *Table) Answer(p game.Position) (*Answer, error) { return t.AskState(nil, p, NoLine) }

// Line returns the main line from a position.
func (t *Table) Line(p game.Position, maxPlies int) (*Line, error) {
	a, err := t.AskState(nil, p, maxPlies)
	if err != nil {
		return nil, err
	}
	return a.Line, nil
}

// NewPairing returns the pairing strategy of a board, even if it can have a table.
func NewPairing(n int) Answerer {
	a, _ := pairingStrategy.New(notakto.Game.New(n))
	return a
}

// NewExact returns an answerer for rules whose states are known without a table, which keeps
// at most limit solved values.
func NewExact(rules game.Rules, limit int) Answerer {
	known, _ := game.ExactOf(rules)
	return newExact(rules, known, FromFormula, limit)
}

// MemoSolve returns the function of a memo solver that keeps at most limit values.
func MemoSolve(rules game.Rules, key func(game.State) uint64, limit int) func(game.State) (Value, error) {
	return newMemoSolver(context.Background(), rules, key, limit).value
}

// IsPlaced reports whether a table's blocks are where the numbering expects them.
func IsPlaced(t *Table) bool { return t.placed }

// Trusting reports of each file of a table whether what was checked once is not checked again.
func Trusting(t *Table) (files []bool) {
	for _, s := range t.files() {
		files = append(files, s.stored.Trusting())
	}
	return files
}

// SortShort is the insertion sort of rankings.
var SortShort = sortShort
