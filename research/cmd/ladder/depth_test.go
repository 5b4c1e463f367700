package main

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The rungs of ladders with many games are known.
func TestRungs(t *testing.T) {
	const many = 200_000
	for _, c := range []struct {
		name      string
		games     int
		opponent  string
		strengths []float64
		rungs     []int // their places
		plateau   int
		text      string // the plateau
		count     string
	}{
		{"flat", many, "optimal", []float64{2, 2, 2, 2, 2}, []int{0}, 0, "no rung yet", "0 or more"},
		{"a perfect foot", many, "optimal", []float64{50, 50, 50}, []int{0}, 0, "0 (0 to 0)", "0"},
		{"four rungs", many, "optimal", []float64{0, 0, 12, 12, 24, 24, 36, 36, 48, 48}, []int{0, 2, 4, 6, 8}, 8, "100000000 (100000000 to 100000000)", "4"},
		{"one step", many, "optimal", []float64{0, 0, 0, 50, 50, 50}, []int{0, 3}, 3, "1000 (1000 to 1000)", "1"},
		{"steps below the margin", many, "optimal", []float64{0, 4, 8, 12, 16, 16, 16}, []int{0, 2, 4}, 3, "beyond 1000000 (beyond 1000000 to beyond 1000000)", "2 or more"},
		{"levelled", many, "greedy", []float64{0, 30, 60, 60, 62}, []int{0, 1, 2}, 2, "100 (100 to 100)", "2"},
		{"not levelled", many, "greedy", []float64{0, 30, 60}, []int{0, 1, 2}, 2, "beyond 100 (beyond 100 to beyond 100)", "2 or more"},
		{"still rising", many, "optimal", []float64{0, 10, 20, 30}, []int{0, 1, 2, 3}, 3, "beyond 1000 (beyond 1000 to beyond 1000)", "3 or more"},
		{"few games", 20, "optimal", []float64{20, 30, 20, 30, 30, 30}, []int{0}, 0, "no rung yet", "0 or more"},
	} {
		// The iterations are 0, 10, 100, 1000 and so on.
		got := newClimbed(board{"quixo", 3}, c.opponent, stairs(c.games, c.strengths...))
		if !slices.Equal(got.rungs, c.rungs) || c.games == many && got.plateau != c.plateau {
			t.Errorf("%s: rungs %v, plateau %d; want %v, %d", c.name, got.rungs, got.plateau, c.rungs, c.plateau)
		}
		if text := got.plateauText(); text != c.text || got.count() != c.count {
			t.Errorf("%s: plateau %s, %s rungs; want %s, %s", c.name, text, got.count(), c.text, c.count)
		}
	}
}

// No sequence of points, each above the one before, is longer than the rungs; and above is
// transitive.
func TestRungsAreTheMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strengths := rapid.SliceOfN(rapid.Float64Range(0, 50), 1, 7).Draw(t, "strengths")
		f := fit(stairs(rapid.SampledFrom([]int{20, 200, 2000}).Draw(t, "games"), strengths...), 1)
		// longest[i] is the longest row that ends with point i, by trying all before it.
		longest, most := make([]int, len(strengths)), 0
		for i := range strengths {
			longest[i] = 1
			for j := range i {
				if f.above(i, j) {
					longest[i] = max(longest[i], longest[j]+1)
				}
			}
			most = max(most, longest[i])
		}
		rungs := f.rungs()
		if len(rungs) != most {
			t.Fatalf("%d rungs, the longest row has %d", len(rungs), most)
		}
		for k, i := range rungs[1:] {
			for j := range rungs[k] + 1 {
				if !f.above(i, j) {
					t.Fatalf("%d is above %d, but not above %d", i, rungs[k], j)
				}
			}
		}
	})
}

func TestRises(t *testing.T) {
	for _, c := range []struct {
		strengths []float64
		want      int
	}{{[]float64{3}, 0}, {[]float64{0, 4.9}, 0}, {[]float64{0, 5}, 1}, {[]float64{0, 3, 6, 9, 12}, 2}, {[]float64{0, 50}, 1}, {[]float64{10, 15, 20, 24}, 2}} {
		if got := rises(c.strengths); got != c.want {
			t.Errorf("%v rise %d times, want %d", c.strengths, got, c.want)
		}
	}
}

// The deepest ladder comes first; of equal ones, the one that takes longer.
func TestOrderOfDepth(t *testing.T) {
	const many = 200_000
	ladderOf := func(size int, strengths ...float64) *ladder {
		return &ladder{board: board{"quixo", size}, strength: &data[matchPoint]{Points: stairs(many, strengths...)}}
	}
	reference := ladderOf(9, 0, 30, 60, 90)
	reference.board, reference.opponent = board{"uttt", 9}, perfect.String()
	g := &ladders{
		Boards:     []*ladder{ladderOf(2, 0, 50, 50, 50), ladderOf(3, 0, 10, 20, 20), ladderOf(4, 0, 0, 10, 20), ladderOf(5, 7)},
		references: []*ladder{reference},
	}
	all := g.climbs()
	var names []string
	for _, c := range all {
		names = append(names, boardName(c.board))
	}
	if want := []string{"Ultimate Tic-Tac-Toe 9×9", "Quixo 4×4", "Quixo 3×3", "Quixo 2×2"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	d := newDepth(all)
	if len(d.Rows) != 5 || !slices.Equal(d.Plots, []string{"fit-quixo", "fit-uttt"}) {
		t.Errorf("%+v", d)
	}
	if len(d.Shown)+len(d.None) != len(d.Rows) || !slices.Equal(d.Shown[1][:3], []string{d.Rows[1][0], d.Rows[1][1], d.Rows[1][5]}) {
		t.Errorf("the page shows %q, without a rung %q", d.Shown, d.None)
	}
	if row := strings.Join(d.Rows[3], " | "); !strings.HasPrefix(row, "Quixo 3×3 | `optimal` | 4 | 20.0 (") || !strings.HasSuffix(row, " | beyond 1000 (beyond 1000 to beyond 1000) | 2 or more | 10 (0.011), 100 (0.10) | 2 (2 to 2)") {
		t.Error(row)
	}
}

func TestMilliseconds(t *testing.T) {
	for seconds, want := range map[float64]string{2e-7: "0.00020", 0.000123: "0.12", 0.0015: "1.5", 0.012: "12", 1.234: "1234"} {
		if got := milliseconds(seconds); got != want {
			t.Errorf("%v s are %s ms, want %s", seconds, got, want)
		}
	}
}
