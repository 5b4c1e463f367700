package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"backsolve/partition"
	"backsolve/retro"
)

// quixo returns the space of a board whose classes have moves inside.
func quixo(t *testing.T, n int) partition.Space {
	t.Helper()
	space, err := (&Solve{Game: "quixo", Size: n}).space()
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// together are the options of a coordinator that expects so many workers and shares out
// phases that look at so many states.
func (c *cell) together(workers int, from int64) Options {
	o := c.options()
	o.Expect, o.ShareFrom = workers, from
	return o
}

// wantQuixo solves a board by the workers of the cell and compares the table.
func (c *cell) wantQuixo(t *testing.T, n int, steps bool, o Options) {
	t.Helper()
	space, path := quixo(t, n), filepath.Join(t.TempDir(), "table.tb")
	if err := coordinate(t.Context(), path, space, steps, o); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, steps)) {
		t.Errorf("quixo %d, steps %v: it is another table", n, steps)
	}
}

// A table has the same bytes however many workers solve its classes together, whether what
// they tell each other goes through NATS or through the store, and nothing is left of it.
func TestSameBytesTogether(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			if testing.Short() && workers != 2 {
				t.Skip("takes long")
			}
			c := newCell(t)
			shared := make([]atomic.Int64, workers)
			for i := range workers {
				c.employ(t, func(o *WorkOptions) {
					o.Threads = 1 + i%2
					if i%2 == 1 {
						o.inline = 50
					}
					o.begun = func(int, int) { shared[i].Add(1) }
				})
			}
			for _, n := range []int{2, 3} {
				for _, steps := range []bool{false, true} {
					c.wantQuixo(t, n, steps, c.together(workers, 1))
				}
			}
			for i := range shared {
				if shared[i].Load() == 0 {
					t.Errorf("worker %d had no part in it", i)
				}
			}
			if workers == 2 && !testing.Short() {
				c.wantQuixo(t, 4, false, c.together(workers, 1<<13))
				c.wantQuixo(t, 4, true, c.together(workers, 1<<15))
			}
			c.wantNothing(t)
		})
	}
}

// Where no phase is worth it, each solves all by itself, and nothing is sent.
func TestNothingIsWorthIt(t *testing.T) {
	c := newCell(t)
	var shared atomic.Int64
	for range 2 {
		c.employ(t, func(o *WorkOptions) { o.begun = func(int, int) { shared.Add(1) } })
	}
	c.wantQuixo(t, 3, true, c.together(2, 1<<40))
	if n := shared.Load(); n > 0 {
		t.Errorf("%d phases were shared out", n)
	}
	c.wantNothing(t)
}

// What one process has begun is gone on with by workers, who are handed the class above, and
// the other way round; and a coordinator by another one, with its table or without.
func TestGoesOnTogether(t *testing.T) {
	for _, steps := range []bool{false, true} {
		c, space := newCell(t), quixo(t, 3)
		c.employ(t, nil)
		c.employ(t, nil)
		path := inTurns(t, space, steps, c.together(2, 1), func(class int) bool { return class%3 != 0 })
		if !bytes.Equal(contents(t, path), plain(t, space, steps)) {
			t.Errorf("steps %v: it is another table", steps)
		}
		c.wantQuixo(t, 3, steps, c.together(2, 1))
		c.wantNothing(t)
	}
}

// A worker that comes in the middle is handed the class above, and takes part from the next
// class on. What it is handed may be damaged on the way: then it is put there again.
func TestLateWorker(t *testing.T) {
	c := newCell(t)
	for _, name := range []string{"NATS_USER", "NATS_PASSWORD"} {
		t.Setenv(name, c.server.Getenv(name))
	}
	o := c.together(1, 1)
	var harmed atomic.Bool
	o.Store = &damaged{c.store, func(name string, b []byte) []byte {
		if strings.Contains(name, "/piece-") && harmed.CompareAndSwap(false, true) {
			b[len(b)/2] ^= 4
		}
		return b
	}}
	var heard sayings
	o.Say = heard.say
	reached, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	var late atomic.Int64
	c.employ(t, func(o *WorkOptions) {
		o.begun = func(class, phase int) {
			if class == 6 && phase == 2 {
				once.Do(func() { close(reached); <-goOn })
			}
		}
	})
	space, path := quixo(t, 3), filepath.Join(t.TempDir(), "table.tb")
	done := make(chan error, 1)
	go func() { done <- coordinate(t.Context(), path, space, true, o) }()
	<-reached
	c.employ(t, func(o *WorkOptions) { o.begun = func(class, _ int) { late.Add(1) } })
	var s *Status
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var err error
		if s, err = ReadStatus(t.Context(), c.server.URL()); err != nil {
			t.Fatal(err)
		}
		if len(s.Workers) == 2 && s.Progress != nil && s.Progress.Phase == 2 && max(s.Workers[0].Phase, s.Workers[1].Phase) == 2 {
			break
		}
	}
	if p := s.Progress; p == nil || p.Class != 6 || p.Phase != 2 || p.Members != 1 || len(s.Workers) != 2 || max(s.Workers[0].Class, s.Workers[1].Class) != 6 {
		t.Errorf("the progress is %+v, the workers are %+v", p, s.Workers)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, true)) {
		t.Error("it is another table")
	}
	if late.Load() == 0 {
		t.Error("who came late had no part in it")
	}
	if !harmed.Load() || !heard.has("class 5 begins again", "checksum of a piece") {
		t.Errorf("the coordinator says %q", heard.all)
	}
	c.wantNothing(t)
}

// News that get lost in the store, are cut or are flipped have the class begin again. Where
// they always are, the solve ends and says so.
func TestDamagedNews(t *testing.T) {
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			c := newCell(t)
			c.employ(t, nil)
			var harmed atomic.Bool
			c.employ(t, func(o *WorkOptions) {
				o.inline = 1
				o.Store = &damaged{c.store, func(name string, b []byte) []byte {
					if strings.Contains(name, "class-05/news-") && harmed.CompareAndSwap(false, true) {
						return harm(b)
					}
					return b
				}}
			})
			var heard sayings
			o := c.together(2, 1)
			o.Say = heard.say
			c.wantQuixo(t, 3, true, o)
			if !heard.has("class 5 begins again") {
				t.Errorf("the coordinator says %q", heard.all)
			}
		})
	}
	c := newCell(t)
	for range 2 {
		c.employ(t, func(o *WorkOptions) {
			o.inline = 1
			o.Store = &damaged{c.store, func(name string, b []byte) []byte { b[0]++; return b }}
		})
	}
	err := coordinate(t.Context(), filepath.Join(t.TempDir(), "table.tb"), quixo(t, 2), false, c.together(2, 1))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("was begun %d times", mostAttempts)) {
		t.Errorf("news that are always damaged: %v", err)
	}
}

// A class that is damaged or lost on its way to the coordinator begins again, and the worker is
// handed the class above for that.
func TestDamagedHanding(t *testing.T) {
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			c := newCell(t)
			var harmed atomic.Bool
			c.employ(t, func(o *WorkOptions) {
				o.Store = &damaged{c.store, func(name string, b []byte) []byte {
					if strings.Contains(name, "class-05/handed-") && harmed.CompareAndSwap(false, true) {
						return harm(b)
					}
					return b
				}}
			})
			for _, steps := range []bool{false, true} {
				harmed.Store(false)
				var heard sayings
				o := c.together(1, 1)
				o.Say = heard.say
				c.wantQuixo(t, 3, steps, o)
				if !heard.has("class 5 begins again") {
					t.Errorf("steps %v: the coordinator says %q", steps, heard.all)
				}
			}
			c.wantNothing(t)
		})
	}
}

// A worker that has not the memory for all planes is refused; the others go on.
func TestSmallMate(t *testing.T) {
	c := newCell(t)
	space := quixo(t, 3)
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), c.together(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	memory := (*retro.MemoryError)(nil)
	if err := Work(t.Context(), WorkOptions{Options: c.options(), Memory: 1 << 20}); !errors.As(err, &memory) {
		t.Errorf("1 MiB of memory: %v", err)
	}
	c.employ(t, nil)
	path := filepath.Join(t.TempDir(), "table.tb")
	if err := solve(coordinator.Context(), path, space, retro.Options{Crew: coordinator}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, false)) {
		t.Error("it is another table")
	}
}

// A worker that quits in the middle of a class leaves it to the others, who begin again.
func TestMateQuits(t *testing.T) {
	c := newCell(t)
	reached := make(chan bool)
	var once sync.Once
	quit := c.employ(t, func(o *WorkOptions) {
		o.begun = func(class, phase int) {
			if class == 5 && phase == 3 {
				once.Do(func() { close(reached); time.Sleep(50 * time.Millisecond) })
			}
		}
	})
	c.employ(t, nil)
	go func() {
		<-reached
		quit()
	}()
	var heard sayings
	o := c.together(2, 1)
	o.Say = heard.say
	c.wantQuixo(t, 3, true, o)
	if !heard.has("class 5 begins again", "is gone") {
		t.Errorf("the coordinator says %q", heard.all)
	}
	c.wantNothing(t)
}

// A solve is stopped in the middle of a phase, and goes on.
func TestStopTogether(t *testing.T) {
	c := newCell(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	c.employ(t, func(o *WorkOptions) {
		o.begun = func(class, phase int) {
			if class == 4 {
				cancel(ErrStopped)
			}
		}
	})
	space, path := quixo(t, 3), filepath.Join(t.TempDir(), "table.tb")
	if err := coordinate(ctx, path, space, true, c.together(1, 1)); !errors.Is(err, ErrStopped) {
		t.Errorf("it ends with %v", err)
	}
	if err := coordinate(t.Context(), path, space, true, c.together(1, 1)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, true)) {
		t.Error("it is another table")
	}
	c.wantNothing(t)
}

// A message with news comes back as it was sent, and where any byte of it is changed or it
// is cut, it is refused or is the same.
func TestNewsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		news := rapid.SliceOf(rapid.Byte()).Draw(t, "news")
		h := newsHead{What: rapid.String().Draw(t, "what"), Bytes: int64(len(news)), Stored: rapid.Bool().Draw(t, "stored")}
		h.Sum = sumOf(news)
		message := appendNews(nil, h, news)
		got, back, err := readNews(message)
		if err != nil || got.What != strings.ToValidUTF8(h.What, "\uFFFD") || got.Sum != h.Sum || !h.Stored && !bytes.Equal(back, news) {
			t.Fatalf("%+v, %v, %v", got, back, err)
		}
		if h.Stored {
			return
		}
		at := rapid.IntRange(0, len(message)-1).Draw(t, "at")
		if _, back, err := readNews(message[:at]); err == nil && !bytes.Equal(back, news) {
			t.Fatalf("cut at %d: %v", at, back)
		}
		message[at] ^= 1
		if got, back, err := readNews(message); err == nil && !got.Stored && !bytes.Equal(back, news) {
			t.Fatalf("changed at %d: %v", at, back)
		} else if err != nil && !errors.Is(err, errNews) {
			t.Fatal(err)
		}
	})
	for _, b := range [][]byte{nil, {1, 2, 3}, {1, 2, 3, 4}} {
		if _, err := unsealed(b); !errors.Is(err, errNews) {
			t.Errorf("%v is a piece: %v", b, err)
		}
	}
	if b, err := unsealed(sealed([]byte("piece"))); err != nil || string(b) != "piece" {
		t.Errorf("%q, %v", b, err)
	}
}
