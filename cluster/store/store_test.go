package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// What is put is what is read, whole and in parts, with and without its size said.
func TestRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		for _, size := range []int{0, 1, frameData - 1, frameData, frameData + 1, 2 * frameData, 3*frameData + 77} {
			for _, said := range []bool{true, false} {
				name, want := fmt.Sprintf("class-7/%d-%v", size, said), random(size)
				announced := int64(-1)
				if said {
					announced = int64(size)
				}
				if err := p.store.Put(t.Context(), name, iotest.HalfReader(bytes.NewReader(want)), announced); err != nil {
					t.Fatal(err)
				}
				p.holds(t, name, want)
			}
		}
	})
}

func TestNotFound(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		p.put(t, "a/b", []byte("x"))
		for _, name := range []string{"a", "b", "a/b/c", "a/bb"} {
			_, errGet := p.get(t.Context(), name)
			_, errStat := p.store.Stat(t.Context(), name)
			for _, err := range []error{errGet, errStat} {
				if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), p.store.String()) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := p.store.Delete(t.Context(), name); err != nil {
				t.Errorf("%s cannot be deleted: %v", name, err)
			}
		}
		p.holds(t, "a/b", []byte("x"))
	})
}

// Objects can stand below the names of others, and are listed by any beginning.
func TestList(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		all := map[string]int64{}
		for i, name := range []string{"a", "a/b", "a/b/c", "a-1", "a/bb", "class-10/group-3,x=1", "class-1/group_3", "z+z"} {
			all[name] = int64(i * 1000)
			p.put(t, name, random(i*1000))
		}
		p.keep("class-1/note.txt", []byte("not ours"))
		p.keep("class-1/.hidden.object", []byte("not ours"))
		for _, prefix := range []string{"", "a", "a/", "a/b", "a/b/", "class-1", "class-1/", "class-1/g", "z+z", "zz", "none/at/all"} {
			want := maps.Clone(all)
			maps.DeleteFunc(want, func(name string, _ int64) bool { return !strings.HasPrefix(name, prefix) })
			if got := p.list(t, prefix); !maps.Equal(got, want) {
				t.Errorf("below %q: %v, want %v", prefix, got, want)
			}
		}
		for range p.store.List(t.Context(), "") {
			break // who has seen enough may go
		}
		for name := range all {
			if err := p.store.Delete(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		if left := p.list(t, ""); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
		if kept := p.kept(); len(kept) != 2 {
			t.Errorf("%v are left", slices.Sorted(maps.Keys(kept)))
		}
	})
}

// A Put that fails leaves what was there, and nothing else.
func TestPutIsAtomic(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		old := random(100_000)
		p.put(t, "kept", old)
		before := p.kept()
		failure := errors.New("no more ink")
		half := func(n int, err error) io.Reader {
			return io.MultiReader(bytes.NewReader(random(n)), iotest.ErrReader(err))
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for _, c := range []struct {
			why    string
			ctx    context.Context
			r      io.Reader
			size   int64
			caused error // nil: any
		}{
			{"the reader fails", t.Context(), half(100_000, failure), 200_000, failure},
			{"the reader fails, size unknown", t.Context(), half(100_000, failure), -1, failure},
			{"the reader breaks off, size unknown", t.Context(), half(100_000, io.ErrUnexpectedEOF), -1, io.ErrUnexpectedEOF},
			{"too few bytes", t.Context(), bytes.NewReader(random(199_999)), 200_000, nil},
			{"none", t.Context(), bytes.NewReader(nil), 1, nil},
			{"too many bytes", t.Context(), bytes.NewReader(random(200_001)), 200_000, nil},
			{"too many, whole frames", t.Context(), bytes.NewReader(random(3 * frameData)), 2 * frameData, nil},
			{"interrupted", cancelled, bytes.NewReader(random(10)), 10, context.Canceled},
		} {
			for _, name := range []string{"kept", "new"} {
				err := p.store.Put(c.ctx, name, c.r, c.size)
				if err == nil || c.caused != nil && !errors.Is(err, c.caused) {
					t.Errorf("%s: %v", c.why, err)
				}
				if after := p.kept(); !maps.EqualFunc(before, after, bytes.Equal) {
					t.Fatalf("%s: %v are there", c.why, slices.Sorted(maps.Keys(after)))
				}
			}
		}
		p.put(t, "kept", []byte("newer"))
		p.holds(t, "kept", []byte("newer"))
	})
}

// Readers and writers of the same name see whole objects.
func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		contents := map[string]bool{}
		for i := range 4 {
			contents[string(random(frameData+i))] = true
		}
		p.put(t, "shared/one", random(frameData))
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for range 10 {
					if err := p.store.Put(t.Context(), "shared/one", bytes.NewReader(random(frameData+i)), -1); err != nil {
						t.Error(err)
					}
					// The directory comes and goes.
					name := fmt.Sprintf("gone/%d", i)
					if err := p.store.Put(t.Context(), name, strings.NewReader("x"), 1); err != nil {
						t.Error(err)
					}
					if err := p.store.Delete(t.Context(), name); err != nil {
						t.Error(err)
					}
				}
			})
			group.Go(func() {
				for range 10 {
					if got, err := p.get(t.Context(), "shared/one"); err != nil || !contents[string(got)] {
						t.Errorf("%d bytes, %v", len(got), err)
					}
				}
			})
		}
		group.Wait()
	})
}

// A context ends reading, in the middle, too.
func TestReadingIsInterrupted(t *testing.T) {
	each(t, func(t *testing.T, p *place) {
		p.put(t, "long", random(10*frameData))
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		r, err := p.store.Get(ctx, "long")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		cancel(enough)
		if _, err := p.get(ctx, "long"); !errors.Is(err, enough) {
			t.Errorf("after it: %v", err)
		}
		var last error
		for _, last = range p.store.List(ctx, "") {
		}
		if !errors.Is(last, enough) {
			t.Errorf("the list ends with %v", last)
		}
		if _, err := io.ReadAll(r); !errors.Is(err, enough) {
			t.Errorf("in the middle: %v", err)
		}
	})
}

// What is kept has the same bytes everywhere, and can be copied from one kind of store
// to another.
func TestSameBytesEverywhere(t *testing.T) {
	from, to := inDirectory(t), inBucket(t)
	for _, size := range []int{0, 5, frameData, 2*frameData + 5} {
		from.put(t, fmt.Sprintf("of/%d", size), random(size))
	}
	for name, b := range from.kept() {
		to.keep(name, b)
	}
	for _, size := range []int{0, 5, frameData, 2*frameData + 5} {
		to.holds(t, fmt.Sprintf("of/%d", size), random(size))
	}
}
