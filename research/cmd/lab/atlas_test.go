package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe/survey"
	"backsolve/retro/oracle"
)

var atlasDir = filepath.Join("..", "..", "..", "docs", "reports", "atlas")

// The page is written from the records, and nothing in it differs from what others have found.
func TestAtlasIsWritten(t *testing.T) {
	want, err := atlasPage(atlasDir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(atlasDir, pageName))
	if err != nil || string(got) != want {
		t.Errorf("the page is not that of the records, %v; run lab atlas", err)
	}
	if strings.Contains(want, "| differs |") || strings.Count(want, "| agrees |") < 40 {
		t.Errorf("results of others differ, or are missing:\n%s", want[strings.Index(want, "## Results of others"):])
	}
}

// The records of small boards are what solving one state at a time by the rules gives.
func TestRecordsByBruteForce(t *testing.T) {
	all, err := readRecords(filepath.Join(atlasDir, recordsName))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, r := range all {
		if name, size := r.board(); strings.HasSuffix(r.Solve, "--steps") && r.States <= 20_000 {
			rules, err := games.NewGrid(name, int(size))
			if err != nil {
				t.Fatal(err)
			}
			compareRecord(t, r, rules)
			checked++
		}
	}
	if checked < 60 {
		t.Errorf("only %d records", checked)
	}
}

func compareRecord(t *testing.T, r *record, rules game.Grid) {
	t.Helper()
	s := oracle.Solve(rules)
	counts, longest := survey.Counts{States: uint64(s.Len())}, map[game.Outcome]*survey.Longest{game.Win: {Steps: -1}, game.Lose: {Steps: -1}, game.Draw: {}}
	for i := range s.Len() {
		outcome, steps := s.Value(s.State(i))
		counts.Wins, counts.Losses, counts.Draws = counts.Wins+one(outcome == game.Win), counts.Losses+one(outcome == game.Lose), counts.Draws+one(outcome == game.Draw)
		if _, over := rules.Terminal(s.State(i)); over {
			counts.TerminalWins, counts.TerminalLosses = counts.TerminalWins+one(outcome == game.Win), counts.TerminalLosses+one(outcome == game.Lose)
		}
		if l := longest[outcome]; steps > l.Steps {
			*l = survey.Longest{Steps: steps, Count: 1}
		} else if steps == l.Steps {
			l.Count++
		}
	}
	if *r.Counts != counts {
		t.Errorf("%s: %+v by brute force, recorded are %+v", r.Solve, counts, *r.Counts)
	}
	for outcome, got := range map[game.Outcome]*survey.Longest{game.Win: r.LongestWin, game.Lose: r.LongestLoss} {
		if want := longest[outcome]; want.Steps >= 0 && (got == nil || got.Steps != want.Steps || got.Count != want.Count) || want.Steps < 0 && got != nil {
			t.Errorf("%s: longest %v is %+v by brute force, recorded is %+v", r.Solve, outcome, *want, got)
		}
	}
	outcome, steps := s.Value(rules.Start())
	if r.Start != outcome.String() || outcome != game.Draw && *r.Steps != steps {
		t.Errorf("%s: the start is a %v in %d by brute force, recorded is %s", r.Solve, outcome, steps, r.Start)
	}
	var best []string
	moves := rules.Moves(nil, rules.Start())
	for _, m := range moves {
		if after, _ := s.Value(rules.Play(rules.Start(), m)); after.Flip() == outcome && outcome != game.Lose {
			best = append(best, rules.FormatMove(m))
		}
	}
	if len(best) > 1 && len(best) == len(moves) {
		best = []string{"all"}
	}
	if slices.Sort(best); !slices.Equal(best, slices.Sorted(slices.Values(r.Best))) || r.Moves != len(moves) {
		t.Errorf("%s: the best moves are %v of %d by brute force, recorded are %v of %d", r.Solve, best, len(moves), r.Best, r.Moves)
	}
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}
