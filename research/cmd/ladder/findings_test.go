package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"backsolve/internal/player"
	"backsolve/internal/player/arena"
)

// pointOf returns a match of 200 games with a strength, half of it won as first player.
func pointOf(agent string, opponent player.Strength, strength float64) matchPoint {
	wins := int(math.Round(2 * strength))
	began := min(100, wins)
	return newMatchPoint(agent, opponent.String(), &arena.Summary{
		Began:   arena.Tally{Wins: began, Losses: 100 - began},
		Replied: arena.Tally{Wins: wins - began, Losses: 100 - (wins - began)},
	})
}

// climbOf returns a ladder with strengths against a perfect player at 0, 100, 200 …
// iterations.
func climbOf(game string, size int, strengths ...float64) *ladder {
	l := &ladder{board: board{game, size}, strength: &data[matchPoint]{Settings: settings{Game: game, Size: size, Games: 200, Start: "win in 7"}}}
	for i, s := range strengths {
		l.strength.Points = append(l.strength.Points, pointOf(fmt.Sprintf("mcts:%d", 100*i), perfect, s))
	}
	return l
}

// examine adds the accuracy of an agent in 1000 positions.
func (l *ladder) examine(agent string, lenient, strict int) {
	if l.accuracy == nil {
		l.accuracy = &data[accuracyPoint]{}
	}
	l.accuracy.Points = append(l.accuracy.Points, newAccuracyPoint(agent, &arena.Accuracy{States: 1000, Lenient: lenient, Strict: strict}))
}

func TestRise(t *testing.T) {
	for _, c := range []struct {
		verdict string
		note    string
		boards  []*ladder
	}{
		{visible, "", []*ladder{climbOf("quixo", 3, 5, 30, 49), climbOf("quixo", 4, 0, 10, 49)}},
		{partlyVisible, "On Quixo 4×4 it still rises at 200 iterations and wins 40 % as first, 0 % as second player.",
			[]*ladder{climbOf("quixo", 3, 5, 30, 49), climbOf("quixo", 4, 0, 10, 20)}},
		{notVisible, "On Quixo 4×4 it still rises at 100 iterations and wins 40 % as first, 0 % as second player.",
			[]*ladder{climbOf("quixo", 4, 0, 20)}},
		{notVisible, "On Notakto 3×3 no rise shows.", []*ladder{climbOf("notakto", 3, 45, 47, 49)}},
		{notMeasured, "", []*ladder{climbOf("quixo", 3, 5)}},
	} {
		f := rise(&ladders{Boards: c.boards})
		if n := len(f.On) + len(f.NotOn); c.verdict != notMeasured && n != len(c.boards) || !strings.Contains(f.Where(), strings.Join(f.NotOn, ", ")) {
			t.Errorf("%q names %d boards of %d", f.Where(), n, len(c.boards))
		}
		if verdictOf(f) != c.verdict || !slices.Equal(f.Notes, slices.DeleteFunc([]string{c.note}, func(s string) bool { return s == "" })) {
			t.Errorf("%s, %q; want %s, %q", verdictOf(f), f.Notes, c.verdict, c.note)
		}
	}
}

func TestPlateaus(t *testing.T) {
	early, late, never := []float64{0, 44, 46, 50, 49}, []float64{0, 10, 20, 44, 50, 50}, []float64{0, 1, 2}
	for _, c := range []struct {
		verdict string
		at      []string
		note    string // its beginning
		boards  []*ladder
	}{
		{visible, []string{"200", "400"}, "", []*ladder{climbOf("quixo", 3, early...), climbOf("quixo", 4, late...)}},
		{visible, []string{"200", "beyond 200"}, "", []*ladder{climbOf("quixo", 3, early...), climbOf("quixo", 5, never...)}},
		{notVisible, []string{"400", "200"}, "Difficulty also depends", []*ladder{climbOf("quixo", 3, late...), climbOf("quixo", 4, early...)}},
		{notVisible, []string{"beyond 200", "beyond 200"}, "In Quixo no board reaches its plateau", []*ladder{climbOf("quixo", 3, never...), climbOf("quixo", 4, never...)}},
		{notVisible, []string{"200", "200"}, "Difficulty", []*ladder{climbOf("quixo", 3, early...), climbOf("quixo", 4, early...)}},
		{partlyVisible, []string{"200", "400", "400", "200"}, "Difficulty", []*ladder{
			climbOf("quixo", 3, early...), climbOf("quixo", 4, late...), climbOf("notakto", 3, late...), climbOf("notakto", 4, early...),
		}},
		{notMeasured, []string{"200"}, "", []*ladder{climbOf("quixo", 3, early...)}},
	} {
		f := plateaus(&ladders{Boards: c.boards})
		var at []string
		for _, row := range f.Rows[1:] {
			at = append(at, row[2])
		}
		if verdictOf(f) != c.verdict || !slices.Equal(at, c.at) || !strings.HasPrefix(strings.Join(f.Notes, "\n"), c.note) || c.note == "" && f.Notes != nil {
			t.Errorf("%s at %q, %q; want %s at %q, %q", verdictOf(f), at, f.Notes, c.verdict, c.at, c.note)
		}
	}
}

func TestMeasures(t *testing.T) {
	good, bad, blind := climbOf("quixo", 3, 1), climbOf("quixo", 4, 1), climbOf("notakto", 6, 1)
	good.examine("mcts:0", 700, 400)
	good.examine("optimal", 1000, 1000)
	bad.examine("mcts:0", 400, 700)
	blind.examine("mcts:0", 700, -1)
	f := measures(&ladders{Boards: []*ladder{good, blind}})
	if verdictOf(f) != visible || len(f.Notes) != 1 || !slices.Equal(f.Rows[1], []string{"Quixo 3×3", "2", "0", "0.0 %", "30.0 %", visible}) {
		t.Errorf("%+v", f)
	}
	if f := measures(&ladders{Boards: []*ladder{good, bad}}); verdictOf(f) != partlyVisible {
		t.Errorf("%+v", f)
	}
	if f := measures(&ladders{Boards: []*ladder{blind}}); verdictOf(f) != notMeasured {
		t.Errorf("%+v", f)
	}
}

// All 100 games as first player won and all others lost: Wilson's intervals end 3.7 % from
// there, so a strength is within 1.85 of 50, and the mean difference of two pairs, whose four
// squares add, within 3.7/2.
func TestPolicies(t *testing.T) {
	mild := player.Strength{Policy: player.Optimal, Blunder: 0.1}
	hard := player.Strength{Policy: player.Shortest, Blunder: 0.1}
	build := func(against, quicker float64) *ladder {
		l := climbOf("quixo", 3, 1)
		for _, agent := range []string{"mcts:0", "mcts:100"} {
			l.strength.Points = append(l.strength.Points, pointOf(agent, mild, against), pointOf(agent, hard, quicker))
		}
		return l
	}
	f := policies(&ladders{Boards: []*ladder{build(50, 50)}})
	if verdictOf(f) != notVisible || f.Rows[1][3] != "+0.0 (-1.8 to +1.8)" || !slices.Equal(f.Rows[1], []string{"Quixo 3×3", "0.1", "2", f.Rows[1][3], ""}) {
		t.Errorf("%+v", f)
	}
	if !strings.Contains(f.Notes[0], "the difference is within chance") {
		t.Errorf("%q", f.Notes)
	}
	if f := policies(&ladders{Boards: []*ladder{build(60, 50)}}); verdictOf(f) != visible || f.Notes != nil {
		t.Errorf("%+v", f)
	}
	if f := policies(&ladders{Boards: []*ladder{build(40, 50)}}); verdictOf(f) != notVisible || !strings.Contains(f.Notes[0], "it is the reverse") {
		t.Errorf("%+v", f)
	}
	if f := policies(&ladders{Boards: []*ladder{climbOf("quixo", 3, 1, 2)}}); verdictOf(f) != notMeasured {
		t.Errorf("%+v", f)
	}
}

func TestLearning(t *testing.T) {
	build := func(q float64, lenient int) *ladder {
		l := climbOf("quixo", 3, 1, 20, 50)
		l.strength.Points = append(l.strength.Points, pointOf(byActions, perfect, q))
		l.examine("mcts:0", 500, -1)
		l.examine("mcts:200", 950, -1)
		l.examine(byActions, lenient, -1)
		return l
	}
	f := learning(&ladders{Boards: []*ladder{build(15, 600)}})
	if verdictOf(f) != visible || f.Rows[1][3] != "100 iterations" {
		t.Errorf("%+v", f)
	}
	for _, c := range []struct {
		strength float64
		lenient  int
		passed   string
		note     string
	}{
		{48, 600, "200 iterations", "On Quixo 3×3 `mcts` is ahead by 2.0 in strength and 35.0 % in accuracy, but intervals overlap."},
		{15, 945, "100 iterations", "On Quixo 3×3 `mcts` is ahead by 35.0 in strength and 0.5 % in accuracy, but intervals overlap."},
		{60, 600, "none", "On Quixo 3×3 `mcts` with 200 iterations is not stronger."},
	} {
		f := learning(&ladders{Boards: []*ladder{build(c.strength, c.lenient)}})
		if verdictOf(f) != notVisible || !slices.Equal(f.Notes, []string{c.note}) || f.Rows[1][3] != c.passed {
			t.Errorf("%+v", f)
		}
	}
	if f := learning(&ladders{Boards: []*ladder{climbOf("quixo", 3, 1, 2)}}); verdictOf(f) != notMeasured {
		t.Errorf("%+v", f)
	}
}

// Lengths of 3, 5 and 7 have the mean 5 and the standard deviation 2.
func TestLength(t *testing.T) {
	p := matchPoint{Lost: 3, LostPlies: 15, LostPliesSquared: 83}
	e, ok := p.length()
	if half := 1.959963984540054 * 2 / math.Sqrt(3); !ok || e.Value != 5 || math.Abs(e.High-5-half) > 1e-9 || math.Abs(5-e.Low-half) > 1e-9 {
		t.Errorf("%+v", e)
	}
	if e, ok := (&matchPoint{Lost: 1, LostPlies: 4, LostPliesSquared: 16}).length(); !ok || e != (arena.Estimate{Value: 4, Low: 4, High: 4}) {
		t.Errorf("%+v", e)
	}
	if _, ok := (&matchPoint{}).length(); ok {
		t.Error("no game has a length")
	}
}

// The wins as first and second player, also against itself.
func TestWinShares(t *testing.T) {
	l := &ladder{players: &data[matchPoint]{Points: []matchPoint{
		{Agent: "a", Opponent: "random", BeganWins: 8, BeganLosses: 2, RepliedWins: 3, RepliedDraws: 1, RepliedLosses: 6},
		{Agent: "a", Opponent: itself, BeganWins: 8, BeganLosses: 2, RepliedWins: 4, RepliedLosses: 6},
	}}}
	if got := l.WinShares("a", "random"); !slices.Equal(got, []string{"80 %", "30 %"}) {
		t.Errorf("%q", got)
	}
	if got := l.WinShares("a", itself); !slices.Equal(got, []string{"70 %", "30 %"}) {
		t.Errorf("%q", got)
	}
	if got := l.WinShares("b", "random"); !slices.Equal(got, []string{"-", "-"}) {
		t.Errorf("%q", got)
	}
}

func TestParseStrength(t *testing.T) {
	names, err := (&matchSeries{policies: []string{"optimal", "shortest"}, blunders: []string{"0", "0.01", "0.5"}}).opponents()
	if err != nil || len(names) != 6 {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range names {
		if s, err := parseStrength(name); err != nil || s.String() != name {
			t.Errorf("%s is read as %v, %v", name, s, err)
		}
	}
	for _, name := range []string{"", "random", "optimal:blunder=", "optimal:blunder=2", "optimal:p=1"} {
		if s, err := parseStrength(name); err == nil {
			t.Errorf("%s is read as %v", name, s)
		}
	}
	for name, want := range map[string]int{"mcts:0": 0, "mcts:500,keep-tree": 500, "greedy": -1, "mcts:": -1, "mcts": -1, "minimax:depth=4": -1} {
		if got := iterationsOf(name); got != want {
			t.Errorf("%s has %d iterations, want %d", name, got, want)
		}
	}
}

// partlyVisible is the verdict if some boards show a finding and others do not.
const partlyVisible = "partly visible"

func verdictOf(f finding) string {
	switch {
	case len(f.On)+len(f.NotOn) == 0:
		return notMeasured
	case len(f.On) > 0 && len(f.NotOn) > 0:
		return partlyVisible
	}
	return verdict(len(f.On) > 0)
}

// The difference from the first agent is that of the same games, against the same opponent.
func TestDifferenceFromTheFirst(t *testing.T) {
	points := []matchPoint{pointOf("mcts:1", perfect, 25), pointOf("mcts:1", quick, 25), pointOf("mcts:2", perfect, 25), pointOf("mcts:3", quick, 25)}
	points[0].Results, points[2].Results, points[3].Results = "wwll", "wlll", "wlll"
	rows := strengthRows(points)
	// Of 4 games one differs by a win, 25 of 100; the last has nothing to be compared with.
	if at := len(rows[0]) - 1; rows[1][at] != "-" || rows[2][at] != "-" || !strings.HasPrefix(rows[3][at], "-25.0 (") || rows[4][at] != "-" {
		t.Errorf("%q", rows)
	}
}
