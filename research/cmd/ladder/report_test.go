package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/probe/probetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The same data give the same page, tables and plots, to the byte.
func TestReportFromData(t *testing.T) {
	golden := filepath.Join("testdata", "report")
	out := t.TempDir()
	if err := os.CopyFS(filepath.Join(out, "ladder"), os.DirFS(filepath.Join(golden, "ladder"))); err != nil {
		t.Fatal(err)
	}
	for _, plot := range []string{"strength-quixo.svg", "accuracy-notakto-time.svg"} {
		if err := os.Remove(filepath.Join(out, "ladder", plot)); err != nil {
			t.Fatal(err)
		}
	}
	if err := runLadder(t, "report", "--from-data", "--out", out, "--data", filepath.Join(out, "ladder")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ladder.md", "ladder/blunders.csv", "ladder/depth.csv", "ladder/strength-quixo.svg", "ladder/accuracy-notakto-time.svg"} {
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(golden, name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not as in %s; see whether it should be, and run the test with -update", name, path)
		}
	}
	checkLinks(t, out)
}

var links = regexp.MustCompile(`\]\(([^)]+)\)`)

// checkLinks wants all linked files to exist and all plots to be linked.
func checkLinks(t *testing.T, out string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(out, "ladder.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, link := range links.FindAllStringSubmatch(string(page), -1) {
		named = append(named, link[1])
		if _, err := os.Stat(filepath.Join(out, link[1])); err != nil {
			t.Errorf("the page names what is not there: %v", err)
		}
	}
	plots, err := filepath.Glob(filepath.Join(out, "ladder", "*.svg"))
	if err != nil || len(plots) == 0 {
		t.Fatalf("%d plots, %v", len(plots), err)
	}
	for _, plot := range plots {
		if !slices.Contains(named, "ladder/"+filepath.Base(plot)) {
			t.Errorf("the page does not show %s", plot)
		}
	}
}

// A report measures what is missing, and nothing the second time. A point can be replayed as
// a match.
func TestReport(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	rules := probetest.Rules(t, "notakto", 3)
	probetest.Solve(t, dir, rules, 0, true)
	args := []string{"report", "--dir", dir, "--out", out, "--data", filepath.Join(out, "ladder"), "--boards", "notakto-3x3,nim-3x3", "--iterations", "0,100", "--games", "6", "--states", "5", "--quiet"}
	if err := runLadder(t, args...); err != nil {
		t.Fatal(err)
	}
	checkLinks(t, out)
	file := filepath.Join(out, "ladder", "strength-notakto-3x3")
	before, err := os.ReadFile(file + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := runLadder(t, args...); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file + ".json"); err != nil || string(after) != string(before) {
		t.Errorf("the second run changed %v\n%s", err, after)
	}

	d, err := loadData[matchPoint](file)
	if err != nil {
		t.Fatal(err)
	}
	// Both policies: against no blunder two of mcts and four others, against five
	// probabilities two of mcts, and against the least of these the learned; and five depths.
	if len(d.Points) != 2*(6+5*2+2)+5 {
		t.Errorf("%d points", len(d.Points))
	}
	checkPoint(t, d, &agents.Env{Rules: game.Opaque[game.Position](rules), Dir: dir}, "mcts:100", "shortest:blunder=0.2")

	length, err := loadData[matchPoint](filepath.Join(out, "ladder", "length-notakto-3x3"))
	if err != nil || len(length.Points) != 2 || !length.Settings.Replies || length.Settings.Games != 3 {
		t.Fatalf("%+v, %v", length, err)
	}
	for _, p := range length.Points {
		if p.Opponent != "shortest" || p.began() != (arena.Tally{}) || p.replied().Games() != 3 {
			t.Errorf("%+v", p)
		}
	}
	nim, err := loadData[matchPoint](filepath.Join(out, "ladder", "climb-nim-3x3"))
	if err != nil || len(nim.Points) != 2+6 || nim.Settings.Start != "win in 7" || nim.Settings.Table != "" {
		t.Errorf("%+v, %v", nim, err)
	}
	for _, p := range nim.Points {
		if p.Opponent != "optimal" || gameCount(p) != 6 {
			t.Errorf("%+v", p)
		}
	}
}

// untimed returns the points of a file without times.
func untimed(t *testing.T, path string) []matchPoint {
	t.Helper()
	d, err := loadData[matchPoint](path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Points {
		d.Points[i].SecondsPerMove = 0
	}
	slices.SortFunc(d.Points, func(a, b matchPoint) int { return strings.Compare(a.Agent+a.Opponent, b.Agent+b.Opponent) })
	return d.Points
}

// A report that was stopped between two points or in the middle of one resumes, and ends with the points of an undisturbed one.
func TestReportResumes(t *testing.T) {
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, true)
	whole, broken := t.TempDir(), t.TempDir()
	args := func(out string) []string {
		return []string{"report", "--dir", dir, "--out", out, "--data", filepath.Join(out, "ladder"), "--boards", "notakto-3x3,nim-3x3", "--iterations", "0,20,50", "--games", "4", "--states", "5", "--quiet"}
	}
	if err := runLadder(t, args(whole)...); err != nil {
		t.Fatal(err)
	}
	p := &planner{reporter: &reporter{
		out: broken, data: filepath.Join(broken, "ladder"), dir: &dir, iterations: newIterations("0,20,50"),
		games: cli.NewCount(4, maxGames), turns: cli.NewCount(200, maxTurns), states: cli.NewCount(5, maxStates),
	}, cmd: newRoot()}
	p.display, p.seed, p.threads.Count = quiet(t), 1, 2
	p.cmd.SetContext(t.Context())
	p.cmd.SetErr(io.Discard)
	if err := errors.Join(p.plan(board{"notakto", 3}, &campaign[0]), p.plan(board{"nim", 3}, &campaign[1])); err != nil {
		t.Fatal(err)
	}
	all, done := len(p.jobs), 0
	stopped := errors.New("stopped")
	for i := range p.jobs {
		do := p.jobs[i].do
		p.jobs[i].do = func(ctx context.Context, report func(float64)) error {
			if done++; done > all/2 {
				ctx, cancel := context.WithCancelCause(ctx)
				cancel(stopped)
				return do(ctx, report)
			}
			return do(ctx, report)
		}
	}
	if left, err := p.run(); !errors.Is(err, stopped) || left != all-all/2 {
		t.Fatalf("%d of %d are left, %v", left, all, err)
	}
	strengths := filepath.Join("ladder", "strength-notakto-3x3")
	had, want := untimed(t, filepath.Join(broken, strengths)), untimed(t, filepath.Join(whole, strengths))
	if len(had) == 0 || len(had) >= len(want) {
		t.Fatalf("%d of %d points are there", len(had), len(want))
	}
	if err := runLadder(t, args(broken)...); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{strengths, filepath.Join("ladder", "players-notakto-3x3"), filepath.Join("ladder", "climb-nim-3x3")} {
		if diff := cmp.Diff(untimed(t, filepath.Join(whole, name)), untimed(t, filepath.Join(broken, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// checkPoint replays the match of a point.
func checkPoint(t *testing.T, d *data[matchPoint], env *agents.Env, agent, opponent string) {
	t.Helper()
	defer env.Close()
	m := arena.Match{Rules: env.Rules, Start: env.Rules.Start(), Games: d.Settings.Games, Turns: d.Settings.TurnLimit, Seed: d.Settings.Seed, Threads: 1}
	for i, name := range []string{agent, opponent} {
		a, err := agents.Parse(t.Context(), name, env)
		if err != nil {
			t.Fatal(err)
		}
		m.Agents[i] = a
	}
	s, err := m.Play(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &ladder{strength: d}
	p := l.Result(agent, opponent)
	if p == nil || p.began() != s.Began || p.replied() != s.Replied || p.Lost != s.Lost || p.LostPlies != s.LostPlies {
		t.Errorf("%+v, but the match is %+v", p, s)
	}
}

// quiet returns a display that shows nothing.
func quiet(t *testing.T) *progress.Display {
	t.Helper()
	cmd := newRoot()
	d := progress.Flags(cmd)
	if err := cmd.Flags().Set("quiet", "true"); err != nil {
		t.Fatal(err)
	}
	return d
}

// With little time a report has few points.
func TestBudget(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, true)
	var said strings.Builder
	root := newRoot()
	root.SetArgs([]string{"report", "--dir", dir, "--out", out, "--data", filepath.Join(out, "ladder"), "--boards", "notakto", "--budget", "1ns", "--quiet"})
	root.SetOut(io.Discard)
	root.SetErr(&said)
	root.SilenceErrors, root.SilenceUsage = true, true
	err := root.Execute()
	if err == nil || !strings.HasPrefix(err.Error(), "there are no strengths in ") {
		t.Errorf("%v", err)
	}
	p := &planner{reporter: &reporter{
		out: out, data: filepath.Join(out, "ladder"), dir: &dir, iterations: newIterations("0"),
		games: cli.NewCount(200, maxGames), turns: cli.NewCount(200, maxTurns), states: cli.NewCount(1000, maxStates),
	}, cmd: root}
	p.display, p.seed, p.threads.Count = quiet(t), 1, 1
	if err := p.plan(board{"notakto", 3}, &campaign[0]); err != nil {
		t.Fatal(err)
	}
	all := len(p.jobs)
	// 2 trainings, 2 policies of 5 + 5 + 2 matches, 5 depths, one in which mcts replies, 5 exams, 5
	// players against 3, and 10 times.
	if all != 2+2*(5+5+2)+5+1+5+5*3+10 {
		t.Errorf("%d jobs", all)
	}
	p.budget = 1
	if left, err := p.run(); err != nil || left != all {
		t.Errorf("%d of %d are left, %v", left, all, err)
	}
}

// Agents with and without iterations have curves.
func TestStrengthCurves(t *testing.T) {
	var points []matchPoint
	for _, agent := range []string{"mcts:10", "mcts:0", "greedy"} {
		for _, opponent := range []string{"optimal", "optimal:blunder=0.1", "shortest", "shortest:blunder=0.1"} {
			s, err := parseStrength(opponent)
			if err != nil {
				t.Fatal(err)
			}
			points = append(points, pointOf(agent, s, 10))
		}
	}
	points = append(points, matchPoint{Agent: "greedy", Opponent: "random"}) // who does not blunder
	curves := strengthPlot(&data[matchPoint]{}, points, player.Shortest).curves
	var names []string
	for _, c := range curves {
		names = append(names, c.name)
	}
	if want := []string{"p = 0", "p = 0.1", "greedy, p = 0", "greedy, p = 0.1"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	drawn := lines(curves, byIterations, func(s sample) []float64 { return []float64{float64(s.iterations)} })
	if p := drawn[0].Points; len(p) != 2 || p[0].X != 0 || p[1].X != 10 || p[0].Y != 10 || p[0].Low >= 10 || p[0].High <= 10 {
		t.Errorf("%+v", p)
	}
	if least, most := iterationsRange(curves); least != 0 || most != 10 {
		t.Errorf("%v to %v", least, most)
	}
	if _, most := iterationsRange(curves[2:]); most != noIterations {
		t.Error("greedy has iterations")
	}
}

// By a table without steps no opponent plays shortest.
func TestPlanWithoutSteps(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, false)
	p := &planner{reporter: &reporter{
		data: out, dir: &dir, iterations: newIterations("0,200"),
		games: cli.NewCount(4, maxGames), turns: cli.NewCount(200, maxTurns), states: cli.NewCount(5, maxStates),
	}, cmd: newRoot()}
	if err := p.plan(board{"notakto", 3}, &campaign[0]); err != nil {
		t.Fatal(err)
	}
	var perfect int // without blunders
	for _, j := range p.jobs {
		if strings.Contains(j.what, "shortest") {
			t.Error(j.what)
		}
		if strings.HasSuffix(j.what, " against optimal") {
			perfect++
		}
	}
	if perfect != 6+5+2 { // in strength all agents and depths, in length mcts
		t.Errorf("%d matches", perfect)
	}
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
}
