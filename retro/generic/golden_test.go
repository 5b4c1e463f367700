package generic

import (
	"fmt"
	"os"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/connect4"
	"backsolve/game/examples/morris"
	"backsolve/tablebase/sparse"
)

// The numbers of positions of Connect Four that play can reach are published
// (tromp.github.io/c4), as is who wins.
func TestConnect4(t *testing.T) {
	type board struct {
		columns, rows, states int
		value                 sparse.Value
	}
	boards := []board{
		{1, 8, 9, sparse.Value{Outcome: game.Draw, Steps: -1}},
		{4, 4, 161029, sparse.Value{Outcome: game.Draw, Steps: -1}},
		{4, 5, 1706255, sparse.Value{Outcome: game.Draw, Steps: -1}},
	}
	if os.Getenv("BACKSOLVE_LONG") != "" {
		boards = append(boards, board{5, 4, 3945711, sparse.Value{Outcome: game.Draw, Steps: -1}}, board{5, 5, 69763700, sparse.Value{Outcome: game.Draw, Steps: -1}},
			board{6, 4, 94910577, sparse.Value{Outcome: game.Lose, Steps: 24}})
	}
	for _, want := range boards {
		for _, mirror := range []bool{false, true} {
			t.Run(fmt.Sprintf("%dx%d mirror %v", want.columns, want.rows, mirror), func(t *testing.T) {
				g, err := connect4.New(want.columns, want.rows, mirror)
				if err != nil {
					t.Fatal(err)
				}
				values := quickly(t, custom.NewRules[connect4.State](g), Options{})
				if got := values[g.Key(g.Start())]; got != want.value {
					t.Errorf("the start is %v, want %v", got, want.value)
				}
				states := len(values)
				if mirror {
					states = 0
					for key := range values {
						if s := g.FromKey(key); g.Images(nil, s)[0] == s {
							states++
						} else {
							states += 2
						}
					}
				}
				if states != want.states {
					t.Errorf("%d states, want %d", states, want.states)
				}
			})
		}
	}
}

// The numbers of positions of Six Men's Morris with four, five and six men are known, and
// that it is drawn. Three men have the same values whether symmetric states are one or not.
func TestMorris(t *testing.T) {
	for men, states := range map[int]int{3: 0, 4: 4111151, 5: 17844721, 6: 42372745} {
		if men > 3 && os.Getenv("BACKSOLVE_LONG") == "" {
			continue
		}
		g := morris.Game{Men: men, Turn: true}
		if err := custom.Check[morris.State](g, 200, 1); err != nil {
			t.Fatal(err)
		}
		values := quickly(t, custom.NewRules[morris.State](g), Options{})
		if got := values[g.Key(g.Start())]; men > 3 && (len(values) != states || got.Outcome != game.Draw) {
			t.Errorf("%d men: %d states, want %d; the start is %v, want a draw", men, len(values), states, got)
		}
		seen := morris.Game{Men: men}
		less := quickly(t, custom.NewRules[morris.State](seen), Options{})
		for key, v := range values {
			s := g.FromKey(key)
			if got, ok := less[seen.Key(s)]; !ok || got != v {
				t.Fatalf("%s is %v, and with symmetric states as one %v", g.Format(s), v, got)
			}
		}
	}
}
