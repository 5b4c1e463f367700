package writer_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/probe/probetest"
	"backsolve/probe/survey"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// archived solves a board with steps, and returns the paths of its table and of the archive.
func archived(t testing.TB, name string, size int) (plain, archive string, rules game.Grid) {
	t.Helper()
	rules, err := games.NewGrid(name, size)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	probetest.Solve(t, dir, rules, 0, true)
	plain = filepath.Join(dir, probe.FileName(rules.Info()))
	if archive, err = writer.Archive(context.Background(), plain, false, nil); err != nil {
		t.Fatal(err)
	}
	return plain, archive, rules
}

// TestArchive compares all states of small boards with those of the table: one by one and in
// batches, by planes, and as the archive unpacks.
func TestArchive(t *testing.T) {
	for _, b := range []struct {
		name string
		size int
	}{{"quixo", 2}, {"quixo", 3}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"tictactoe", 2}, {"tictactoe", 3}} {
		plain, archive, rules := archived(t, b.name, b.size)
		want, got := tabletest.Open(t, plain), tabletest.Open(t, archive)
		if want.Identity() != got.Identity() || !got.Shape().Archive {
			t.Errorf("%v: it is %v, identity %x", rules.Info(), got.Shape(), got.Identity())
		}
		for i, c := range want.Classes() {
			compareClass(t, want, got, i, c)
		}
		table, err := probe.OpenFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if _, err := survey.Verify(t.Context(), table, survey.VerifyOptions{}, nil, nil); err != nil {
			t.Error(err)
		}
		if unpacked, err := writer.Unpack(t.Context(), archive, true, nil); err != nil || !bytes.Equal(tabletest.ReadFile(t, unpacked), tabletest.ReadFile(t, plain)) {
			t.Errorf("%v unpacks to another table: %v", rules.Info(), err)
		}
	}
}

// TestArchiveResumed solves boards into archives, interrupted after each of their classes: the
// steps of the class above are derived. The archive has the bytes of one that was packed.
func TestArchiveResumed(t *testing.T) {
	for _, b := range []struct {
		name string
		size int
	}{{"quixo", 3}, {"notakto", 4}, {"tictactoe", 3}} {
		_, archive, rules := archived(t, b.name, b.size)
		space, err := partition.New(rules)
		if err != nil {
			t.Fatal(err)
		}
		shape := probe.Shape(space, true)
		shape.Archive = true
		path := filepath.Join(t.TempDir(), filepath.Base(archive))
		for downTo := space.MaskBits; downTo >= 0; downTo-- {
			w, err := writer.Create(path, shape, false)
			if err != nil {
				t.Fatal(err)
			}
			if w.Dropped() != "" || len(w.Sealed()) != space.MaskBits-downTo {
				t.Fatalf("%d classes are resumed; dropped: %q", len(w.Sealed()), w.Dropped())
			}
			if _, err := retro.Solve(t.Context(), space, w, retro.Options{Steps: true, DownTo: downTo}); err != nil {
				t.Fatal(err)
			}
			w.Close()
			other := shape
			other.Archive = false
			if _, err := writer.Create(path, other, false); downTo > 0 && !errors.Is(err, tablebase.ErrOtherSolve) {
				t.Errorf("another level resumes it: %v", err)
			}
			if left, err := writer.FindUnfinished(path); downTo > 0 && (err != nil || left.Shape != shape) {
				t.Errorf("it is %+v: %v", left, err)
			}
		}
		if !bytes.Equal(tabletest.ReadFile(t, path), tabletest.ReadFile(t, archive)) {
			t.Errorf("%v: another archive than the packed one", rules.Info())
		}
	}
}

// compareClass compares the states of the i-th class in two tables.
func compareClass(t *testing.T, want, got *reader.Table, i int, c tablebase.ClassInfo) {
	t.Helper()
	var planes, derived tablebase.Planes
	if err := want.Planes(i, 0, c.Blocks, &planes); err != nil {
		t.Fatal(err)
	}
	if err := got.Planes(i, 0, c.Blocks, &derived); err != nil || !tabletest.SamePlanes(planes, derived) {
		t.Fatalf("class %d: the planes differ: %v", c.Class, err)
	}
	n := c.Blocks << c.IndexBits
	places := make([]reader.Place, n)
	for s := range places {
		places[s] = reader.Place{Class: c.Class, Block: s >> c.IndexBits, Index: uint64(s) & (1<<c.IndexBits - 1)}
	}
	entries, others := make([]tablebase.Entry, n), make([]tablebase.Entry, n)
	if err := want.LookupAll(places, entries); err != nil {
		t.Fatal(err)
	}
	if err := got.LookupAll(places, others); err != nil {
		t.Fatal(err)
	}
	for s := range places {
		if entries[s] != others[s] {
			t.Fatalf("%+v is %+v, and in the archive %+v", places[s], entries[s], others[s])
		}
	}
}
