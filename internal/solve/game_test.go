package solve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game/custom"
	"backsolve/game/examples/hounds"
	"backsolve/internal/machine"
	"backsolve/retro/generic"
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
	g.Progress = func(now generic.Progress) {
		if now.Phase == generic.Solving {
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
		table, solved, err := g.Solve(t.Context())
		if err != nil || solved != want {
			t.Fatalf("solved now: %v, %v", solved, err)
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
