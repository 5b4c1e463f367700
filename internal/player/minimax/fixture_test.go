package minimax

import (
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

func makeAgent(t testing.TB, rules game.Grid, o Options) player.Agent {
	t.Helper()
	return New(game.Opaque[game.Position](rules), o)
}

// begun returns a searcher with an empty table, ready for a move.
func begun(t testing.TB, rules game.Grid, o Options, seed uint64) *searcher[search.Masks] {
	t.Helper()
	s := newSearcher(makeAgent(t, rules, o).(*agent[search.Masks]), player.NewRand(seed))
	s.begin(t.Context(), &player.Search{})
	return s
}

// deepen searches a state to a depth, with the table as it is.
func deepen(t testing.TB, s *searcher[search.Masks], root search.Masks, depth int) (game.Move, int) {
	t.Helper()
	s.options.Depth = depth
	s.begin(t.Context(), &player.Search{})
	return s.deepen(root)
}

func over(rules game.Grid, p game.Position) bool {
	_, over := rules.Terminal(p)
	return over
}
