package generic

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/durable"
	"backsolve/tablebase/sparse"
)

// A checkpoint is used only where its numbers fit together, each at its bound.
func TestSoundCheckpoints(t *testing.T) {
	key := func(number, keys int) file { return file{Name: nameOf(number, "keys"), Keys: keys, Bytes: 1} }
	value := func(number, keys int) file {
		return file{Name: nameOf(number, "values"), Keys: keys, Bytes: 2 * int64(keys)}
	}
	for what, change := range map[string]struct {
		change func(c *checkpoint)
		sound  bool
	}{
		"as it is":                 {func(*checkpoint) {}, true},
		"nothing found":            {func(c *checkpoint) { c.Keys, c.Values = nil, nil }, true},
		"found alone":              {func(c *checkpoint) { c.Values = nil }, true},
		"solved before found":      {func(c *checkpoint) { c.Keys = c.Keys[:1] }, false},
		"too many tiers":           {func(c *checkpoint) { c.Keys = append(c.Keys, nil) }, false},
		"too few runs":             {func(c *checkpoint) { c.Runs = c.Runs[1:] }, false},
		"too many runs":            {func(c *checkpoint) { c.Runs = append(c.Runs, nil) }, false},
		"too many values":          {func(c *checkpoint) { c.Values = append(c.Values, file{}, file{}) }, false},
		"values of an empty tier":  {func(c *checkpoint) { c.Keys[0], c.Values = nil, append(c.Values, file{}) }, true},
		"values of other keys":     {func(c *checkpoint) { c.Values[0] = value(2, 4) }, false},
		"values of another length": {func(c *checkpoint) { c.Values[0].Bytes++ }, false},
		"a negative number":        {func(c *checkpoint) { c.Keys, c.Values, c.Next = nil, nil, -1 }, false},
		"the first number":         {func(c *checkpoint) { c.Keys, c.Values, c.Next = nil, nil, 0 }, true},
		"the last number":          {func(c *checkpoint) { c.Next = 1 << 30 }, true},
		"a number too large":       {func(c *checkpoint) { c.Next = 1<<30 + 1 }, false},
		"a number in use":          {func(c *checkpoint) { c.Next = 2 }, false},
		"one key":                  {func(c *checkpoint) { c.Keys[0][0].Keys = 1 }, true},
		"no keys":                  {func(c *checkpoint) { c.Keys[0][0].Keys = 0 }, false},
		"as many keys as can be":   {func(c *checkpoint) { c.Keys[0][0].Keys = math.MaxInt / 2 }, true},
		"more":                     {func(c *checkpoint) { c.Keys[0][0].Keys = math.MaxInt/2 + 1 }, false},
		"no bytes":                 {func(c *checkpoint) { c.Keys[0][0].Bytes = 0 }, false},
		"as many as can be":        {func(c *checkpoint) { c.Keys[0][0].Bytes = math.MaxInt }, true},
		"a foreign name":           {func(c *checkpoint) { c.Runs[1] = []file{{Name: "x", Keys: 1, Bytes: 1}} }, false},
	} {
		c := checkpoint{Tiers: 2, Next: 3, Keys: [][]file{{key(0, 3)}, {key(1, 5)}}, Runs: make([][]file, 2), Values: []file{value(2, 5)}}
		change.change(&c)
		if c.sound() != change.sound {
			t.Errorf("%s: it is sound %t", what, !change.sound)
		}
	}
}

// A game has from one to custom.MaxTiers tiers, and begins in one of them.
func TestTiersOfRules(t *testing.T) {
	for _, c := range []struct {
		tiers, start int
		fits         bool
	}{{0, 0, false}, {1, 0, true}, {1, -1, false}, {1, 1, false}, {3, 2, true}, {custom.MaxTiers, 0, true}, {custom.MaxTiers + 1, 0, false}} {
		at := custom.Child{Key: 1, Tier: c.start}
		g := &graph{tiers: c.tiers, loops: make([]bool, c.tiers), nodes: map[custom.Child]node{at: {over: true, outcome: game.Lose}}, start: at}
		s, err := Solve(t.Context(), filepath.Join(t.TempDir(), "work"), g, Options{})
		if (err == nil) != c.fits || err != nil && !errors.Is(err, ErrRules) {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil {
			if err := s.Remove(); err != nil {
				t.Error(err)
			}
		}
		if c.tiers > 0 {
			if p, err := Estimate(t.Context(), g, PlanOptions{}); c.tiers <= custom.MaxTiers && (err == nil) != c.fits || c.fits && p.States != 1 {
				t.Errorf("%+v is planned: %+v, %v", c, p, err)
			}
		}
	}
}

// A quick solve makes no checkpoint.
func TestQuickSolve(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work")
	s, err := Solve(t.Context(), dir, newGraph(rand.New(rand.NewPCG(3, 9)), 3, 100), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, checkpointName)); err == nil {
		t.Error("there is a checkpoint")
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory is left")
	}
}

// Scores order values: a loss is better the later, a win the sooner, and a draw lies between. A move to a state
// is worth the opposite, one ply later.
func TestScores(t *testing.T) {
	if draw := scoreOf(game.Draw, -1); draw != drawn || draw.before() != drawn || draw.value() != (sparse.Value{Outcome: game.Draw, Steps: -1}) {
		t.Error("a draw is no draw")
	}
	for steps := range MostPlies + 1 {
		win, loss := scoreOf(game.Win, steps), scoreOf(game.Lose, steps)
		if win.value() != (sparse.Value{Outcome: game.Win, Steps: steps}) || loss.value() != (sparse.Value{Outcome: game.Lose, Steps: steps}) || loss >= drawn || win <= drawn || loss == 0 {
			t.Fatalf("%d plies: %d, %d", steps, win, loss)
		}
		if win.before() != scoreOf(game.Lose, steps+1) || loss.before() != scoreOf(game.Win, steps+1) {
			t.Fatalf("%d plies: a move is worth %d, %d", steps, win.before(), loss.before())
		}
		if win.capped() != win || loss.capped() != loss {
			t.Fatalf("%d plies are capped", steps)
		}
	}
	for _, outcome := range []game.Outcome{game.Win, game.Lose} {
		if s := scoreOf(outcome, MostPlies+1); s.capped() != scoreOf(outcome, MostPlies) {
			t.Errorf("%v in too many plies is capped to %d", outcome, s.capped())
		}
	}
}

// The work beside a table is left alone while another process uses it.
func TestCleanUpInUse(t *testing.T) {
	g := newGraph(rand.New(rand.NewPCG(1, 6)), 3, 100)
	_, table := made(t, g, Options{})
	work := table.Path() + WorkSuffix
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	lock, err := durable.Lock(work)
	if err != nil {
		t.Fatal(err)
	}
	if err := CleanUp(t.Context(), table.Path(), table, g); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(work); err != nil {
		t.Error("it is removed in use")
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := CleanUp(t.Context(), table.Path(), table, g); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(work)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A pass counts the states that it leaves, and the moves between them, whatever the threads.
func TestPass(t *testing.T) {
	small(t)
	const states = 1000
	ring := &graph{tiers: 1, loops: []bool{true}, nodes: map[custom.Child]node{}}
	for key := range uint64(states) {
		ring.nodes[custom.Child{Key: key}] = node{children: []custom.Child{{Key: (key + 1) % states}, {Key: (key + 7) % states}, {Key: (key + 99) % states}}}
	}
	for _, threads := range []int{1, 3} {
		s, err := Solve(t.Context(), filepath.Join(t.TempDir(), "work"), ring, Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		l := &loops{s: s, found: make([]growing, threads), state: make([]uint32, states)}
		if left, err := l.pass(t.Context(), 0); err != nil || left != (rest{states, 3 * states, -1}) {
			t.Errorf("%d threads: %+v, %v", threads, left, err)
		}
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	}
}
