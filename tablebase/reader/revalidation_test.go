package reader_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
)

// rewrite writes bytes into a file in place, as another program would, some time after the table
// was opened, and sets the modification time back.
func rewrite(t *testing.T, path string, b []byte, offset int64) {
	t.Helper()
	time.Sleep(20 * time.Millisecond) // the clock of a filesystem goes in ticks
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(b, offset); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// What was checked and is then overwritten while the table is open is never answered from, even
// if the end and the modification time of the file stay as they were, and even if it is
// overwritten between the lookups. When the data are whole again, so are the answers.
func TestWithRevalidation(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	classes := []tabletest.Sealed{tabletest.RandomClass(r, tabletest.QuixoShape, 3, 14, 80, 2)}
	c := &classes[0]
	want := entryOf(*c, tabletest.QuixoShape, 0, 0)
	for part := range format.PartCount {
		for _, within := range []bool{false, true} {
			path := tabletest.Write(t, tabletest.QuixoShape, classes)
			valid := tabletest.ReadFile(t, path)
			table := tabletest.Open(t, path)
			if table.Mapped() == nil {
				t.Skip("tables are not mapped here")
			}
			checkAll(t, table, tabletest.QuixoShape, classes)
			p := records(table)[0].Parts[part]
			offset, length := p.Chunk(0)
			noise := bytes.Repeat([]byte{0x55}, int(length))
			if !within {
				rewrite(t, path, noise, offset)
			}
			calls := 0
			err := table.WithRevalidation(func() error {
				if calls++; calls == 1 && within {
					rewrite(t, path, noise, offset)
				}
				if part == format.Masks {
					_, _, err := table.Find(c.Class.Class, c.Class.Masks[0])
					return err
				}
				_, err := table.Lookup(c.Class.Class, 0, 0)
				return err
			})
			// What was read may be refused by itself, as what is both won and lost is.
			if drawn := part == format.Steps && want.Steps < 0; calls > 2 || calls < 2 && err == nil || !errors.Is(err, tablebase.ErrDamaged) && !drawn {
				t.Errorf("part %d, overwritten within the lookups: %v: %d calls, %v", part, within, calls, err)
			}
			rewrite(t, path, valid[offset:offset+length], offset)
			if err := table.WithRevalidation(func() error { checkAll(t, table, tabletest.QuixoShape, classes); return nil }); err != nil {
				t.Errorf("part %d, written back: %v", part, err)
			}
			calls = 0
			if err := table.WithRevalidation(func() error { calls++; return nil }); err != nil || calls != 1 || table.Trusting() {
				t.Errorf("part %d, when it is checked always: %d calls, %v", part, calls, err)
			}
		}
	}
}

// If no one writes, the lookups are made once and their error is returned, in a packed table,
// too, which has its own checks.
func TestWithRevalidationCallsOnce(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))
	failure := errors.New("failure")
	for _, path := range []string{path, tabletest.Pack(t, path)} {
		for _, want := range []error{nil, failure} {
			table, calls := tabletest.Open(t, path), 0
			if err := table.WithRevalidation(func() error { calls++; return want }); err != want || calls != 1 {
				t.Errorf("%s: %d calls, %v", path, calls, err)
			}
			if !table.Trusting() {
				t.Errorf("%s: it is checked at every lookup from now on", path)
			}
		}
	}
}

// Lookups that fail are made again once when somebody has written to the file, and those of a closed
// table are not.
func TestWithRevalidationGivesUp(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))
	table := tabletest.Open(t, path)
	if table.Mapped() == nil {
		t.Skip("tables are not mapped here")
	}
	if err := os.Link(path, path+"2"); err != nil {
		t.Skip(err)
	}
	table.Close()
	table = tabletest.Open(t, path) // the link was a change
	rewrite(t, path, tabletest.ReadFile(t, path)[:1], 0)
	failure := errors.New("failure")
	calls := 0
	if err := table.WithRevalidation(func() error { calls++; return failure }); err != failure || calls != 2 || table.Trusting() {
		t.Errorf("%d calls, %v; want %v", calls, err, failure)
	}
	closed := tabletest.Open(t, path+"2")
	closed.Close()
	if err := closed.WithRevalidation(func() error { calls++; return nil }); err != nil || calls != 3 || !closed.Trusting() {
		t.Errorf("closed: %d calls, %v", calls, err)
	}
}
