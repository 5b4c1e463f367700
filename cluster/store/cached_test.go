package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// counting is a store that counts what is asked of it, and may wait before it answers.
type counting struct {
	Store
	gets atomic.Int64
	gate func(context.Context) error // nil: none
}

func (c *counting) ask(ctx context.Context) error {
	c.gets.Add(1)
	if c.gate == nil {
		return nil
	}
	return c.gate(ctx)
}

func (c *counting) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	return c.Store.Get(ctx, name)
}

func (c *counting) GetRange(ctx context.Context, name string, off, n int64) (io.ReadCloser, error) {
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	return c.Store.GetRange(ctx, name, off, n)
}

// Whatever is read, put and deleted in whatever order: what is read is right, and the
// bytes in memory are those counted, and no more than the limit.
func TestCachedKeepsItsBound(t *testing.T) {
	s, err := openDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		limit := rapid.Int64Range(0, 4000).Draw(t, "limit")
		c := Cached(s, limit).(*cached)
		contents := map[string][]byte{}
		var open []io.ReadCloser
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			name := fmt.Sprintf("n%d", rapid.IntRange(0, 5).Draw(t, "name"))
			want, there := contents[name]
			switch rapid.SampledFrom([]string{"put", "get", "get", "range", "range", "close", "delete"}).Draw(t, "call") {
			case "put":
				contents[name] = random(rapid.IntRange(0, 1200).Draw(t, "size"))
				if err := c.Put(ctx, name, bytes.NewReader(contents[name]), -1); err != nil {
					t.Fatal(err)
				}
			case "delete":
				delete(contents, name)
				if err := c.Delete(ctx, name); err != nil {
					t.Fatal(err)
				}
			case "get":
				r, err := c.Get(ctx, name)
				open = check(t, open, r, err, want, there)
			case "range":
				off := rapid.IntRange(0, len(want)).Draw(t, "off")
				n := rapid.IntRange(0, len(want)-off).Draw(t, "n")
				r, err := c.GetRange(ctx, name, int64(off), int64(n))
				open = check(t, open, r, err, want[off:off+n], there)
			case "close":
				if len(open) > 0 {
					open[0].Close()
					open[0].Close() // once too often does no harm
					open = open[1:]
				}
			}
			if c.bytes > limit {
				t.Fatalf("%d bytes are held, and %d may be", c.bytes, limit)
			}
		}
		for _, r := range open {
			r.Close()
		}
		var held int64
		for _, p := range c.held {
			held += p.size
			if int64(len(p.data)) != p.size || p.users != 0 || p.place == nil {
				t.Fatalf("%v has %d bytes and %d users", p.want, len(p.data), p.users)
			}
		}
		if held != c.bytes || c.order.Len() != len(c.held) {
			t.Fatalf("%d bytes are held, and counted %d", held, c.bytes)
		}
		for name := range contents {
			if err := s.Delete(ctx, name); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// check compares what is read, and leaves the reader open.
func check(t *rapid.T, open []io.ReadCloser, r io.ReadCloser, err error, want []byte, there bool) []io.ReadCloser {
	if !there {
		if !errors.Is(err, ErrNotFound) {
			t.Fatalf("there is none, but %v", err)
		}
		return open
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, %v; want others, %d", len(got), err, len(want))
	}
	return append(open, r)
}

// What was used last stays.
func TestCachedDropsTheOldest(t *testing.T) {
	under := &counting{Store: inDirectory(t).store}
	p := &place{store: Cached(under, 400)}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		p.put(t, name, random(100))
	}
	for _, name := range []string{"a", "b", "c", "d", "a", "e", "a", "c", "d", "e"} { // e drives out b
		p.holds(t, name, random(100))
	}
	if n := under.gets.Load(); n != 5 {
		t.Errorf("%d were fetched", n)
	}
	p.holds(t, "b", random(100))
	if n := under.gets.Load(); n != 6 {
		t.Errorf("%d were fetched with b", n)
	}
	if _, err := p.getRange(t.Context(), "a", 10, 20); err != nil || under.gets.Load() != 7 {
		t.Errorf("a part: %v, %d", err, under.gets.Load())
	}
}

// Who asks for the same at once shares one request, and nobody suffers from another's
// interruption.
func TestCachedSharesRequests(t *testing.T) {
	under := &counting{Store: inDirectory(t).store}
	p := &place{store: Cached(under, 1000)}
	p.put(t, "a", random(100))
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	under.gate = func(ctx context.Context) error {
		asked <- struct{}{}
		select {
		case <-answer:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	first, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := p.get(first, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
	})
	<-asked
	for range 8 {
		group.Go(func() {
			if got, err := p.get(t.Context(), "a"); err != nil || !bytes.Equal(got, random(100)) {
				t.Errorf("another one: %v", err)
			}
		})
	}
	cancel()
	<-asked // by one of the others
	close(answer)
	group.Wait()
	if n := under.gets.Load(); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// An object that is damaged is not kept, and what is too large goes through.
func TestCachedPassesThrough(t *testing.T) {
	below := inDirectory(t)
	under := &counting{Store: below.store}
	p := &place{store: Cached(under, 1000)}
	flipped := kept(t, random(100))
	flipped[5] ^= 1
	below.keep("a"+suffix, flipped)
	for range 2 {
		if _, err := p.get(t.Context(), "a"); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v", err)
		}
	}
	p.put(t, "large", random(251))
	for range 2 {
		p.holds(t, "large", random(251))
	}
	if n := under.gets.Load(); n != 4 {
		t.Errorf("%d requests", n)
	}
	// A replaced object is read anew.
	p.put(t, "b", random(10))
	p.holds(t, "b", random(10))
	p.put(t, "b", random(11))
	p.holds(t, "b", random(11))
	if names := slices.Collect(func(yield func(string) bool) {
		for info := range p.store.List(t.Context(), "") {
			if !yield(info.Name) {
				return
			}
		}
	}); len(names) != 3 {
		t.Errorf("%v are listed", names)
	}
}
