package archive_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"backsolve/internal/bitslice"
	"backsolve/internal/probe/archive"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/reader"
)

func open(t *testing.T, path string) *reader.Table {
	t.Helper()
	table, err := reader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// TestDerive compares the bytes of the archives of small boards with those of the tables that were
// archived: with slices derived as a whole, and word by word, as those of long slices are part by
// part.
func TestDerive(t *testing.T) {
	for _, b := range []struct {
		name string
		size int
	}{{"quixo", 2}, {"quixo", 3}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"tictactoe", 2}, {"tictactoe", 3}} {
		t.Run(fmt.Sprint(b.name, b.size), func(t *testing.T) {
			t.Parallel()
			plain, path, _ := probetest.Archived(t, b.name, b.size)
			want, err := os.ReadFile(plain)
			if err != nil {
				t.Fatal(err)
			}
			for _, words := range []bool{false, true} {
				table := open(t, path)
				_, records := table.Layout()
				a, err := archive.New(table.Frames, table.Shape(), records)
				if err != nil {
					t.Fatal(err)
				}
				if words {
					a.DeriveByWords()
				}
				got := make([]byte, len(want))
				if n, err := a.ReadAt(got, 0); n != len(want) || err != nil || !bytes.Equal(got, want) {
					t.Errorf("by words %v: other bytes; %d of them, %v", words, n, err)
				}
				if held, counted := a.HeldSlices(); held > counted || counted > 2*held {
					t.Errorf("it holds %d bytes of slices, and counts %d", held, counted)
				}
			}
		})
	}
}

// TestNewRefuses has classes that are not those of the game.
func TestNewRefuses(t *testing.T) {
	_, path, _ := probetest.Archived(t, "quixo", 2)
	table := open(t, path)
	shape := table.Shape()
	_, records := table.Layout()
	for name, change := range map[string]func(s *tablebase.Shape, r []*format.Record) []*format.Record{
		"no change":           func(_ *tablebase.Shape, r []*format.Record) []*format.Record { return r },
		"the emptiest alone":  func(_ *tablebase.Shape, r []*format.Record) []*format.Record { return r[len(r)-1:] },
		"the fullest alone":   func(_ *tablebase.Shape, r []*format.Record) []*format.Record { return r[:1] },
		"one is missing":      func(_ *tablebase.Shape, r []*format.Record) []*format.Record { return slices.Delete(r, 2, 3) },
		"another plane":       func(s *tablebase.Shape, r []*format.Record) []*format.Record { s.Planes = 1; return r },
		"another size":        func(s *tablebase.Shape, r []*format.Record) []*format.Record { s.Size = 3; return r },
		"an unknown game":     func(s *tablebase.Shape, r []*format.Record) []*format.Record { s.Game = "qix"; return r },
		"too full":            func(_ *tablebase.Shape, r []*format.Record) []*format.Record { r[0].Class++; return r },
		"longer slices":       func(_ *tablebase.Shape, r []*format.Record) []*format.Record { r[1].IndexBits++; return r },
		"slices of the class": func(_ *tablebase.Shape, r []*format.Record) []*format.Record { r[1].IndexBits--; return r },
	} {
		var copies []*format.Record
		for _, r := range records {
			c := *r
			copies = append(copies, &c)
		}
		s := shape
		copies = change(&s, copies)
		a, err := archive.New(table.Frames, s, copies)
		if fine := name == "no change" || name == "the fullest alone"; fine != (err == nil) || (a != nil) != fine {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Steps are written from any byte of their part on.
func TestInterleave(t *testing.T) {
	steps := bitslice.Numbers{{0x0706050403020100, 0x1716151413121110}, {0x0f0e0d0c0b0a0908, 0x1f1e1d1c1b1a1918}}
	for from := range 32 {
		got := make([]byte, 32-from)
		archive.Interleave(got, int64(from), steps)
		for i, b := range got {
			if int(b) != from+i {
				t.Fatalf("byte %d from %d on is %d", i, from, b)
			}
		}
	}
}
