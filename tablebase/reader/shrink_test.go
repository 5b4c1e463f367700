package reader_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// TestShrunkWhileMapped cuts a table that has been looked up already, so that
// its chunks count as checked, and looks everything up again.
func TestShrunkWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be shortened")
	}
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	valid := tabletest.ReadFile(t, path)
	for _, cut := range []int{1, 7, 8, 9, 100, format.PageSize, format.PageSize + 1, 3*format.PageSize + 5, len(valid) - format.PageSize, len(valid) - 1, len(valid)} {
		path := tabletest.Save(t, valid)
		table := tabletest.Open(t, path)
		checkAll(t, table, tabletest.QuixoShape, classes)
		if err := os.Truncate(path, int64(len(valid)-cut)); err != nil {
			t.Fatal(err)
		}
		checkNoLookup(t, table, classes, tablebase.ErrTruncated)
		if err := table.Verify(context.Background(), 1, nil); !errors.Is(err, tablebase.ErrTruncated) {
			t.Errorf("cut by %d: Verify: %v", cut, err)
		}
		// Growing again brings zeros, not the data.
		if err := os.Truncate(path, int64(len(valid))); err != nil {
			t.Fatal(err)
		}
		checkNoLookup(t, table, classes, tablebase.ErrTruncated)
	}
}

// checkNoLookup wants the error from every lookup.
func checkNoLookup(t *testing.T, table *reader.Table, classes []tabletest.Sealed, want error) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	for _, c := range classes {
		for _, mask := range c.Class.Masks {
			if b, found, err := table.Find(c.Class.Class, mask); !errors.Is(err, want) || found || b != 0 {
				t.Fatalf("Find(%d, %d) = %d, %v, %v", c.Class.Class, mask, b, found, err)
			}
		}
		sampled(c, r, 1000, func(block int, index uint64) {
			if e, err := table.Lookup(c.Class.Class, block, index); !errors.Is(err, want) || e != (tablebase.Entry{}) {
				t.Fatalf("Lookup(%d, %d, %d) = %v, %v", c.Class.Class, block, index, e, err)
			}
		})
	}
}

// TestShrinksUnderLookups cuts a table while others look it up: each answer is
// right or an error.
func TestShrinksUnderLookups(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be shortened")
	}
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	length := int64(len(tabletest.ReadFile(t, path)))
	checkAnswersUntil(t, tabletest.Open(t, path), classes, tablebase.ErrTruncated, func() error {
		for length > 0 {
			length = max(0, length-1500)
			if err := os.Truncate(path, length); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestClosesUnderLookups closes a table while others look it up.
func TestClosesUnderLookups(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	for range 20 {
		table := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, classes))
		checkAnswersUntil(t, table, classes, tablebase.ErrClosed, table.Close)
	}
}

// checkAnswersUntil does something while four goroutines look everything up
// until they get the error; up to then the answers must be right.
func checkAnswersUntil(t *testing.T, table *reader.Table, classes []tabletest.Sealed, want error, do func() error) {
	t.Helper()
	var group sync.WaitGroup
	var answers atomic.Int64
	for g := range 4 {
		r := rand.New(rand.NewPCG(uint64(g), 7))
		group.Go(func() {
			for {
				c := classes[r.IntN(len(classes))]
				block, index := r.IntN(len(c.Class.Masks)), r.Uint64N(1<<c.Class.IndexBits)
				b, found, err := table.Find(c.Class.Class, c.Class.Masks[block])
				if err == nil && (!found || b != block) {
					t.Errorf("Find of block %d = %d, %v", block, b, found)
				}
				e, err := table.Lookup(c.Class.Class, block, index)
				if errors.Is(err, want) {
					return
				}
				if err != nil || e != entryOf(c, tabletest.QuixoShape, block, index) {
					t.Errorf("Lookup(%d, %d, %d) = %v, %v", c.Class.Class, block, index, e, err)
					return
				}
				answers.Add(1)
			}
		})
	}
	for answers.Load() < 100 {
		runtime.Gosched()
	}
	if err := do(); err != nil {
		t.Error(err)
	}
	group.Wait()
}

// TestVanished removes a table while it is mapped: it stays readable.
func TestVanished(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be removed")
	}
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	table := tabletest.Open(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	checkAll(t, table, tabletest.QuixoShape, classes)
}

// TestFaultsOfOthers: a lookup leaves the goroutine's own way of taking faults
// as it was.
func TestFaultsOfOthers(t *testing.T) {
	table := tabletest.Open(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	for _, before := range []bool{false, true} {
		debug.SetPanicOnFault(before)
		table.Lookup(9, 0, 0)
		table.Find(9, 0)
		if after := debug.SetPanicOnFault(false); after != before {
			t.Errorf("SetPanicOnFault was %v and is %v after a lookup", before, after)
		}
	}
}
