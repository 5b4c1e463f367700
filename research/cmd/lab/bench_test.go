package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe/probetest"
	"backsolve/research/grade"
	"backsolve/research/selfplay"
)

// smallBench returns a benchmark of small boards and networks.
func smallBench(t *testing.T, tables string, threads int) *benchmark {
	t.Helper()
	return &benchmark{
		Name: "small", Positions: 100, Seeds: 2, Iterations: 1, Agents: []string{"random", "greedy", "mcts:20", "zero:sims=0", "zero:sims=5"},
		Boards: []*benchBoard{{Name: "dawson 12"}, {Name: "nim 3", Network: true}, {Name: "quixo 3"}, {Name: "tictactoe 3"}},
		network: func(board game.Info) selfplay.Run {
			run := selfplay.DefaultRun(board)
			run.Games.Number, run.Training.Steps, run.Network.Width = 8, 2, 16
			return run
		},
		tables: tables, out: t.TempDir(), threads: threads, log: io.Discard,
	}
}

// benchTables solves the boards of smallBench.
func benchTables(t *testing.T) string {
	t.Helper()
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 3), 0, true)
	probetest.Solve(t, tables, probetest.Rules(t, "tictactoe", 3), 0, true)
	return tables
}

// filesOf returns the files below a directory by path.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// cancelAt cancels when its line is written.
type cancelAt struct {
	line   string
	cancel context.CancelFunc
}

func (c cancelAt) Write(text []byte) (int, error) {
	if string(text) == c.line {
		c.cancel()
	}
	return len(text), nil
}

// The benchmark has the same bytes with any number of threads, and after an interruption, which costs no
// baseline; its checksums hold, and its scoring program counts what the baselines count.
func TestBench(t *testing.T) {
	tables := benchTables(t)
	var w *benchmark
	var first map[string]string
	for _, threads := range []int{1, 3} {
		if w = smallBench(t, tables, threads); first != nil {
			cancelled, cancel := context.WithCancel(t.Context())
			w.log = cancelAt{"quixo 3, seed 2\n", cancel}
			if err := w.write(cancelled); !errors.Is(err, context.Canceled) || len(w.store.Points) != 19 {
				t.Fatalf("%v after %d baselines", err, len(w.store.Points))
			}
			out := w.out
			w = smallBench(t, tables, threads)
			w.out = out
		}
		if err := w.write(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(w.store.Points); n != 28 {
			t.Errorf("%d baselines, not 28", n)
		}
		got := filesOf(t, w.out)
		delete(got, baselinesName+".json") // which names the number of threads
		if first == nil {
			first = got
		}
		for path := range first {
			if got[path] != first[path] {
				t.Errorf("%s is otherwise with %d threads:\n%s", path, threads, got[path])
			}
		}
	}
	sums := map[string]string{}
	for line := range strings.Lines(first["SHA256SUMS"]) {
		sums[strings.TrimSpace(line[66:])] = line[:64]
	}
	for path, content := range first {
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(content))); path != "SHA256SUMS" && path != pageName && sums[path] != sum {
			t.Errorf("%s has the checksum %s, not %q", path, sum, sums[path])
		}
	}
	if len(sums)+2 != len(first) || len(first) != 4*len(grade.Splits)+6 {
		t.Errorf("%d checksums of %d files", len(sums), len(first))
	}
	if page := first[pageName]; !strings.Contains(page, fmt.Sprintf("%x", sha256.Sum256([]byte(first["SHA256SUMS"])))) || strings.Contains(page, "NaN") {
		t.Error(page)
	}
	checkScores(t, w)
}

// checkScores compares the scores of the example by score.py with those of the first baseline.
func checkScores(t *testing.T, w *benchmark) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 is there")
	}
	score := func(answers string) (string, error) {
		out, err := exec.CommandContext(t.Context(), python, filepath.Join(w.out, "score.py"), answers).CombinedOutput()
		return string(out), err
	}
	example := filepath.Join(w.out, "example.jsonl")
	printed, err := score(example)
	if err != nil {
		t.Fatal(err, printed)
	}
	lines := json.NewDecoder(strings.NewReader(printed))
	for _, board := range w.Boards {
		var got struct {
			Board                                                                string
			Choices, Right, Lengths, Strict, Balanced, Outcomes, Illegal, Regret int
		}
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		score := grade.Score{
			Right: grade.Ratio{Good: got.Right, All: got.Choices}, Strict: grade.Ratio{Good: got.Strict, All: got.Lengths},
			Outcomes: grade.Ratio{Good: got.Outcomes, All: got.Balanced}, Regret: got.Regret,
		}
		want := board.scores[w.Agents[0]][0]
		score.Chance = want.Chance // which score.py does not count
		if got.Board != board.File || score != want || got.Illegal != 0 {
			t.Errorf("score.py counts %+v, not %+v of %s", got, want, board.File)
		}
	}
	content, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(bytes.Lines(content))
	for _, wrong := range []struct {
		answers []byte
		said    string
	}{
		{bytes.Join(all[1:], nil), "has no answer"},
		{append(bytes.Clone(content), all[0]...), "has two answers"},
		{append(bytes.Clone(content), []byte(`{"board": "dawson-3x12", "position": "?", "move": "a"}`)...), "is not a position"},
		{[]byte(`{"position": "?"}`), "has no 'board'"},
		{[]byte(`{"board": "chess", "position": "?", "move": "a"}`), "has no board"},
		{[]byte(`{"board": "../train/nim-1-3-5", "position": "1/3/5", "move": "a1"}`), "has no board"},
	} {
		path := filepath.Join(t.TempDir(), "answers.jsonl")
		if err := os.WriteFile(path, wrong.answers, 0o600); err != nil {
			t.Fatal(err)
		}
		if printed, err := score(path); err == nil || !strings.Contains(printed, wrong.said) {
			t.Errorf("score.py says %q, not that an answer %s", printed, wrong.said)
		}
	}
}

// The entries of the leaderboard run on any benchmark, without its answers, and are refused where they
// score otherwise than they say.
func TestLeaderboard(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 is there")
	}
	w := smallBench(t, benchTables(t), 2)
	w.Agents = w.Agents[:1]
	if err := w.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := func(path string) (string, error) {
		out, err := exec.CommandContext(t.Context(), python, filepath.Join(w.out, "score.py"), "--leaderboard", path).CombinedOutput()
		return string(out), err
	}
	kept := filepath.Join(reports, "bench", "leaderboard.jsonl")
	if printed, err := check(kept); err != nil || strings.Count(printed, `"name": "majority"`) != len(w.Boards) {
		t.Errorf("%v\n%s", err, printed)
	}
	program, err := filepath.Abs(filepath.Join(reports, "bench", "entries", "majority.py"))
	if err != nil {
		t.Fatal(err)
	}
	cheat := filepath.Join(t.TempDir(), "cheat.py")
	peeks := "import load, sys\nfor b in load.boards(sys.argv[1]):\n\tfor p in load.problems(sys.argv[1], 'test', b): p['right_moves']\n"
	if err := os.WriteFile(cheat, []byte(peeks), 0o600); err != nil {
		t.Fatal(err)
	}
	for said, entry := range map[string]string{
		"right moves, not 1.5":            fmt.Sprintf(`{"name": "a", "program": %q, "benchmark": %q, "right_share": {"dawson-3x12": 1.5}}`, program, filepath.Base(w.out)),
		"0.000 right moves, not 1":        fmt.Sprintf(`{"name": "never measured", "benchmark": %q, "right_share": {"quixo-3x3": 1}}`, filepath.Base(w.out)),
		"random: dawson-3x12 has a share": fmt.Sprintf(`{"name": "random", "benchmark": %q, "right_share": {"nim-1-3-5": 0.99}}`, filepath.Base(w.out)),
		"its program ends with status 1":  fmt.Sprintf(`{"name": "b", "program": %q, "benchmark": "v2", "right_share": {}}`, cheat),
	} {
		path := filepath.Join(t.TempDir(), "leaderboard.jsonl")
		if err := os.WriteFile(path, []byte(entry), 0o600); err != nil {
			t.Fatal(err)
		}
		if printed, err := check(path); err == nil || !strings.Contains(printed, said) {
			t.Errorf("%v: it says %q, not %q", err, printed, said)
		}
	}
}

// No benchmark is begun with tables without steps, without tables, or over other files.
func TestBenchRefuses(t *testing.T) {
	w := smallBench(t, t.TempDir(), 1)
	if err := w.write(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no table") {
		t.Errorf("without a table: %v", err)
	}
	probetest.Solve(t, w.tables, probetest.Rules(t, "quixo", 3), 0, false)
	if err := w.write(t.Context()); err == nil || !strings.Contains(err.Error(), "without steps") {
		t.Errorf("without steps: %v", err)
	}
	if begun := filesOf(t, w.out); len(begun) > 0 {
		t.Errorf("%d files are written all the same", len(begun))
	}
	if err := os.WriteFile(filepath.Join(w.out, "old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.write(t.Context()); err == nil || !strings.Contains(err.Error(), "name a new directory") {
		t.Errorf("over other files: %v", err)
	}
}

// The page of the reports has the data card and the rules that the benchmark's own page has.
func TestBenchCard(t *testing.T) {
	var made bytes.Buffer
	kept, err := os.ReadFile(filepath.Join(reports, "bench", pageName))
	if err := errors.Join(err, benchTemplate.Execute(&made, benchV2())); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"## Files": "\n| board |", "## Rules": "## Baselines"} {
		_, part, _ := strings.Cut(made.String(), from)
		if part, _, _ = strings.Cut(part, to); !strings.Contains(string(kept), part) {
			t.Errorf("the page has not:\n%s", part)
		}
	}
}
