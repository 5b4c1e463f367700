package cluster

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"backsolve/retro"
)

// A worker needs the memory of the classes that are wanted, and no more; when the emptier ones are
// wanted, too, one that has not enough for them ends and says so.
func TestMemoryDownToClass(t *testing.T) {
	t.Parallel()
	c, space := newCell(t), quixo(t, 4)
	const class = 12
	small := retro.PeerNeed(space, retro.Options{Threads: 1, DownTo: class})
	if whole := retro.PeerNeed(space, retro.Options{Threads: 1}); small >= whole {
		t.Fatalf("down to class %d it takes %d bytes, and %d for all", class, small, whole)
	}
	path := filepath.Join(t.TempDir(), "table.tb")
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(errStopped)
	ended := make(chan error, 1)
	go func() { ended <- Work(ctx, WorkOptions{Options: c.options(), Threads: 1, Memory: small}) }()

	how := retro.Options{DownTo: class}
	coordinator, err := Begin(t.Context(), space, NewSolve(space, how), c.together(1, 1<<13))
	if err != nil {
		t.Fatal(err)
	}
	how.Crew = coordinator
	if err := solve(coordinator.Context(), path, space, how); err != nil {
		t.Fatal(err)
	}
	coordinator.Close()
	if len(ended) > 0 {
		t.Fatalf("the worker has ended: %v", <-ended)
	}

	solved := make(chan error, 1)
	go func() { solved <- coordinate(t.Context(), path, space, false, c.together(1, 1<<13)) }()
	if memory := (*retro.MemoryError)(nil); !errors.As(<-ended, &memory) {
		t.Error("a worker whose memory does not suffice goes on")
	}
	c.employ(t, nil)
	if err := <-solved; err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, false)) {
		t.Error("it is another table")
	}
}
