package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/internal/player/arena"
	"backsolve/research/internal/interval"
)

// doubling returns points whose time doubles from one to the next.
func doubling(games int, strengths ...float64) []matchPoint {
	points := stairs(games, strengths...)
	for i := range points {
		points[i].Iterations, points[i].SecondsPerMove = 1, math.Exp2(float64(i))/1024
	}
	return points
}

// The depths of ladders are known.
func TestDepth(t *testing.T) {
	const many = 2_000_000
	for _, c := range []struct {
		name      string
		strengths []float64
		want      float64
		text      string // but for the interval
	}{
		{"from a point to a point", []float64{0, 5, 5, 20, 45, 50}, 3, "3.0"},
		{"between points", []float64{0, 10, 40, 50}, 2, "2.0"},
		{"one step", []float64{0, 50}, 0.8, "0.8"},
		{"too late", []float64{20, 40, 50}, 1.5, "≥ 1.5"},
		{"unclosed", []float64{0, 10, 20}, 1.5, "≥ 1.5"},
		{"at the top at once", []float64{50, 50, 50}, 0, aboveAll},
		{"flat", []float64{1, 1, 1}, 0, belowAll},
		{"falls on the way", []float64{0, 10, 30, 20, 50}, 3.3, "3.3"}, // 25 twice; 45 at 0.8 of the last step
	} {
		f := fit(doubling(many, c.strengths...), 1)
		if d := f.depth(); math.Abs(d.doublings-c.want) > 0.011 || !strings.HasPrefix(f.text()+" (", c.text+" (") {
			t.Errorf("%s: %v, %s; want %v, %s", c.name, d, f.text(), c.want, c.text)
		}
	}
	// With few games 90 % is not always reached.
	if text := fit(doubling(40, 0, 10, 30, 45), 1).text(); !strings.HasSuffix(text, " or more)") {
		t.Error(text)
	}
}

// All times longer by a factor change no depth, and games more narrow its interval around it.
func TestDepthInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factor := rapid.Float64Range(0.01, 100).Draw(t, "factor")
		points := doubling(2000, 0, 3, 8, 20, 35, 42, 47, 49)
		one := fit(points, 1).text()
		for i := range points {
			points[i].SecondsPerMove *= factor
		}
		if again := fit(points, 1).text(); one != again {
			t.Fatalf("%s, but %s times the time gives %s", one, "some", again)
		}
	})
	for games, most := range map[int]float64{200: 2.5, 20_000: 0.4} {
		f := fit(doubling(games, 0, 3, 8, 20, 35, 42, 47, 49), 1)
		var all []float64
		for _, d := range f.drawn {
			all = append(all, depthIn(d, f.points).doublings)
		}
		low, high := interval.Middle(all)
		if d := f.depth().doublings; low > d || high < d || high-low > most || high == low {
			t.Errorf("%d games: %v to %v around %v", games, low, high, d)
		}
	}
}

// Ladders of mcts come first, the deepest of them before others; those without times are left
// out, and so are points off the grid.
func TestOrderOfDepth(t *testing.T) {
	ladderOf := func(game string, size int, strengths ...float64) *ladder {
		return &ladder{strength: data[matchPoint]{Settings: settings{Game: game, Size: size}, Points: doubling(2000, strengths...)}}
	}
	untimed := ladderOf("quixo", 2, 0, 10, 50)
	untimed.retime(nil)
	deep := ladderOf("quixo", 4, 0, 5, 10, 20, 45)
	for _, name := range []string{"minimax:depth=3", "minimax:depth=1", "minimax:depth=2", "greedy"} {
		p := matchPoint{Agent: name, Iterations: noIterations, Opponent: perfect.String(), Strength: float64(10 * effort(name)), BeganWins: 1, BeganLosses: 1}
		p.SecondsPerMove = 0.001
		deep.strength.Points = append(deep.strength.Points, p)
	}
	off := ladderOf("quixo", 3, 0, 0, 45, 45)
	off.strength.Points[1].Iterations, off.strength.Points[1].Strength = 300, 50
	other := ladderOf("nim", 5, 0, 20, 45)
	all := climbs([]*ladder{untimed, off, deep, other})
	var names []string
	for _, c := range all {
		names = append(names, c.word()+" "+c.kind)
	}
	if want := []string{"quixo-4x4 mcts", "quixo-3x3 mcts", "nim-5x5 mcts", "quixo-4x4 minimax"}; !slices.Equal(names, want) {
		t.Fatalf("%q, want %q", names, want)
	}
	if got := all[3].points; len(got) != 3 || got[0].Agent != "minimax:depth=1" || got[2].Strength != 30 {
		t.Errorf("%+v", got)
	}
	rows := depths(all)
	if rows[1][5][:4] != "3.0 " || rows[2][2] != "3" {
		t.Errorf("%q", rows)
	}
}

// The longest chain is found, also where a longer one is broken by a match that is not won clearly.
func TestRungs(t *testing.T) {
	match := func(agent, opponent string, wins int) matchPoint {
		s := &arena.Summary{Began: arena.Tally{Wins: wins, Losses: 100 - wins}}
		return newMatchPoint(agent, opponent, s, [2]arena.Tally{})
	}
	l := &ladder{strength: data[matchPoint]{Settings: settings{Game: "notakto", Size: 3}, Points: []matchPoint{
		match("mcts:100", "mcts:10", 80), match("mcts:100", "mcts:1", 99), match("mcts:10", "mcts:1", 74), match("mcts:10", "mcts:2", 75),
		match("mcts:2", "mcts:1", 60), match("mcts:500", "optimal", 99), match("mcts:1000", "mcts:100", 90), match("mcts:5", "mcts:1000", 90),
	}}}
	rows := rungs([]*ladder{l, {}})
	if want := []string{"Notakto 3×3", "≥ 4", "mcts:2 mcts:10 mcts:100 mcts:1000", ""}; len(rows) != 2 || !slices.Equal(rows[1], want) {
		t.Errorf("%q, want %q", rows, want)
	}
}

func TestGrid(t *testing.T) {
	for n, want := range map[int]bool{1: true, 2: true, 5: true, 10: true, 20: true, 50_000: true, 0: false, 3: false, 25: false, 150: false, 400: false} {
		if got := n != 0 && inGrid(n); got != want {
			t.Errorf("%d: %v", n, got)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	for seconds, want := range map[float64]string{2e-7: "0.00020", 0.000123: "0.12", 0.0015: "1.5", 0.012: "12", 1.234: "1234"} {
		if got := milliseconds(seconds); got != want {
			t.Errorf("%v s are %s ms, want %s", seconds, got, want)
		}
	}
}
