package main

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/internal/player/arena"
)

// The results in testdata/ladder are drawn and written as the files beside them are.
func TestLaddersAreGolden(t *testing.T) {
	from := filepath.Join(t.TempDir(), "[a-z]") // no pattern
	if err := os.CopyFS(from, os.DirFS(filepath.Join("testdata", "ladder"))); err != nil {
		t.Fatal(err)
	}
	boards, err := loadLadders(from)
	if err != nil || len(boards) != 3 {
		t.Fatal(boards, err)
	}
	dir := t.TempDir()
	if err := drawLadders(dir, boards); err != nil {
		t.Fatal(err)
	}
	if err := writeLadders(dir, boards); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"depth.csv", "strength.csv", "accuracy.csv", "players.csv", "strength-quixo.svg"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "ladder", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s is otherwise, %v; see whether it should be, and run the test with -update:\n%s", name, err, got)
		}
	}
	var drawn []string
	for _, e := range read(t, dir) {
		drawn = append(drawn, e.Name())
	}
	for _, name := range []string{"accuracy-notakto.svg", "depth-quixo.svg", "strength-notakto-3x3-shortest.svg"} {
		if !slices.Contains(drawn, name) {
			t.Errorf("%s is not drawn: %q", name, drawn)
		}
	}
}

// Of the wins that a random mover gives away, 1 keeps all of them and its own share none.
func TestArms(t *testing.T) {
	dir := t.TempDir()
	var trials []trial
	for arm, keeps := range map[string][]float64{"small": {1, 0.9}, "large": {0.2}, "hard": {0.2, 0.2}} {
		for _, keep := range keeps {
			won := &shares{Different: 10 * len(arm), Keep: keep, Random: 0.2}
			trials = append(trials, trial{Arm: arm, Grades: []keptGrade{{Result: &result{Expert: &expertResult{Won: won}}}}})
		}
	}
	if err := drawArms(dir, trials); err != nil {
		t.Fatal(err)
	}
	rows, err := readSheet(filepath.Join(dir, "arms.csv"))
	want := [][]string{
		{"arm", "seeds", "won positions", "kept", "low", "high"},
		{"hard", "2", "40", "0.0", "0.0", "0.0"}, {"large", "1", "50", "0.0", "-25.0", "100.0"}, {"small", "2", "50", "93.8", "14.3", "100.0"},
	}
	if err != nil || !reflect.DeepEqual(rows, want) {
		t.Errorf("%q, %v", rows, err)
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "arms.svg")); err != nil || strings.Count(string(svg), ">small<") != 1 {
		t.Errorf("%s, %v", svg, err)
	}
}

func read(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// Lengths have their shares of that with fullIterations; draws count as the limit.
func TestLengths(t *testing.T) {
	held := func(agent string, plies ...int) matchPoint {
		s := &arena.Summary{Replied: arena.Tally{Losses: len(plies)}, Lost: len(plies)}
		for _, p := range plies {
			s.LostPlies += p
			s.LostPliesSquared += p * p
		}
		return newMatchPoint(agent, quick.String(), s, [2]arena.Tally{})
	}
	l := &ladder{length: data[matchPoint]{Points: []matchPoint{held("mcts:10000", 7, 9), held("mcts:0", 2, 4, 6), held("mcts:100", 6, 6), held("mcts:300")}}}
	points := l.losses()
	if len(points) != 3 || points[0].Agent != "mcts:0" {
		t.Fatalf("%+v", points)
	}
	rows := lengthRows(l.length.Points)
	if rows[0][4] != "of those of mcts:10000" || rows[1][4] != "1.00 (1.00 to 1.00)" || rows[2][4] != "0.50 (0.19 to 0.81)" || rows[4][4] != "-" {
		t.Errorf("%q", rows)
	}
	share, ok := shareOfFull(points, points[0])
	// Relative half widths of 2.263/4 and 1.96/8.
	if half := 0.5 * math.Hypot(2.263/4, 1.96/8); !ok || math.Abs(share.High-0.5-half) > 1e-3 || math.Abs(0.5-half-share.Low) > 1e-3 {
		t.Errorf("%+v", share)
	}
	// Games of 4 and 8 plies, and two drawn after 50 turns.
	drawn := matchPoint{RepliedDraws: 2, RepliedLosses: 2, Lost: 2, LostPlies: 12, LostPliesSquared: 80}
	if e, ok := drawn.turns(50); !ok || e.Value != 26.5 || math.Abs(e.High-26.5-1.96*math.Sqrt((24.5*24.5+22.5*22.5+2*23.5*23.5)/3)/2) > 1e-3 {
		t.Errorf("with draws %+v", e)
	}
	if e, ok := drawn.length(); !ok || e.Value != 6 {
		t.Errorf("without draws %+v", e)
	}
}
