package main

import (
	"math"
	"slices"
	"testing"

	"backsolve/internal/player/arena"
	"backsolve/research/internal/files"
)

// hold adds a match in which mcts lost games of the given plies.
func (l *ladder) hold(agent string, plies ...int) {
	s := &arena.Summary{Replied: arena.Tally{Losses: len(plies)}, Lost: len(plies)}
	for _, p := range plies {
		s.LostPlies += p
		s.LostPliesSquared += p * p
	}
	if l.length == nil {
		l.length = &data[matchPoint]{Settings: l.strength.Settings}
	}
	l.length.Points = append(l.length.Points, newMatchPoint(agent, quick.String(), s))
}

// Lengths have their shares of that with fullIterations; what was not measured is missing.
func TestLengthsAsSecondPlayer(t *testing.T) {
	three, four, five := climbOf("quixo", 3, 0), climbOf("quixo", 4, 0), climbOf("quixo", 5, 0)
	three.hold("mcts:10000", 7, 9)
	three.hold("mcts:0", 2, 4, 6)
	three.hold("mcts:100", 6, 6)
	three.hold("mcts:300") // lost nothing
	four.hold("mcts:0", 5)
	g := &ladders{Boards: []*ladder{three, four, five}}
	h, err := files.Rows(templates, "lengths", g)
	if err != nil || len(h) != 5 {
		t.Fatalf("%+v, %v", h, err)
	}
	at := func(row []string, n string) string { return row[slices.Index(h[0], n+" iterations")] }
	for n, want := range map[string]string{"0": "4.0 (1.7 to 6.3); 0.50", "100": "6.0 (6.0 to 6.0); 0.75", "300": "-", "10000": "8.0 (6.0 to 10.0); 1.00"} {
		if got := at(h[1], n); got != want {
			t.Errorf("%s iterations: %s, want %s", n, got, want)
		}
	}
	if h[3][0] != "Quixo 4×4" || at(h[3], "0") != "5.0 (5.0 to 5.0)" {
		t.Errorf("%q", h[3])
	}
	// Games of 4 and 8 plies, and two drawn after 50 turns.
	drawn := matchPoint{RepliedDraws: 2, RepliedLosses: 2, Lost: 2, LostPlies: 12, LostPliesSquared: 80}
	if e, ok := drawn.turns(50); !ok || e.Value != 26.5 || math.Abs(e.High-26.5-1.96*math.Sqrt((24.5*24.5+22.5*22.5+2*23.5*23.5)/3)/2) > 1e-3 {
		t.Errorf("with draws %+v", e)
	}
	if e, ok := drawn.length(); !ok || e.Value != 6 {
		t.Errorf("without draws %+v", e)
	}
	if got, want := plotted(t, &ladders{Boards: []*ladder{three, four}}), []string{"held-quixo", "held-quixo-time", "held-share-quixo", "held-share-quixo-time"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	rows := lengthRows(three.length.Points)
	if rows[0][4] != "of those of mcts:10000" || rows[1][4] != "1.00 (1.00 to 1.00)" || rows[2][4] != "0.50 (0.19 to 0.81)" || rows[4][4] != "-" {
		t.Errorf("%q", rows)
	}
	points := three.Losses()
	share, ok := shareOfFull(points, points[0])
	// Relative half widths of 2.263/4 and 1.96/8.
	if half := 0.5 * math.Hypot(2.263/4, 1.96/8); !ok || math.Abs(share.High-0.5-half) > 1e-3 || math.Abs(0.5-half-share.Low) > 1e-3 {
		t.Errorf("%+v", share)
	}
	if none := plotted(t, &ladders{Boards: []*ladder{four}}); len(none) != 0 {
		t.Errorf("%q of one number of iterations", none)
	}
}

// plotted returns the plots of lengths as the second player.
func plotted(t *testing.T, g *ladders) []string {
	for _, l := range g.Boards {
		for _, points := range [][]matchPoint{l.strength.Points, l.length.Points} {
			for i := range points {
				points[i].SecondsPerMove = 0.001
			}
		}
	}
	all, err := g.sections(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Title == "Length as the second player" {
			return s.Plots
		}
	}
	return nil
}
