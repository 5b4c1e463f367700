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
)

// Get returns what Put stored, in whatever pieces.
func TestRoundTrip(t *testing.T) {
	forEachStore(t, func(t *testing.T, p *testStore) {
		for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3*chunk + 77} {
			name, want := fmt.Sprintf("class-7/%d", size), random(size)
			if err := p.store.Put(t.Context(), name, want[:size/3], want[size/3:]); err != nil {
				t.Fatal(err)
			}
			p.wantObject(t, name, want)
		}
	})
}

func TestNotFound(t *testing.T) {
	forEachStore(t, func(t *testing.T, p *testStore) {
		p.put(t, "a/b", []byte("x"))
		for _, name := range []string{"a", "b", "a/b/c", "a/bb"} {
			if _, err := p.get(t.Context(), name); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), p.store.String()) {
				t.Errorf("%s: %v", name, err)
			}
			if err := p.store.Delete(t.Context(), name); err != nil {
				t.Errorf("%s cannot be deleted: %v", name, err)
			}
		}
		p.wantObject(t, "a/b", []byte("x"))
	})
}

// The name of an object may be a prefix of others, and List accepts any prefix.
func TestList(t *testing.T) {
	forEachStore(t, func(t *testing.T, p *testStore) {
		all := []string{"a", "a-1", "a/b", "a/b/c", "a/bb", "class-1/group_3", "class-10/group-3,x=1", "z+z"}
		for i, name := range all {
			p.put(t, name, random(i*1000))
		}
		p.writeFile("class-1/note.txt", []byte("not ours"))
		p.writeFile("class-1/.hidden.object", []byte("not ours"))
		for _, prefix := range []string{"", "a", "a/", "a/b", "a/b/", "class-1", "class-1/", "class-1/g", "z+z", "zz", "none/at/all"} {
			want := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.HasPrefix(name, prefix) })
			if got := p.list(t, prefix); !slices.Equal(got, want) {
				t.Errorf("below %q: %v, want %v", prefix, got, want)
			}
		}
		for range p.store.List(t.Context(), "") {
			break // stopping early is allowed
		}
		for _, name := range all {
			if err := p.store.Delete(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		if left := p.list(t, ""); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
		if files := p.files(); len(files) != 2 {
			t.Errorf("%v are left", slices.Sorted(maps.Keys(files)))
		}
	})
}

// A failed Put changes nothing.
func TestPutIsAtomic(t *testing.T) {
	forEachStore(t, func(t *testing.T, p *testStore) {
		old := random(100_000)
		p.put(t, "kept", old)
		before := p.files()
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for _, name := range []string{"kept", "new"} {
			if err := p.store.Put(cancelled, name, random(10)); !errors.Is(err, context.Canceled) {
				t.Errorf("interrupted: %v", err)
			}
			if after := p.files(); !maps.EqualFunc(before, after, bytes.Equal) {
				t.Fatalf("%v are there", slices.Sorted(maps.Keys(after)))
			}
		}
		p.put(t, "kept", []byte("newer"))
		p.wantObject(t, "kept", []byte("newer"))
	})
}

// Concurrent readers and writers of a name see whole objects.
func TestManyAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, p *testStore) {
		contents := map[string]bool{}
		for i := range 4 {
			contents[string(random(chunk+i))] = true
		}
		p.put(t, "shared/one", random(chunk))
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for range 10 {
					if err := p.store.Put(t.Context(), "shared/one", random(chunk+i)); err != nil {
						t.Error(err)
					}
					// The directory is created and removed all the time.
					name := fmt.Sprintf("gone/%d", i)
					if err := p.store.Put(t.Context(), name, []byte("x")); err != nil {
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

// Cancelling its context ends a read, also in the middle.
func TestReadingIsInterrupted(t *testing.T) {
	forEachStore(t, func(t *testing.T, p *testStore) {
		p.put(t, "long", random(10*chunk))
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

// All kinds of stores keep the same bytes, which can be copied from one to another.
func TestSameBytesEverywhere(t *testing.T) {
	from, to := inDirectory(t), inBucket(t)
	for _, size := range []int{0, 5, chunk, 2*chunk + 5} {
		from.put(t, fmt.Sprintf("of/%d", size), random(size))
	}
	for name, b := range from.files() {
		to.writeFile(name, b)
	}
	for _, size := range []int{0, 5, chunk, 2*chunk + 5} {
		to.wantObject(t, fmt.Sprintf("of/%d", size), random(size))
	}
}
