package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "A-1_b.c+d=e,f/0", "class-12/group-0003", strings.Repeat("x", maxSegment), "object", "x.objects", "objects/a"} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{
		"", "/", "a/", "/a", "a//b", ".", "..", "../a", "a/..", "a/../b", "a/.b", ".new/a", "a.", "a./b", "a\\b", "a b", "a\x00", "ä", "C:", "a:b", "~", "a*", "a\n",
		"a.object", "a.object/b", strings.Repeat("x", maxSegment+1), strings.Repeat("x/", maxName/2) + "x",
	} {
		if err := CheckName(name); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	forEachStore(t, func(t *testing.T, p *testStore) {
		for _, name := range []string{"", "../a", "a/", ".new/x", "a.object"} {
			_, errGet := p.get(t.Context(), name)
			errs := []error{errGet, p.store.Put(t.Context(), name, []byte("x")), p.store.Delete(t.Context(), name)}
			for i, err := range errs {
				if !errors.Is(err, ErrName) {
					t.Errorf("%q, %d: %v", name, i, err)
				}
			}
		}
		for _, prefix := range []string{"/", "..", "../", ".", "a//", "a/.", " "} {
			for name, err := range p.store.List(t.Context(), prefix) {
				if !errors.Is(err, ErrName) {
					t.Errorf("below %q: %v, %v", prefix, name, err)
				}
			}
		}
	})
}

// Every name is refused, or names an object inside the store's directory that is found again.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"a", "a/b", "../a", "a/../../b", "/etc/passwd", ".new/x", "C:\\x", "a\x00b", "a.object", "NUL", strings.Repeat("y/", 300)} {
		f.Add(name)
	}
	above := f.TempDir()
	dir := filepath.Join(above, "store")
	s, err := openDirectory(dir)
	if err != nil {
		f.Fatal(err)
	}
	p := &testStore{store: s}
	f.Fuzz(func(t *testing.T, name string) {
		err := s.Put(t.Context(), name, []byte(name))
		if (err == nil) != (CheckName(name) == nil) || err != nil && !errors.Is(err, ErrName) {
			t.Fatalf("%q: %v", name, err)
		}
		if err == nil {
			p.wantObject(t, name, []byte(name))
			if all := p.list(t, name); !slices.Contains(all, name) {
				t.Errorf("%q is not listed", name)
			}
			if err := s.Delete(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		if entries, err := os.ReadDir(above); err != nil || len(entries) != 1 {
			t.Fatalf("%q: %v are beside the store, %v", name, entries, err)
		}
		left := 0
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				left++
			}
			return err
		})
		if left != 0 {
			t.Fatalf("%q: %d files are left", name, left)
		}
	})
}
