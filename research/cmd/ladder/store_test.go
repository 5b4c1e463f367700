package main

import (
	"bytes"
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
	"pgregory.net/rapid"

	"backsolve/cmd/cli"
)

func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := matchPoint{
			Agent: rapid.String().Draw(t, "agent"), Iterations: rapid.Int().Draw(t, "iterations"),
			Opponent: rapid.String().Draw(t, "opponent"), Strength: rapid.Float64().Draw(t, "strength"), Moves: rapid.Int().Draw(t, "moves"),
		}
		got, err := parseCells[matchPoint](cells(p))
		if err != nil || got != p {
			t.Fatalf("%+v is read as %+v, %v", p, got, err)
		}
	})
	names := columnNames[accuracyPoint]()
	if names[0] != "agent" || names[len(names)-1] != "seconds_per_move" || len(cells(accuracyPoint{})) != len(names) {
		t.Errorf("columns %q", names)
	}
	for want, texts := range map[string][]string{
		"it has 3 cells instead of 18":  {"a", "b", "c"},
		`column iterations: "many" is`:  append([]string{"a", "many"}, make([]string, 16)...),
		`column strength: "much" is no`: {"a", "1", "b", "1", "1", "1", "1", "1", "1", "1", "much", "1", "1", "1", "1", "1", "1", "1"},
	} {
		if _, err := parseCells[matchPoint](texts); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// seriesArgs are those of a short series.
func seriesArgs(dir, out string) []string {
	return []string{"strength", "quixo", "3", "--iterations", "0,10,20", "--blunder", "0,0.5", "--policy", "optimal", "--games", "4",
		"--quiet", "--threads", "1", "--dir", dir, "--out", out}
}

// runLadder runs a command in this process.
func runLadder(t *testing.T, args ...string) error {
	t.Helper()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SilenceErrors, root.SilenceUsage = true, true
	return root.Execute()
}

// addMissing adds the points that a file lacks, as a series does.
func addMissing(t *testing.T, path string, points []matchPoint) {
	t.Helper()
	st, err := openStore[matchPoint](path, settings{Measure: "strength", Game: "quixo"}, run{Command: "one"}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		if !st.has(func(q matchPoint) bool { return p == q }) {
			if err := st.add(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := st.close(); err != nil {
		t.Fatal(err)
	}
}

// A file cut at any byte, as by a power cut, is completed to the same end.
func TestCutFilesGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strength")
	points := []matchPoint{{Agent: "mcts:0", Strength: 12.5}, {Agent: `engine:"a, b"`}, {Agent: "greedy", Moves: 7}}
	addMissing(t, path, points)
	whole, err := os.ReadFile(path + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	for at := range len(whole) + 1 {
		if err := os.WriteFile(path+".csv", whole[:at], 0o644); err != nil {
			t.Fatal(err)
		}
		addMissing(t, path, points)
		got, err := os.ReadFile(path + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(whole), string(got)); diff != "" {
			t.Fatalf("cut at %d (-whole +resumed):\n%s", at, diff)
		}
	}
}

// A killed series resumes to the same end, and keeps its points.
func TestKilledSeriesGoesOn(t *testing.T) {
	dir, out := tables(t), t.TempDir()
	args := func(out string) []string {
		return append(seriesArgs(dir, out), "--iterations", "0-600/25", "--games", "20")
	}
	path := filepath.Join(out, "strength-quixo-3x3.csv")
	cmd := exec.Command("ladder", args(out)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	const some = 10 // lines
	for {
		text, err := os.ReadFile(path)
		if err == nil && bytes.Count(text, []byte("\n")) > some {
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
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := runLadder(t, args(out)...); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Times and all, what was there is there still.
	if kept := before[:bytes.LastIndexByte(before, '\n')+1]; !bytes.HasPrefix(after, kept) {
		t.Errorf("%s\nis not the beginning of\n%s", kept, after)
	}
	other := t.TempDir()
	if err := runLadder(t, args(other)...); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(other, "strength-quixo-3x3.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withoutTimes(string(whole)), withoutTimes(string(after))); diff != "" {
		t.Errorf("(-whole +killed and resumed):\n%s", diff)
	}
}

// Ctrl-C stops a series, which keeps its points.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	dir, out := tables(t), t.TempDir()
	cmd := exec.Command("ladder", append(seriesArgs(dir, out), "--iterations", "0,1000000")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(out, "strength-quixo-3x3.csv")
	for {
		if text, err := os.ReadFile(path); err == nil && bytes.Count(text, []byte("\nmcts:0,")) == 2 {
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
	d, err := loadData[matchPoint](strings.TrimSuffix(path, ".csv"))
	if err != nil || len(d.Points) != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}

// The JSON beside the CSV has exactly these fields.
func TestSeriesJSON(t *testing.T) {
	dir, out := tables(t), t.TempDir()
	if err := runLadder(t, seriesArgs(dir, out)...); err != nil {
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
	columns := columnNames[matchPoint]()
	slices.Sort(columns)
	for have, want := range map[string]string{
		fields(got.Settings):  "game games measure seed size start states table turn_limit",
		fields(got.Runs[0]):   "command machine threads version",
		fields(got.Points[5]): strings.Join(columns, " "),
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
		st, err := openStore[matchPoint](path, set, r, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(st.Points) != i || st.has(func(p matchPoint) bool { return p == points[i] }) {
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
	if _, err := openStore[matchPoint](path, set, one, false); !errors.As(err, &usage) {
		t.Errorf("other settings: %v", err)
	}
	st, err := openStore[matchPoint](path, set, one, true)
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
				st, err := openStore[matchPoint](path, set, run{Threads: i + 1}, false)
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

func TestDataThatIsDamaged(t *testing.T) {
	header := strings.Join(columnNames[accuracyPoint](), ",") + "\n"
	for want, text := range map[string]string{
		"its columns are not agent,":   "",
		"its settings cannot be read:": settingsMark + "nonsense\n" + header,
		"a run in it cannot be read:":  header + runMark + "{\n",
		"column iterations:":           header + "mcts:1,x,1,1,1,1,1,1,1,1,1,1,1\n",
		"record on line 2:":            header + "mcts:1\n",
	} {
		if _, err := parseData[accuracyPoint]([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	got := commandLine([]string{"/usr/bin/ladder", "match", "engine:a 'b'", "", "x=1"})
	if want := `ladder match 'engine:a '\''b'\''' '' x=1`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
