package generic

import (
	"fmt"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/chomp"
	"backsolve/game/examples/connect4"
	"backsolve/game/examples/dominoes"
	"backsolve/game/examples/hounds"
	"backsolve/game/examples/morris"
	"backsolve/game/examples/teeko"
	"backsolve/game/holestest"
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
		if testing.Short() && want.states > 1e6 {
			continue // it takes long under the race detector; 4×4 has the same threads
		}
		for _, mirror := range []bool{false, true} {
			if testing.Short() && !mirror && want.states > 1e5 {
				continue
			}
			if !mirror && want.states > 1e6 && (want.states == 69763700 || os.Getenv("BACKSOLVE_LONG") == "") {
				continue
			}
			t.Run(fmt.Sprintf("%dx%d mirror %v", want.columns, want.rows, mirror), func(t *testing.T) {
				g, err := connect4.New(want.columns, want.rows, mirror)
				if err != nil {
					t.Fatal(err)
				}
				rules := custom.NewRules[connect4.State](g)
				values := quickly(t, rules, Options{})
				if got := values[rules.Start()]; got != want.value {
					t.Errorf("the start is %v, want %v", got, want.value)
				}
				states := len(values)
				if mirror {
					states = 0
					for at := range values {
						if s := g.FromKey(at.Key); g.Images(nil, s)[0] == s {
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

// Whole boards without mirror images, too large for a map of their values.
func TestConnect4Whole(t *testing.T) {
	boards := map[[2]int]uint64{{4, 4}: 161029}
	if os.Getenv("BACKSOLVE_LONG") != "" {
		boards = map[[2]int]uint64{{5, 5}: 69763700, {5, 6}: 1044334437, {6, 5}: 2818972642} // the last takes 20 GB of disk
	}
	for board, states := range boards {
		t.Run(fmt.Sprintf("%dx%d", board[0], board[1]), func(t *testing.T) {
			g, err := connect4.New(board[0], board[1], false)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Solve(t.Context(), filepath.Join(t.TempDir(), "work"), custom.NewRules(g), Options{Memory: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range s.Tier(0) {
				if uint64(s.States()) != states || v.Outcome != game.Draw {
					t.Errorf("%d states, the start is %v; want %d and a draw", s.States(), v, states)
				}
			}
			if err := s.Remove(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The numbers of positions of Six Men's Morris with four, five and six men are known, and
// that it is drawn. Three men have the same values whether symmetric states are one or not.
func TestMorris(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector; the drawn games are solved there, too")
	}
	for men, states := range map[int]int{3: 0, 4: 4111151, 5: 17844721, 6: 42372745} {
		if men > 3 && os.Getenv("BACKSOLVE_LONG") == "" {
			continue
		}
		g := morris.Game{Men: men, Turn: true}
		if err := custom.Check[morris.State](g, 200, 1); err != nil {
			t.Fatal(err)
		}
		rules := custom.NewRules[morris.State](g)
		values := quickly(t, rules, Options{})
		if got := values[rules.Start()]; men > 3 && (len(values) != states || got.Outcome != game.Draw) {
			t.Errorf("%d men: %d states, want %d; the start is %v, want a draw", men, len(values), states, got)
		}
		seen := morris.Game{Men: men}
		less, number := quickly(t, custom.NewRules[morris.State](seen), Options{}), custom.NumberOf(seen)
		for at, v := range values {
			text := g.Format(g.FromKey(at.Key))
			s, err := seen.Parse(strings.Replace(text, fmt.Sprintf("+%d", 2*men+1), fmt.Sprintf("+%d", 2*men), 1))
			if got, ok := less[number(s)]; err != nil || !ok || got != v {
				t.Fatalf("%s is %v, and with symmetric states as one %v, %v", text, v, got, err)
			}
		}
	}
}

// solved checks a game's rules, compares all its values with those of the slow solver where
// there are few, and returns the value of the start and the number of states.
func solved[S comparable](t *testing.T, g custom.Game[S]) (sparse.Value, int) {
	t.Helper()
	if err := custom.Check(g, 100, 1); err != nil {
		t.Fatalf("%s: %v", g.Name(), err)
	}
	rules := custom.NewRules(g)
	values := quickly(t, rules, Options{})
	if len(values) < 20000 && !maps.Equal(values, slowly(rules)) {
		t.Errorf("%s: other values than the definition gives", g.Name())
	}
	return values[rules.Start()], len(values)
}

// What is known of the examples: who wins, and how many states there are.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector; the drawn games are solved there, too")
	}
	long := os.Getenv("BACKSOLVE_LONG") != ""
	want := func(name string, outcome game.Outcome, states int) func(sparse.Value, int) {
		return func(v sparse.Value, n int) {
			t.Logf("%s: %v, %d states", name, v, n)
			if v.Outcome != outcome || states > 0 && n != states {
				t.Errorf("%s: %v and %d states, want %v and %d", name, v, n, outcome, states)
			}
		}
	}
	// The bars of chocolate are the Young diagrams in a rectangle, and who begins wins, as
	// by a strategy stolen from the other.
	want("chomp", game.Win, 70)(solved(t, chomp.Game{Rows: 4, Columns: 4}))
	want("chomp", game.Win, 1716)(solved(t, chomp.Game{Rows: 6, Columns: 7}))
	want("chomp", game.Lose, 2)(solved(t, chomp.Game{Rows: 1, Columns: 1}))
	// Domineering: Breuker, Uiterwijk, van den Herik, Solving 8×8 Domineering (2000).
	for n, outcome := range map[int]game.Outcome{1: game.Lose, 2: game.Win, 3: game.Win, 4: game.Win, 5: game.Lose} {
		if n < 5 || long {
			want("domineering", outcome, 0)(solved(t, dominoes.Game{Rows: n, Columns: n}))
		}
	}
	// Cram: by symmetry the second player wins where both sides are even, the first one where
	// one is.
	want("cram", game.Lose, 0)(solved(t, dominoes.Game{Rows: 4, Columns: 4, Cram: true}))
	want("cram", game.Win, 0)(solved(t, dominoes.Game{Rows: 3, Columns: 4, Cram: true}))
	want("cram", game.Win, 0)(solved(t, dominoes.Game{Rows: 4, Columns: 5, Cram: true}))
	// Dodgem: Berlekamp, Conway, Guy, Winning Ways (3×3); des Jardins (4×4).
	want("dodgem", game.Win, 0)(solved(t, dodgem{N: 3}))
	// Othello 4×4 is won by the second player.
	want("othello", game.Lose, 0)(solved(t, othello4{}))
	// The hounds win: Winning Ways, the French Military Hunt.
	want("hounds", game.Win, 0)(solved(t, hounds.Game{}))
	want("nine holes", game.Draw, 0)(solved(t, holestest.Game{}))
	want("tapatan", game.Win, 0)(solved(t, tapatan{}))
	want("teeko", game.Draw, 0)(solved(t, teeko.Game{N: 4}))
	if long {
		want("dodgem", game.Draw, 0)(solved(t, dodgem{N: 4}))
		// Guy Steele (1998).
		want("teeko", game.Draw, 0)(solved(t, teeko.Game{N: 5}))
	}
}

// tapatan is Nine Holes in which men move along lines, diagonals through the centre included, which
// count, too. A player who cannot move loses.
type tapatan struct{ holestest.Game }

func (tapatan) Name() string { return "tapatan" }

func (g tapatan) Terminal(s holestest.State) (game.Outcome, bool) {
	_, over := g.Game.Terminal(s)
	theirs := g.Key(s) & 0o777
	return game.Lose, over || theirs&0o421 == 0o421 || theirs&0o124 == 0o124 || len(g.Moves(nil, s)) == 0
}

func (g tapatan) Moves(dst []holestest.State, s holestest.State) []holestest.State {
	return append(dst, slices.DeleteFunc(g.Game.Moves(nil, s), func(after holestest.State) bool {
		before, men := g.Key(s)>>9, g.Key(after)&0o777
		if before&^men == 0 {
			return false // a man is placed
		}
		from, to := bits.TrailingZeros64(before&^men), bits.TrailingZeros64(men&^before)
		row, column := from/3-to/3, from%3-to%3
		d := row*row + column*column
		return d > 2 || d == 2 && from != 4 && to != 4
	})...)
}
