package solve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game/custom"
	"backsolve/game/examples/hounds"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/retro/generic"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// A game that is defined by its positions is planned, refused before any work, interrupted, resumed and
// found again like a board.
func TestGame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	g := Game{Dir: dir, Rules: custom.List(hounds.Game{})}
	plan := func(possible bool) *Plan {
		t.Helper()
		p, err := g.Plan(t.Context(), nil)
		if err != nil || p.Possible != possible || p.States != 1111 || p.Low != 0 {
			t.Errorf("the plan is %+v, %v", p, err)
		}
		return p
	}
	g.Limit = Limit{Bytes: 1}
	plan(false)
	if _, _, err := g.Solve(t.Context()); !errors.As(err, new(*Refusal)) || !errors.As(err, new(*MemoryError)) {
		t.Errorf("with a byte of memory: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a refused solve has made the directory")
	}
	g.Limit = Limit{}
	if p := plan(true); p.Memory == 0 || p.Disk == 0 || p.Table.State != "none" {
		t.Errorf("the plan is %+v", p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	g.Progress = func(now tablebase.Event) {
		if now.Stage == tablebase.Solving {
			cancel()
		}
	}
	if _, _, err := g.Solve(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if p := plan(true); p.Table.State != "unfinished" || p.Table.Bytes == 0 {
		t.Errorf("interrupted, the plan is %+v", p)
	}
	g.Progress = nil
	for _, want := range []bool{true, false} {
		table, s, err := g.Solve(t.Context())
		if err != nil || s.Existing == want || s.States != 1111 || s.StatesPerSecond != 0 {
			t.Fatalf("solved now: %+v, %v", s, err)
		}
		table.Close()
	}
	if s, states := g.State(); s.State != "solved" || !s.HasSteps || states != 1111 {
		t.Errorf("the table is %+v of %d states", s, states)
	}
}

// A solve is refused on what it needs at the very least, and what an interrupted one has written counts
// as free.
func TestGameNeeds(t *testing.T) {
	g := Game{Dir: t.TempDir(), Rules: custom.List(hounds.Game{})}
	free := machine.FreeDisk(g.Dir)
	if free == machine.Unknown {
		t.Skip("what is free is not known")
	}
	if err := g.tooLarge(&generic.Plan{LeastDisk: free / 2, Disk: 1 << 60, MinMemory: 1 << 60}); err != nil {
		t.Errorf("what may suffice is refused: %v", err)
	}
	if err := g.tooLarge(&generic.Plan{LeastDisk: 1 << 60}); !errors.As(err, new(*DiskError)) {
		t.Errorf("a full disk: %v", err)
	}
}

// The table of a game has a state in each form, and is used in each, unless it is to be made anew.
func TestGameForms(t *testing.T) {
	g := Game{Dir: t.TempDir(), Rules: custom.List(hounds.Game{})}
	if s, states := g.State(); s != (State{State: "none"}) || states != 0 {
		t.Errorf("of nothing: %+v", s)
	}
	solve := func(want bool) error {
		t.Helper()
		table, s, err := g.Solve(t.Context())
		if err == nil {
			table.Close()
		}
		if (s != nil && !s.Existing) != want {
			t.Errorf("solved now: %+v, %v", s, err)
		}
		return err
	}
	if err := solve(true); err != nil || g.Expected.States != 1111 {
		t.Fatal(err, g.Expected.States)
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if s, _ := g.State(); s != (State{State: "solved", HasSteps: true, Bytes: size(g.Path())}) {
		t.Errorf("plain: %+v", s)
	}
	packed, err := writer.Pack(t.Context(), g.Path(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(g.Path()); err != nil {
		t.Fatal(err)
	}
	if s, states := g.State(); s != (State{State: "packed", HasSteps: true, Bytes: size(packed)}) || states != 1111 {
		t.Errorf("packed: %+v", s)
	}
	if err := solve(false); err != nil {
		t.Error(err)
	}
	g.Force, g.Outcomes = true, true
	if err := solve(true); err != nil {
		t.Error(err)
	}
	if s, _ := g.State(); s.HasSteps || s.State != "solved" {
		t.Errorf("without steps: %+v", s)
	}
	g.Force = false
	for _, path := range []string{g.Path(), packed} {
		if err := os.WriteFile(path, []byte("a letter"), 0o644); err != nil {
			t.Fatal(err)
		}
		s, _ := g.State()
		p, err := g.Plan(t.Context(), nil)
		if s.State != "unusable" || s.Bytes < 8 || s.Err == nil || s.Reason != s.Err.Error() || err != nil || p.Possible || p.Why != s.Reason {
			t.Errorf("%s: %+v, %v", path, s, err)
		}
		if err := solve(false); err == nil || err.Error() != s.Reason {
			t.Errorf("%s: %v", path, err)
		}
		if path == g.Path() {
			os.Remove(path)
		}
	}
	os.Remove(packed)
	lock, err := durable.Lock(g.work())
	if err != nil {
		t.Fatal(err)
	}
	if p, err := g.Plan(t.Context(), nil); err != nil || p.Possible || !errors.Is(p.Err, durable.ErrHeld) {
		t.Errorf("while it runs: %+v, %v", p, err)
	}
	if err := solve(false); !errors.Is(err, durable.ErrHeld) {
		t.Errorf("while it runs: %v", err)
	}
	lock.Unlock()
	g.Dir = filepath.Join(g.Dir, "none", "new")
	p, err := g.Plan(t.Context(), nil)
	if err != nil || p.Possible || !errors.As(p.Err, new(*DirError)) || !errors.As(p.Err, new(*Refusal)) {
		t.Errorf("without a directory: %+v, %v", p, err)
	}
	if err := solve(false); !errors.As(err, new(*DirError)) {
		t.Errorf("without a directory: %v", err)
	}
}
