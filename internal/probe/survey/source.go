package survey

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// Table is an open table of either kind: a *probe.Table or a *probe.Sparse.
type Table = probe.AnyTable

// source is the part that differs by the kind of table. A class goes by its number in the file.
type source interface {
	rules() game.Rules
	start() game.State
	classes() []tablebase.ClassInfo
	// symmetries is how many symmetries the board has, the identity included.
	symmetries() int
	// scan reads a class run by run and calls f with each, until f fails. With one thread it also
	// ends when more is false. Several threads call f at once.
	scan(ctx context.Context, class, threads int, f func(r run) (more bool, err error)) error
	// random returns a random state of a stratum, or of all of a class if the weight is negative.
	random(class, weight int, r *rand.Rand) (game.State, error)
	nth(class, weight int, number uint64) (game.State, error)
	// first returns the text of a state of a class that matches. The counts must have some.
	first(ctx context.Context, class int, f Filter) (string, error)
	value(s game.State) (probe.Value, error)
	// place is where a state is stored, alike for symmetric ones.
	place(s game.State) (any, error)
	// weight is that of the stratum of a state with an index in its block, and marked the number of
	// marked cells in a stratum.
	weight(index uint32) int
	marked(class, weight int) int
	// describe adds what only one kind of table has.
	describe(s *Stats) error
	// against compares outcomes with the table in a file, which is to be closed unless nil.
	against(file string) (other io.Closer, compare comparison, err error)

	// recount compares checksums, and counts that are taken again from the states.
	recount(ctx context.Context, v *verification) error
	// deriveAll and deriveSample derive every state, and a random sample.
	deriveAll(ctx context.Context, v *verification) error
	deriveSample(ctx context.Context, v *verification) error
	// blockStates is how many states a block of a class has, but for its last one.
	blockStates(class int) uint64
	// deriveBlock returns what derives the states of a block of a class.
	deriveBlock(v *verification, class int) (func(ctx context.Context, block uint64) error, error)
}

func sourceOf(t Table) source {
	if t, ok := t.(*probe.Sparse); ok {
		return listed{t}
	}
	return grid{t.(*probe.Table)}
}

// RulesOf returns the rules of a table, and whether it has nimbers in place of steps.
func RulesOf(t Table) (rules game.Rules, nimbers bool) {
	g, ok := sourceOf(t).(grid)
	return sourceOf(t).rules(), ok && storesNimbers(g.table)
}

type run interface {
	// blocks is how many there are.
	blocks() int
	// times is the number of states of the whole game that each state of a block stands for.
	times(block int) (uint64, error)
	// nth returns the index of a matching state by its number, or else how many match.
	nth(block int, f Filter, number uint64) (index uint32, passed uint64, found bool)
	matching(block int, f Filter) iter.Seq[uint32]
	value(block int, index uint32) probe.Value
	// images are symmetries that make all images of a state, each once.
	images(block int, index uint32) []int
	state(block int, index uint32, symmetry int) (game.State, error)
}
