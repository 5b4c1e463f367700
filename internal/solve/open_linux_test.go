package solve

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"backsolve/game/custom"
	"backsolve/game/examples/hounds"
	"backsolve/retro"
	"backsolve/tablebase"
)

// closed fails the test if a file below a directory is open or mapped.
func closed(t *testing.T, what, dir string) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	all := string(maps)
	for _, f := range open {
		to, _ := os.Readlink("/proc/self/fd/" + f.Name())
		all += to + "\n"
	}
	for line := range strings.Lines(all) {
		if strings.Contains(line, dir) {
			t.Errorf("%s leaves open: %s", what, line)
		}
	}
}

// What a solve, a plan or a question for the state opens, they close.
func TestAllIsClosed(t *testing.T) {
	g := Game{Dir: t.TempDir(), Rules: custom.List(hounds.Game{})}
	ctx, cancel := context.WithCancel(t.Context())
	g.Progress = func(p tablebase.Event) {
		if p.Stage == tablebase.Solving {
			cancel()
		}
	}
	if _, _, err := g.Solve(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	closed(t, "an interrupted solve of a game", g.Dir)
	g.Progress = nil
	for _, force := range []bool{false, false, true} {
		g.Force = force
		table, _, err := g.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		table.Close()
		closed(t, "a solve of a game", g.Dir)
		if _, err := g.Plan(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		closed(t, "a plan of a game", g.Dir)
		g.State()
		closed(t, "the state of a game", g.Dir)
	}
	b := newBoards(t, 4)
	for name, o := range map[string]Options{
		"a part": {Engine: retro.Options{DownTo: 4}}, "a table": {}, "a table, again": {}, "by force": {Force: true}, "with steps": steps, "packed": packed,
		"an archive": archive, "nimbers": nimbers, "a result": {Keep: KeepResult}, "a result, again": {Keep: KeepResult},
		"an opening table": {Keep: KeepOpening, OpeningBytes: 48 << 10, Force: true}, "too little": {Limit: Limit{Bytes: 1}, Force: true},
	} {
		b.job(o).Plan()
		closed(t, "the plan of "+name, b.dir)
		b.solve(o) // some are refused
		closed(t, name, b.dir)
		StateOf(b.rules, 0, b.dir)
		closed(t, "the state after "+name, b.dir)
	}
}
