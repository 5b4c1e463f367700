package survey

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// drawnRing returns the table of a ring, in which all states are drawn.
func drawnRing(t *testing.T, n int) *probe.Sparse {
	t.Helper()
	return written(t, custom.List(ring(n)), func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for s := 0; s < n && yield(uint64(s), sparse.Value{Outcome: game.Draw, Steps: -1}); s++ {
			}
		}
	})
}

// A walk reports all states that it visits, a task at a time, and ends soon after its context.
func TestWalkProgress(t *testing.T) {
	const n = 2*sampleTask + 5
	table := drawnRing(t, n)
	for _, c := range []struct {
		sample uint64
		want   []uint64 // after each report
	}{
		{0, []uint64{sampleTask, 2 * sampleTask, 2 * sampleTask, n}}, // a run has two tasks, and nothing is left at its end
		{sampleTask, []uint64{sampleTask}},
		{sampleTask + 1, []uint64{sampleTask, sampleTask + 1}},
		{2 * n, []uint64{sampleTask, 2 * sampleTask, n}},
	} {
		visited := 0
		var done []uint64
		o := WalkOptions{Sample: c.sample, Threads: 1, Progress: func(e tablebase.Event) {
			if done = append(done, e.Done); e.Stage != "visit" || e.Unit != "states" || e.Total != c.want[len(c.want)-1] {
				t.Errorf("a sample of %d: %+v", c.sample, e)
			}
		}}
		err := Walk(t.Context(), table, o, func(visits iter.Seq[*Visit]) error {
			for range visits {
				visited++
			}
			return nil
		})
		if err != nil || !slices.Equal(done, c.want) || uint64(visited) != c.want[len(c.want)-1] {
			t.Errorf("a sample of %d: %d are visited, %v, %v, want %v", c.sample, visited, done, err, c.want)
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		o.Progress = func(tablebase.Event) { cancel(cause) }
		visited = 0
		err = Walk(ctx, table, o, func(visits iter.Seq[*Visit]) error {
			for range visits {
				visited++
			}
			return nil
		})
		if err != cause || visited != sampleTask {
			t.Errorf("a sample of %d: %d are visited after the end, %v", c.sample, visited, err)
		}
	}
}

// Tables of one board are compared by outcomes, of whichever kind they are; the file is closed again.
func TestCompareOutcomes(t *testing.T) {
	quixo := open(t, "quixo", 2, false)
	flipped := altered(t, quixo, 0, func(p *tablebase.Planes, c *tablebase.Counts) {
		p.Win[0], p.Lose[0] = p.Lose[0], p.Win[0]
		c.ByWeight[0].Wins, c.ByWeight[0].Losses = c.ByWeight[0].Losses, c.ByWeight[0].Wins
	})
	small, large := drawnRing(t, 5), drawnRing(t, 6)
	notakto := open(t, "notakto", 4, false)
	opening, _ := probetest.Opening(t, notakto, 1)
	for _, c := range []struct {
		name   string
		table  Table
		file   string
		differ uint64
		total  uint64
		cause  error
	}{
		{"the same", quixo, quixo.Stored().Path(), 0, StoredStates(quixo), nil},
		{"the empty board", quixo, flipped.Stored().Path(), 1, StoredStates(quixo), nil},
		{"an opening", notakto, opening.Stored().Path(), 0, 0, tablebase.ErrInput},
		{"the same ring", small, small.Stored().Path(), 0, 5, nil},
		{"another ring", small, large.Stored().Path(), 0, 0, tablebase.ErrInput},
		{"another board", quixo, open(t, "notakto", 2, false).Stored().Path(), 0, 0, tablebase.ErrInput},
		{"none", quixo, quixo.Stored().Path() + "2", 0, 0, fs.ErrNotExist},
		{"no ring", small, small.Stored().Path() + "2", 0, 0, fs.ErrNotExist},
		{"a board for a ring", small, quixo.Stored().Path(), 0, 0, tablebase.ErrForeign},
		{"a ring for a board", quixo, small.Stored().Path(), 0, 0, tablebase.ErrForeign},
	} {
		var last tablebase.Event
		differ, err := CompareOutcomes(t.Context(), c.table, c.file, func(e tablebase.Event) {
			if e.Done <= last.Done {
				t.Errorf("%s: %+v after %+v", c.name, e, last)
			}
			last = e
		})
		if differ != c.differ || last.Total != c.total || last.Done != c.total || c.cause == nil && err != nil || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%s: %d differ, %+v, %v", c.name, differ, last, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := CompareOutcomes(ended, c.table, c.file, nil); c.cause == nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s, after the end: %v", c.name, err)
		}
	}
}
