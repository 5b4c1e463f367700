package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backsolve/cmd/cli"
)

// asBench is the environment variable that makes the test binary behave as bench.
const asBench = "TEST_AS_BENCH"

// The test binary is its own child process, as bench is.
func TestMain(m *testing.M) {
	if os.Getenv(asBench) != "" || len(os.Args) > 1 && os.Args[1] == taskName {
		main()
		return
	}
	// Under the race detector each process would wait a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// tinyRun measures tiny boards, and the start of the true tbquery.
func tinyRun(t *testing.T) *report {
	program := filepath.Join(t.TempDir(), "tbquery")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "backsolve/cmd/tbquery").CombinedOutput(); err != nil {
		t.Fatalf("tbquery cannot be built: %v: %s", err, out)
	}
	b := &bench{
		threads: 2, repeats: 3, against: os.Args[0], oracleStates: 100, lookups: "quixo-2-steps", inTurn: 5000,
		tbquery: program, dir: t.TempDir(), progress: io.Discard,
	}
	for _, name := range []string{"notakto-3", "quixo-2-steps"} {
		board, err := parseBoard(name)
		if err != nil {
			t.Fatal(err)
		}
		b.boards = append(b.boards, board)
	}
	r, err := b.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRun(t *testing.T) {
	r := tinyRun(t)
	type row struct {
		Board    string
		Threads  int
		States   float64
		Baseline string
	}
	var got []row
	for _, s := range r.Solves {
		got = append(got, row{s.Board, s.Threads, s.States, s.Baseline})
		base := r.baseline(s.Baseline)
		if base == nil {
			t.Fatalf("%s: its baseline %s was not measured", s.Board, s.Baseline)
		}
		checkTiming(t, s.Board, s.timing, s.States)
		if want := s.PerSecond / base.PerSecond; s.Ratio != want {
			t.Errorf("%s: ratio %g, want %g", s.Board, s.Ratio, want)
		}
		if s.Threads == 1 && s.Speedup != 1 || s.Speedup <= 0 {
			t.Errorf("%s with %d threads: speed-up %g", s.Board, s.Threads, s.Speedup)
		}
		if s.Against == nil || s.Against.Seconds <= 0 || s.Against.Processor <= 0 {
			t.Errorf("%s: ratios to the other program %+v", s.Board, s.Against)
		}
		if s.PeakMemory < 1<<20 || s.Bytes < 8192 {
			t.Errorf("%s: %d bytes of memory, %d of the file", s.Board, s.PeakMemory, s.Bytes)
		}
	}
	if diff := cmp.Diff([]row{
		{"notakto-3", 1, 512, "notakto-2"}, {"notakto-3", 2, 512, "notakto-2"},
		{"quixo-2-steps", 1, 81, "quixo-2"}, {"quixo-2-steps", 2, 81, "quixo-2"},
	}, got); diff != "" {
		t.Errorf("solves (-want +got):\n%s", diff)
	}
	for _, b := range r.Baselines {
		checkTiming(t, b.Board, b.timing, b.States)
	}
	checkTiming(t, "lookups", r.Lookups.timing, 5000)
	if r.Lookups.Allocations > 0.01 {
		t.Errorf("%g allocations a lookup", r.Lookups.Allocations)
	}
	if c := r.ColdStart; c == nil || c.Runs != coldStartRuns || c.Best <= 0 || c.Best > c.Median || c.Median > c.Worst {
		t.Errorf("cold start %+v", c)
	}
	testWriting(t, r)
}

func checkTiming(t *testing.T, name string, got timing, units float64) {
	t.Helper()
	if got.Best <= 0 || got.Best > got.Median || got.Median > got.Worst || got.PerSecond != units/got.Median {
		t.Errorf("%s: timing %+v of %g units", name, got, units)
	}
}

// testWriting checks that each way of writing a report has its figures.
func testWriting(t *testing.T, r *report) {
	var out bytes.Buffer
	if err := cli.WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*r, back, cmp.AllowUnexported(solveFigures{}, baseline{}, lookupFigures{})); diff != "" {
		t.Errorf("read back from JSON (-want +got):\n%s", diff)
	}
	for _, field := range []string{
		`"machine"`, `"repeats"`, `"seconds_best"`, `"seconds_median"`, `"per_second"`, `"speedup"`, `"peak_memory_bytes"`,
		`"bytes_written"`, `"baseline"`, `"ratio"`, `"baselines"`, `"allocations_per_lookup"`, `"cold_start"`, `"milliseconds_median"`,
	} {
		if !bytes.Contains(out.Bytes(), []byte(field)) {
			t.Errorf("JSON has no %s", field)
		}
	}
	out.Reset()
	if err := writeReport(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"notakto-3", "quixo-2-steps", "notakto-2", "million/s", "Cold start of tbquery", "processor"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is missing in:\n%s", part, out.String())
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"notakto-6"}, "--boards notakto-6"},
		{[]string{"--nonsense"}, "unknown flag"},
		{[]string{"--threads", "0"}, "from 1 to 4096"},
		{[]string{"--repeats", "many"}, "from 1 to 1000"},
		{[]string{"--boards", ""}, "is given"},
		{[]string{"--boards", "quixo"}, "a game and a size"},
		{[]string{"--boards", "quixo-4-moves"}, "a game and a size"},
		{[]string{"--boards", "quixo-x"}, "a game and a size"},
		{[]string{"--boards", "chess-8"}, "the games are"},
		{[]string{"--boards", "quixo-6"}, "too large"},
		{[]string{"--boards", "quixo-2,quixo-2"}, "twice"},
		{[]string{"--against", "/nothing"}, "/nothing"},
		{[]string{"span", "quixo"}, "a game and a size"},
		{[]string{"span", "quixo-3", "--down-to", "10"}, "give 0 to 9"},
	} {
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Env = append(os.Environ(), asBench+"=1")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		exit, ok := err.(*exec.ExitError)
		if !ok || exit.ExitCode() != cli.StatusUsage || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: %v and %q, want status 2 and an error that says %q", c.args, err, errs.String(), c.says)
		}
		if out.Len() > 0 {
			t.Errorf("%q: printed %q before it was refused", c.args, out.String())
		}
	}
}

// It says which build it is, and how shells complete its command line.
func TestVersionAndCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--version"}, "bench version "},
		{[]string{"completion", "bash"}, "\n__bench_words()\n"},
	} {
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Env = append(os.Environ(), asBench+"=1")
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), c.says) {
			t.Errorf("%q: %v, no %q in %.200s", c.args, err, c.says, out)
		}
	}
}

// A child process that fails says why, and a bad command line ends with 2.
func TestExitStatus(t *testing.T) {
	_, _, err := spawn(t.Context(), task{Kind: "lookups", Board: "quixo-2", Dir: t.TempDir(), Threads: 1})
	if err == nil || !strings.Contains(err.Error(), "tbsolve quixo 2") {
		t.Errorf("lookups in a missing table: %v", err)
	}
	err = exec.Command(os.Args[0], taskName, "nonsense").Run()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != cli.StatusUsage {
		t.Errorf("a task that cannot be read ends with %v", err)
	}
}

func TestParseBoard(t *testing.T) {
	for name, want := range map[string]string{"quixo-4": "quixo 4×4", "quixo-4x7": "quixo 4×7", "quixo-3x9-steps": "quixo 3×9", "quixo-5x5,both-win-steps": "quixo 5×5 both-win", "notakto-4x4,torus": "notakto 4×4 torus", "quixo": "", "quixo-": "", "quixo-4-x": "", "quixo-4x8": ""} {
		b, err := parseBoard(name)
		if (err == nil) != (want != "") || err == nil && (b.space.Board() != want || b.steps != strings.HasSuffix(name, "-steps")) {
			t.Errorf("%s is read as %+v, %v", name, b, err)
		}
	}
}

func TestBaseline(t *testing.T) {
	for name, want := range map[string][2]string{
		"notakto-6":     {"notakto-4", "notakto-5"},
		"notakto-5":     {"notakto-4", "notakto-5"},
		"notakto-3":     {"notakto-3", "notakto-3"},
		"quixo-4-steps": {"quixo-3", "quixo-4"},
	} {
		board, err := parseBoard(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, most := range []float64{quickOracle, fullOracle} {
			if got, err := board.baseline(most); err != nil || got.name != want[i] {
				t.Errorf("%s, %g states at most: baseline %s, %v; want %s", name, most, got.name, err, want[i])
			}
		}
	}
}

func TestText(t *testing.T) {
	for seconds, want := range map[float64]string{12.345: "12.3s", 0.98765: "988ms", 0.0000321: "32.1µs", 65.04: "1m5s"} {
		if got := cli.SecondsText(seconds); got != want {
			t.Errorf("%g seconds: %s, want %s", seconds, got, want)
		}
	}
	for ratio, want := range map[float64]string{0.123: "0.12", 9.87: "9.9", 1234.5: "1,235"} {
		if got := ratioText(ratio); got != want {
			t.Errorf("ratio %g: %s, want %s", ratio, got, want)
		}
	}
}
