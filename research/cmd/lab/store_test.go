package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backsolve/cmd/cli"
	"backsolve/internal/durable"
)

// seriesArgs are those of a short series.
func seriesArgs(dir, out string) []string {
	return []string{"strength", "quixo", "3", "--iterations", "0,10,20", "--against", "optimal,optimal:blunder=0.5", "--games", "4",
		"--quiet", "--threads", "1", "--dir", dir, "--out", out}
}

// runLab runs a command in this process.
func runLab(t *testing.T, args ...string) error {
	t.Helper()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SilenceErrors, root.SilenceUsage = true, true
	return root.Execute()
}

// untimed returns the points of a file without their times.
func untimed(t *testing.T, path string) []matchPoint {
	t.Helper()
	d, err := loadData[matchPoint](path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Points {
		d.Points[i].SecondsPerMove = 0
	}
	return d.Points
}

// Two processes do not write the same file.
func TestStoreIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strength")
	st, err := openStore[matchPoint](path, settings{}, run{}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openStore[matchPoint](path, settings{}, run{}, true, nil); !errors.Is(err, durable.ErrHeld) {
		t.Errorf("the second time: %v", err)
	}
	if err := st.close(); err != nil {
		t.Fatal(err)
	}
}

// A killed series resumes to the same end, and keeps its points.
func TestKilledSeriesGoesOn(t *testing.T) {
	dir, out := tables(t), t.TempDir()
	args := func(out string) []string {
		return append(seriesArgs(dir, out), "--iterations", "0-600/25", "--games", "20")
	}
	path := filepath.Join(out, "strength-quixo-3x3")
	cmd := exec.Command("lab", args(out)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	const some = 10 // points
	for {
		if d, err := loadData[matchPoint](path); err == nil && len(d.Points) > some {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended before it was killed: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	before, err := loadData[matchPoint](path)
	if err != nil {
		t.Fatal(err)
	}
	if err := runLab(t, args(out)...); err != nil {
		t.Fatal(err)
	}
	after, err := loadData[matchPoint](path)
	if err != nil {
		t.Fatal(err)
	}
	// Times and all, what was there is there still.
	if diff := cmp.Diff(before.Points, after.Points[:len(before.Points)]); diff != "" {
		t.Errorf("(-killed +resumed):\n%s", diff)
	}
	other := t.TempDir()
	if err := runLab(t, args(other)...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(untimed(t, filepath.Join(other, "strength-quixo-3x3")), untimed(t, path)); diff != "" {
		t.Errorf("(-whole +killed and resumed):\n%s", diff)
	}
}

// Ctrl-C stops a series, which keeps its points.
func TestInterruptedSeries(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	dir, out := tables(t), t.TempDir()
	cmd := exec.Command("lab", append(seriesArgs(dir, out), "--iterations", "0,1000000")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(out, "strength-quixo-3x3")
	for {
		if d, err := loadData[matchPoint](path); err == nil && len(d.Points) == 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit status %d", got)
	}
	d, err := loadData[matchPoint](path)
	if err != nil || len(d.Points) != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}

// The file has exactly these fields.
func TestSeriesJSON(t *testing.T) {
	dir, out := tables(t), t.TempDir()
	if err := runLab(t, seriesArgs(dir, out)...); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "strength-quixo-3x3.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Settings map[string]any
		Runs     []map[string]any
		Points   []map[string]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	fields := func(m map[string]any) string { return strings.Join(slices.Sorted(maps.Keys(m)), " ") }
	for have, want := range map[string]string{
		fields(got.Settings):  "game games measure seed size start states table turn_limit",
		fields(got.Runs[0]):   "command machine threads version",
		fields(got.Points[5]): "agent began_draws began_losses began_wins different failures iterations lost lost_plies lost_plies_squared moves opponent replied_draws replied_losses replied_wins results seconds_per_move strength strength_high strength_low",
	} {
		if have != want {
			t.Errorf("fields %s, want %s", have, want)
		}
	}
	if len(got.Runs) != 1 || len(got.Points) != 6 {
		t.Errorf("%d runs, %d points", len(got.Runs), len(got.Points))
	}
}

// Each run stands once before its points.
func TestRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x", "strength")
	set := settings{Measure: "strength", Game: "quixo", Size: 3, Games: 1, Seed: math.MaxUint64}
	one, two := run{Command: "one", Threads: 1}, run{Command: `two 'a "b"'`, Threads: 2}
	points := []matchPoint{{Agent: "a"}, {Agent: `b, "c"`}, {Agent: "d"}}
	for i, r := range []run{one, one, two} {
		st, err := openStore[matchPoint](path, set, r, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(st.Points) != i || slices.Contains(st.Points, points[i]) {
			t.Errorf("run %d begins with %v", i, st.Points)
		}
		if err := errors.Join(st.add(points[i]), st.close()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := loadData[matchPoint](path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&data[matchPoint]{set, []run{one, two}, points}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	set.Seed = 1
	var usage *cli.UsageError
	if _, err := openStore[matchPoint](path, set, one, false, nil); !errors.As(err, &usage) {
		t.Errorf("other settings: %v", err)
	}
	st, err := openStore[matchPoint](path, set, one, true, nil)
	if err != nil || len(st.Points) != 0 || st.Settings != set {
		t.Errorf("by force: %+v, %v", st, err)
	}
	if err := st.close(); err != nil {
		t.Fatal(err)
	}
}

// Matches by a table of outcomes may be added to those with steps of the same board, which
// the run records; not the reverse, nor if the start has another value.
func TestTableOfOutcomes(t *testing.T) {
	steps := settings{Measure: "strength", Game: "quixo", Size: 3, Table: "a", Start: "win in 7", Games: 1}
	outcomes := steps
	outcomes.Table, outcomes.Start, outcomes.Outcomes = "b", "win", true
	with := func(s settings, change func(*settings)) settings { change(&s); return s }
	for _, c := range []struct {
		name         string
		first, added settings
		want         string // the table of the run that adds
		refused      bool
	}{
		{"the same", steps, steps, "", false},
		{"outcomes to steps", steps, outcomes, "b", false},
		{"outcomes to the same", outcomes, outcomes, "", false},
		{"steps to outcomes", outcomes, steps, "", true},
		{"other steps", steps, with(steps, func(s *settings) { s.Table = "b" }), "", true},
		{"another start", steps, with(outcomes, func(s *settings) { s.Start = "draw" }), "", true},
		{"other games", steps, with(outcomes, func(s *settings) { s.Games = 2 }), "", true},
		{"accuracy", with(steps, func(s *settings) { s.Games = 0 }), with(outcomes, func(s *settings) { s.Games = 0 }), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "strength")
			for i, set := range []settings{c.first, c.added} {
				st, err := openStore[matchPoint](path, set, run{Threads: i + 1}, false, nil)
				var usage *cli.UsageError
				if i == 1 && c.refused && errors.As(err, &usage) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(st.add(matchPoint{Agent: "a"}), st.close()); err != nil {
					t.Fatal(err)
				}
			}
			got, err := loadData[matchPoint](path)
			if err != nil {
				t.Fatal(err)
			}
			c.first.Outcomes = false // is not written
			want := []run{{Threads: 1}, {Threads: 2, Table: c.want}}
			if c.refused || got.Settings != c.first || !cmp.Equal(want, got.Runs) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A damaged file is neither read nor replaced.
func TestDataThatIsDamaged(t *testing.T) {
	for _, text := range []string{"", "nonsense", `{"settings": {"games": "many"}}`, `{"weights": []}`} {
		path := filepath.Join(t.TempDir(), "strength")
		if err := os.WriteFile(path+".json", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var usage *cli.UsageError
		if _, err := openStore[matchPoint](path, settings{}, run{}, false, nil); !errors.As(err, &usage) {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := os.ReadFile(path + ".json"); err != nil || string(got) != text {
			t.Errorf("%q has become %q, %v", text, got, err)
		}
	}
}
