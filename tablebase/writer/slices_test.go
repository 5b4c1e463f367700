package writer_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/bits"
	"path/filepath"
	"testing"

	"backsolve/internal/bitslice"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

var openingShape = tablebase.Shape{Game: "notakto", Size: 4, Planes: 1, Opening: true}

// openingTable returns the classes of testdata/v2.tb, by a formula as goldenTable
// does. The slices of class 2 are longer than a chunk together.
func openingTable() (classes []tabletest.Sealed) {
	next := uint64(0)
	word := func() uint64 {
		next += 0x9e3779b97f4a7c15
		return bits.RotateLeft64(next*next, 32) ^ next
	}
	for _, c := range []tablebase.Class{{Class: 2, IndexBits: 15, Masks: make([]uint64, 17)}, {Class: 1, IndexBits: 3, Masks: []uint64{1, 4, 5}}, {Class: 0, IndexBits: 6, Masks: []uint64{0}}} {
		if c.Class == 2 {
			for b := range c.Masks {
				c.Masks[b] = uint64(b)*5 + 3
			}
		}
		s := tabletest.Sealed{Class: c, Counts: tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, c.IndexBits+1)}, Planes: tablebase.Planes{Win: make([]uint64, len(c.Masks)*bitslice.Words(c.IndexBits))}}
		for w := range s.Planes.Win {
			if s.Planes.Win[w] = word(); c.IndexBits == 3 {
				s.Planes.Win[w] &= 255
			}
		}
		binomial := uint64(1)
		for i := range s.Counts.ByWeight {
			states := uint64(len(c.Masks)) * binomial
			wins := word() % (states + 1)
			s.Counts.ByWeight[i] = tablebase.OutcomeCounts{Wins: wins, Losses: states - wins, TerminalWins: wins / 2}
			binomial = binomial * uint64(c.IndexBits-i) / uint64(i+1)
		}
		classes = append(classes, s)
	}
	return classes
}

// slicesOf returns the slices of a class one by one, in memory that is used again.
func slicesOf(c tabletest.Sealed) func(block int) ([]uint64, error) {
	buf := make([]uint64, bitslice.Words(c.Class.IndexBits))
	return func(block int) ([]uint64, error) {
		copy(buf, c.Planes.Win[block*len(buf):])
		return buf, nil
	}
}

// A class that is sealed slice by slice has the bytes of one that is sealed at once, packed
// or not, and Flush leaves nothing to be flushed.
func TestSealSlicesIsSeal(t *testing.T) {
	classes := openingTable()
	for _, suffix := range suffixes {
		path := filepath.Join(t.TempDir(), "t.tb"+suffix)
		w := tabletest.Create(t, path, openingShape, false)
		var partial, manifest int
		data, list := w.Files()
		*data, *list = counting{*data, &partial}, counting{*list, &manifest}
		for i, c := range classes {
			if err := w.SealSlices(c.Class, c.Counts, slicesOf(c)); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil || partial != i+1 || manifest != i+1 {
				t.Fatalf("%v: flushed %d and %d times, not %d", err, partial, manifest, i+1)
			}
		}
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(tabletest.ReadFile(t, path), tabletest.ReadFile(t, finished(t, openingShape, classes, suffix))) {
			t.Errorf("sealed slice by slice the table has other bytes: %s", path)
		}
		if err := w.Flush(); !errors.Is(err, tablebase.ErrClosed) {
			t.Error(err)
		}
		if err := w.SealSlices(classes[0].Class, classes[0].Counts, slicesOf(classes[0])); !errors.Is(err, tablebase.ErrClosed) {
			t.Error(err)
		}
	}
}

// What SealSlices refuses, and slices that fail, leave the writer as it was.
func TestSealSlicesRefuses(t *testing.T) {
	classes := openingTable()
	c := classes[1]
	failed := errors.New("no slice")
	w := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"), openingShape, false)
	for name, test := range map[string]struct {
		class  tablebase.Class
		counts tablebase.Counts
		slice  func(int) ([]uint64, error)
		want   error
	}{
		"other counts":       {c.Class, classes[0].Counts, slicesOf(c), tablebase.ErrInput},
		"masks that descend": {tablebase.Class{Class: 1, IndexBits: 3, Masks: []uint64{4, 1, 5}}, c.Counts, slicesOf(c), tablebase.ErrInput},
		"slices too long":    {c.Class, c.Counts, func(int) ([]uint64, error) { return make([]uint64, 2), nil }, tablebase.ErrInput},
		"states beyond":      {c.Class, c.Counts, func(int) ([]uint64, error) { return []uint64{256}, nil }, tablebase.ErrInput},
		"a slice that fails": {c.Class, c.Counts, func(int) ([]uint64, error) { return nil, failed }, failed},
	} {
		if err := w.SealSlices(test.class, test.counts, test.slice); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range classes {
		if err := w.SealSlices(c.Class, c.Counts, slicesOf(c)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Error(err)
	}
	two := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"), tabletest.QuixoShape, false)
	if err := two.SealSlices(c.Class, c.Counts, slicesOf(c)); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("a table with two planes: %v", err)
	}
}

// An opening table has the emptiest classes, all from some one down.
func TestFinishRefusesGaps(t *testing.T) {
	classes := openingTable()
	for _, some := range [][]tabletest.Sealed{{classes[0], classes[2]}, {classes[0], classes[1]}, {classes[1]}} {
		w := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"), openingShape, false)
		for _, c := range some {
			if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Finish(); !errors.Is(err, tablebase.ErrInput) {
			t.Errorf("%d classes from %d down: %v", len(some), some[0].Class.Class, err)
		}
	}
}

// An interrupted opening table is gone on with as such, and is not taken for part of
// a whole one.
func TestOpeningResumes(t *testing.T) {
	classes := openingTable()
	path := filepath.Join(t.TempDir(), "t.tb")
	w := tabletest.Create(t, path, openingShape, false)
	if err := w.SealSlices(classes[0].Class, classes[0].Counts, slicesOf(classes[0])); err != nil {
		t.Fatal(err)
	}
	w.Close()
	whole := openingShape
	whole.Opening = false
	if _, err := writer.Create(path, whole, false); !errors.Is(err, tablebase.ErrOtherSolve) {
		t.Error(err)
	}
	w = tabletest.Create(t, path, openingShape, false)
	if len(w.Sealed()) != 1 || w.Dropped() != "" {
		t.Errorf("%d classes are sealed; %s", len(w.Sealed()), w.Dropped())
	}
	for _, c := range classes[1:] {
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(tabletest.ReadFile(t, path), tabletest.ReadFile(t, tabletest.Write(t, openingShape, classes))) {
		t.Error("other bytes after an interruption")
	}
}

// TestGoldenOpening is TestGolden for format version 2, which opening tables have.
func TestGoldenOpening(t *testing.T) {
	const identity = "1ba8afb1ea85d36048f960fde79a04551b19e14fd3b6faf514fa824fd0a85ef3"
	path := tabletest.Golden("v2.tb")
	table := tabletest.Open(t, path)
	if id := table.Identity(); hex.EncodeToString(id[:]) != identity {
		t.Errorf("identity %x, want %s", id, identity)
	}
	if table.Shape() != openingShape {
		t.Errorf("shape %v", table.Shape())
	}
	tabletest.CheckStored(t, table, openingTable())
	if err := table.Verify(t.Context(), 1, nil); err != nil {
		t.Error(err)
	}
	b := tabletest.ReadFile(t, path)
	if binary.LittleEndian.Uint32(b[8:]) != 2 || binary.LittleEndian.Uint32(b[56:]) != 2 || binary.LittleEndian.Uint32(b[60:]) != 3 {
		t.Errorf("version %d, flags %d, %d classes", binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[56:]), binary.LittleEndian.Uint32(b[60:]))
	}
	if !bytes.Equal(tabletest.ReadFile(t, tabletest.Write(t, openingShape, openingTable())), b) {
		t.Error("the same classes are written with other bytes")
	}
}
