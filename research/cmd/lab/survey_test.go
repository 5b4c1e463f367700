package main

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Surveys are as in testdata/golden: the sheets of all boards, the plots of one.
func TestSurveyIsGolden(t *testing.T) {
	for _, c := range []struct {
		game  string
		n     int
		plots bool
	}{{"notakto", 3, true}, {"quixo", 2, false}, {"quixo", 3, false}} {
		table := openTable(t, c.game, c.n, true)
		golden := filepath.Join("testdata", "golden", boardWord(c.game, c.n))
		files := written(t, table, survey.WalkOptions{})
		entries, err := os.ReadDir(golden)
		if err != nil && !*update {
			t.Fatal(err)
		}
		for _, e := range entries {
			if files[e.Name()] == "" {
				t.Errorf("%s is not written any more", filepath.Join(golden, e.Name()))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			got := files[name]
			if filepath.Ext(name) == ".svg" && !c.plots {
				continue
			}
			path := filepath.Join(golden, name)
			if *update {
				if err := os.MkdirAll(golden, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is otherwise; see whether it should be, and run the test with -update:\n%s", path, got)
			}
		}
	}
}

// The bytes do not depend on the number of threads.
func TestThreadsWriteTheSame(t *testing.T) {
	for _, name := range []string{"notakto", "quixo"} {
		table := openTable(t, name, 3, true)
		for _, sample := range []uint64{0, 40} {
			one := written(t, table, survey.WalkOptions{Sample: sample, Seed: 1, Threads: 1})
			seven := written(t, table, survey.WalkOptions{Sample: sample, Seed: 1, Threads: 7})
			if !maps.Equal(one, seven) {
				t.Errorf("%s, sample %d: seven threads write otherwise than one", name, sample)
			}
		}
	}
}

// Shares by steps that a sample hardly knows are not plotted; those of a complete survey
// are.
func TestVagueSharesAreNotDrawn(t *testing.T) {
	table := openTable(t, "quixo", 3, true)
	for sample, drawn := range map[uint64]bool{0: true, 40: false} {
		files := written(t, table, survey.WalkOptions{Sample: sample, Seed: 1})
		if _, is := files["single-by-steps.svg"]; is != drawn || files["single-by-steps.csv"] == "" {
			t.Errorf("sample %d: plot %v", sample, is)
		}
	}
}

// A board without open won states has a survey.
func TestSmallestBoard(t *testing.T) {
	for _, steps := range []bool{true, false} {
		files := written(t, openTable(t, "notakto", 1, steps), survey.WalkOptions{})
		if files["outcomes-by-marks.csv"] == "" || files["single-by-marks.csv"] != "" {
			t.Errorf("steps=%v: %q", steps, files)
		}
	}
}

// A stopped survey leaves no files.
func TestWriteStops(t *testing.T) {
	r, err := newSurvey(context.Background(), openTable(t, "notakto", 2, true), parts, survey.WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	cancel(enough)
	dir := t.TempDir()
	if err := r.write(ctx, dir); !errors.Is(err, enough) {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("%v are there", entries)
	}
}

func TestPartsNeedNoMore(t *testing.T) {
	table := openTable(t, "notakto", 3, true)
	quick := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.walks })
	r, err := newSurvey(context.Background(), table, quick, survey.WalkOptions{Progress: func(tablebase.Event) {
		t.Error("states are visited")
	}})
	if err != nil || r.findings != nil {
		t.Errorf("%v, %v", r.findings, err)
	}
}
