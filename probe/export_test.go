package probe

import "backsolve/game"

// What tests need beside what is exported.
var (
	AppendText = appendText
	ParseShape = parseShape
	ShapeGame  = shapeGame
)

// NewPairing returns the pairing of a board of any size, even where there can be a
// table.
func NewPairing(n int) Answerer { return newPairing(n) }

// NewExact returns what answers for rules whose states are known without a table, where
// so many values may be kept.
func NewExact(rules game.Rules, limit int) Answerer {
	known, _ := game.ExactOf(rules)
	return newExact(rules, known, FromFormula, limit)
}

// SolveSmall returns what solves a board one state at a time, where so many values may
// be kept.
func SolveSmall(rules game.Rules, key func(game.State) uint64, limit int) func(game.State) (Value, error) {
	return newSmall(rules, key, limit).value
}

// IsPlaced reports whether a table's blocks were found where they are numbered.
func IsPlaced(t *Table) bool { return t.placed }

// SortShort is the sort of a few numbers.
var SortShort = sortShort
