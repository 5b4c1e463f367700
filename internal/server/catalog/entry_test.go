package catalog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A table is closed when it is dropped and nobody uses it, and at no other
// moment, in whatever order users come and go.
func TestUsers(t *testing.T) {
	dir := newDir(t)
	rapid.Check(t, func(rt *rapid.T) {
		c, err := Open([]string{dir}, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		watcher := find(t, c, "notakto", 2, "")
		watcher.Release()
		var users []Handle
		dropped := false
		for range rapid.IntRange(1, 30).Draw(rt, "events") {
			switch event := rapid.IntRange(0, 5).Draw(rt, "event"); {
			case event <= 2:
				h, err := c.Find("notakto", 2, "")
				if (err == nil) == dropped {
					rt.Fatalf("dropped %v, but found: %v", dropped, err)
				}
				if err == nil {
					users = append(users, h)
				}
			case event <= 4 && len(users) > 0:
				i := rapid.IntRange(0, len(users)-1).Draw(rt, "user")
				users[i].Release()
				users = append(users[:i], users[i+1:]...)
			case event == 5:
				c.Close()
				dropped = true
			}
			if closed := isClosed(t, watcher); closed != (dropped && len(users) == 0) {
				rt.Fatalf("dropped %v, %d users, closed %v", dropped, len(users), closed)
			}
		}
		for _, h := range users {
			h.Release()
		}
	})
}

// Users that come and go on all cores while their table is dropped: whoever got
// it can use it until released, and then it is closed.
func TestUsersMeetDrop(t *testing.T) {
	dir := newDir(t)
	for range 50 {
		c, err := Open([]string{dir}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		watcher := find(t, c, "notakto", 3, "")
		start := watcher.Table().Start()
		watcher.Release()
		var uses atomic.Int64
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for {
					h, err := c.Find("notakto", 3, "")
					if err != nil {
						if !errors.Is(err, errClosed) {
							t.Error(err)
						}
						return
					}
					if _, err := h.Table().Value(start); err != nil {
						t.Error(err)
					}
					uses.Add(1)
					h.Release()
				}
			})
		}
		for uses.Load() < 50 {
		}
		c.Close()
		group.Wait()
		if !isClosed(t, watcher) {
			t.Fatal("the table was left open")
		}
	}
}

// All who ask for the sums at once get the same ones, those who have no time left
// an error; the table stays open for the work.
func TestStats(t *testing.T) {
	c, _ := open(t, newDir(t))
	h := find(t, c, "quixo", 2, "")
	want, err := survey.Summarize(t.Context(), h.Table())
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("no time")
	late, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	var group sync.WaitGroup
	var sums [8]*survey.Stats
	for i := range sums {
		group.Go(func() {
			if s, err := h.Stats(late); err != nil && !errors.Is(err, cause) || err == nil && s == nil {
				t.Errorf("%v, %v", s, err)
			}
			var err error
			if sums[i], err = h.Stats(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, s := range sums {
		if s != sums[0] {
			t.Error("summed up twice")
		}
	}
	if sums[0].Total != want.Total || sums[0].Identity != h.Identity() {
		t.Errorf("%+v, want %+v", sums[0], want)
	}
	h.Release()
}

// Where the catalogue is closed, a user who is left gets no sums, and the table
// is closed after all.
func TestStatsAfterClose(t *testing.T) {
	c, _ := open(t, newDir(t))
	h := find(t, c, "quixo", 2, "")
	c.Close()
	if _, err := h.Stats(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("%v, want %v", err, errClosed)
	}
	if isClosed(t, h) {
		t.Error("closed while in use")
	}
	h.Release()
	if !isClosed(t, h) {
		t.Error("left open")
	}
}

// Damaged data are an error of the sums, too.
func TestStatsOfDamage(t *testing.T) {
	dir := t.TempDir()
	solve(t, dir, "notakto", 4, 0)
	c, _ := open(t, dir)
	damage(t, dir, "notakto-4x4.tb", 0)
	h := find(t, c, "notakto", 4, "")
	defer h.Release()
	for range 2 {
		if _, err := h.Stats(t.Context()); !errors.Is(err, tablebase.ErrDamaged) {
			t.Errorf("%v, want %v", err, tablebase.ErrDamaged)
		}
	}
}
