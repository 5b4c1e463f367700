package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The bytes of a table do not depend on the distribution of work.
func TestBytesDoNotDependOnDistribution(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
	}{{"notakto", 4}, {"notakto", 5}, {"quixo", 3}, {"tictactoe", 3}, {"quixo", 4}} {
		for _, steps := range []bool{false, true} {
			if testing.Short() && (b.n == 4 && b.game == "quixo" || b.n == 5) {
				continue // TestManyThreads has a sixth of the first, and Notakto 4×4 the same threads as 5×5
			}
			t.Run(fmt.Sprintf("%s-%d/steps=%v", b.game, b.n, steps), func(t *testing.T) {
				_, space := newSpace(t, b.game, b.n)
				downTo := 0
				if b.game == "quixo" && b.n == 4 {
					downTo = 13 // a sixth of the states; 3×3 has the emptier classes
				}
				o := tuned{Options{Steps: steps, Threads: 1, TasksPerThread: 1, DownTo: downTo}, tuning{propagation: alwaysPull}}
				path, _ := solveBy(t, space, o)
				want := contents(t, written(path, o.Options))
				for _, o := range []tuned{
					{Options{Threads: 2}, tuning{}},
					{Options{Threads: 3, TasksPerThread: 1}, tuning{propagation: alwaysPush}},
					{Options{Threads: 8, TasksPerThread: 100}, tuning{propagation: alwaysPush}},
					{Options{Threads: 5, TasksPerThread: 3}, tuning{propagation: alwaysPull}},
					{Options{Threads: 4}, tuning{partBits: 1}},
					{Options{Threads: 4}, tuning{partBits: 3, propagation: alwaysPush}},
					{Options{Threads: 3}, tuning{partBits: 7}},
					{Options{Threads: 3}, tuning{partBits: 10, farWords: 1}},
					{Options{Threads: 2}, tuning{farWords: 1}},
					{Options{Threads: 3}, tuning{sectionBits: 6, partBits: 6}},
					{Options{Threads: 2}, tuning{sectionBits: 6, partBits: 1, inParts: 3}},
					{Options{Threads: 2, LogPath: filepath.Join(t.TempDir(), "log")}, tuning{sectionBits: 8, heldWords: 1}},
					{Options{Threads: 3, LogPath: filepath.Join(t.TempDir(), "log")}, tuning{sectionBits: 1, inShards: 5, propagation: alwaysPush}},
				} {
					o.Steps, o.DownTo = steps, downTo
					path, _ := solveBy(t, space, o)
					if !bytes.Equal(contents(t, written(path, o.Options)), want) {
						t.Errorf("other bytes with %+v", o)
					}
				}
			})
		}
	}
}

// Many threads push to the same blocks, for the race detector.
func TestManyThreads(t *testing.T) {
	_, space := newSpace(t, "quixo", 4)
	for _, steps := range []bool{false, true} {
		solveBy(t, space, tuned{Options{Steps: steps, Threads: 16, DownTo: 15}, tuning{propagation: alwaysPush}})
	}
}

var errStop = errors.New("stopped by the test")

// solveUntil cancels a solve at the n-th event. It reports whether the table was finished
// nevertheless.
func solveUntil(t *testing.T, space *partition.Space, path string, steps bool, n int) bool {
	t.Helper()
	w, err := writer.Create(path, shape(space, steps), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	events := 0
	_, err = Solve(ctx, space, w, Options{Steps: steps, Threads: 2, Progress: func(tablebase.Event) {
		if events++; events == n {
			stop(errStop)
		}
	}})
	if err != nil && !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	return err == nil
}

// A solve that is interrupted again and again ends with the same bytes.
func TestResumeEndsWithTheSameBytes(t *testing.T) {
	for _, b := range []struct {
		game   string
		n      int
		events int // between interruptions
	}{{"notakto", 4, 9}, {"notakto", 5, 23}, {"quixo", 3, 31}} {
		for _, steps := range []bool{false, true} {
			if testing.Short() && b.n == 5 && steps {
				continue // takes long under the race detector
			}
			t.Run(fmt.Sprintf("%s-%d/steps=%v", b.game, b.n, steps), func(t *testing.T) {
				_, space := newSpace(t, b.game, b.n)
				whole, _ := solve(t, space, Options{Steps: steps})
				path := filepath.Join(t.TempDir(), "table.tb")
				interrupted := 0
				for !solveUntil(t, space, path, steps, b.events+interrupted) {
					if interrupted++; interrupted > 500 {
						t.Fatal("the solve makes no progress")
					}
				}
				if interrupted == 0 {
					t.Error("the solve was never interrupted")
				}
				if !bytes.Equal(contents(t, path), contents(t, whole)) {
					t.Errorf("other bytes after %d interruptions", interrupted)
				}
			})
		}
	}
}

func TestResumeContinues(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	path := filepath.Join(t.TempDir(), "table.tb")
	w, err := writer.Create(path, shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Solve(context.Background(), space, w, Options{DownTo: 5}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = writer.Create(path, shape(space, false), false); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var classes []int
	r, err := Solve(context.Background(), space, w, Options{Progress: func(e tablebase.Event) {
		if len(classes) == 0 || classes[len(classes)-1] != e.At && e.Stage != tablebase.Sealed {
			classes = append(classes, e.At)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Resumed != 5 || classes[0] != 4 {
		t.Errorf("resumed %d classes and went on with class %d, want 5 and 4", r.Resumed, classes[0])
	}
}

func TestCancelledBeforeItBegins(t *testing.T) {
	_, space := newSpace(t, "quixo", 4)
	w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errStop)
	if _, err := Solve(ctx, space, w, Options{}); !errors.Is(err, errStop) {
		t.Errorf("error %v, want the cause of the cancellation", err)
	}
	if n := len(w.Sealed()); n != 0 {
		t.Errorf("%d classes sealed by a solve that never began", n)
	}
}

// A solve keeps its memory limit, or reports what it needs.
func TestMemoryLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	for _, steps := range []bool{false, true} {
		_, space := newSpace(t, "quixo", 4)
		o := Options{Steps: steps, Threads: 2}
		const runtimeBytes = 24 << 20
		need := o.Plan(space).Memory()
		o.Memory = need
		solve(t, space, o)
		for _, share := range []int64{2, 100} {
			w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, steps), false)
			if err != nil {
				t.Fatal(err)
			}
			o.Memory = runtimeBytes + (need-runtimeBytes)/share
			_, err = Solve(context.Background(), space, w, o)
			var limit *MemoryError
			if !errors.As(err, &limit) || limit.Need <= limit.Limit {
				t.Errorf("steps %v, limit %d of %d: %v, want a memory error", steps, o.Memory, need, err)
			}
			w.Close()
		}
	}
}

// A resumed solve with steps writes the logs of the last class again from the table, in sections of
// any length.
func TestResumeRewritesLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	_, space := newSpace(t, "quixo", 4)
	whole, _ := solve(t, space, Options{Steps: true})
	want := contents(t, whole)
	for _, suffix := range []string{"", tablebase.PackedSuffix} {
		path := filepath.Join(t.TempDir(), "table.tb"+suffix)
		for i, o := range []tuned{
			{Options{DownTo: 14}, tuning{}},
			{Options{DownTo: 9}, tuning{sectionBits: 6, partBits: 6}},
			{Options{DownTo: 5, LogPath: path}, tuning{heldWords: 1}},
			{Options{}, tuning{sectionBits: 7}},
		} {
			o.Steps = true
			w, err := writer.Create(path, shape(space, true), false)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := o.solve(context.Background(), space, w); err != nil || (r.Resumed == 0) != (i == 0) {
				t.Fatalf("%+v: %+v, %v", o, r, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if suffix != "" {
			if _, err := writer.Unpack(context.Background(), path, false, nil); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(contents(t, strings.TrimSuffix(path, suffix)), want) {
			t.Errorf("%s has other bytes", path)
		}
		left, err := filepath.Glob(path + ".log-*")
		if err != nil || len(left) > 0 {
			t.Errorf("the logs stay: %v, %v", left, err)
		}
	}
}

// A replay takes nothing from the one before it, which may have ended with an error.
func TestLogReplayStartsEmpty(t *testing.T) {
	const words = 64
	l := &level{class: &partition.Class{}, words: words, win: make([]uint64, words), lose: make([]uint64, words)}
	l.won, l.lost = plylog.New(plylog.NewMemory(), words, 6), plylog.New(plylog.NewMemory(), words, 6)
	states := make([]uint64, words)
	states[5] = 1
	r := &logReplay{planes: tablebase.Planes{Win: states, Lose: make([]uint64, words), Steps: [][]uint64{states}}}
	var b plylog.Buffer
	if err := r.take(l, 0, &b); !errors.Is(err, ErrUnusable) {
		t.Fatalf("a ply that was not begun: %v", err)
	}
	l.won.Begin(1)
	l.lost.Begin(1)
	clear(states)
	if err := r.take(l, 0, &b); err != nil || l.won.Has(1, 0) || l.lost.Has(1, 0) {
		t.Errorf("%v; won states are logged: %v, lost ones: %v", err, l.won.Has(1, 0), l.lost.Has(1, 0))
	}
}
