package survey

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"backsolve/game"
)

// Readers return the same whatever the length of a run.
func TestRuns(t *testing.T) {
	defer func(old int) { runWords = old }(runWords)
	for _, board := range []string{"quixo", "notakto"} {
		table := open(t, board, 3, true)
		if board == "notakto" {
			table = open(t, board, 4, true)
		}
		read := func() (all []any) {
			states := make([]Stored, StoredStates(table))
			n, err := Read(table, 0, states)
			if err != nil || n != len(states) {
				t.Fatal(n, err)
			}
			stats, err := Summarize(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			verified, err := Verify(t.Context(), table, VerifyOptions{Sample: 5, Seed: 3}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			class := table.Stored().Classes()[len(table.Stored().Classes())/2].Class
			won := Filter{Outcome: new(game.Win)}
			all = append(all, states, stats, verified, selectAll(t, table, Selection{Class: &class}), selectAll(t, table, Selection{Class: &class, Filter: won}))
			for seed := range uint64(3) {
				all = append(all, selectAll(t, table, Selection{Sample: 40, Seed: seed}))
				p, err := Random(t.Context(), table, won, rand.New(rand.NewPCG(seed, 1)))
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, p)
			}
			return all
		}
		runWords = 1 << 15
		want := read()
		for _, runWords = range []int{1, 5} {
			for i, got := range read() {
				if !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%s by %d words: part %d is another", board, runWords, i)
				}
			}
		}
	}
}
