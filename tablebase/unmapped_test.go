package tablebase

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
)

// openAlways opens a table that is checked at every lookup.
func openAlways(t testing.TB, path string) *Table {
	t.Helper()
	table := open(t, path)
	table.CheckAlways()
	return table
}

// TestCheckAlways asks such tables everything.
func TestCheckAlways(t *testing.T) {
	for _, s := range []Shape{quixoShape, notaktoShape} {
		path := write(t, s, smallTable(s))
		checkAll(t, openAlways(t, path), s, smallTable(s))
		checkAll(t, openAlways(t, pack(t, path)), s, smallTable(s))
	}
	large := largeTable(quixoShape)
	checkAll(t, openAlways(t, write(t, quixoShape, large)), quixoShape, large)
	table := openAlways(t, write(t, quixoShape, smallTable(quixoShape)))
	table.Close()
	_, lookup := table.Lookup(9, 0, 0)
	_, _, find := table.Find(9, 0)
	if !errors.Is(lookup, ErrClosed) || !errors.Is(find, ErrClosed) {
		t.Errorf("after Close: %v, %v", lookup, find)
	}
}

// TestNoRoomToMap reads a table for which there is no address space.
func TestNoRoomToMap(t *testing.T) {
	defer func(before func(*os.File, int64) ([]byte, error)) { mapTable = before }(mapTable)
	mapTable = func(*os.File, int64) ([]byte, error) { return nil, os.NewSyscallError("mmap", syscall.ENOMEM) }
	path := write(t, quixoShape, smallTable(quixoShape))
	table := open(t, path)
	if table.mapped.Load() != nil {
		t.Error("it is mapped")
	}
	checkAll(t, table, quixoShape, smallTable(quixoShape))
}

// TestRewrittenAfterCheck overwrites data that was checked: a table that is checked
// always refuses it, and is whole again when the data are.
func TestRewrittenAfterCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	classes := []sealed{randomClass(r, quixoShape, 3, 14, 80, 2)}
	path := write(t, quixoShape, classes)
	valid := read(t, path)
	table := openAlways(t, path)
	checkAll(t, table, quixoShape, classes)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for part := range partCount {
		p := table.classes[0].parts[part]
		for chunk := range p.chunks() {
			offset, length := p.chunk(chunk)
			if _, err := f.WriteAt(bytes.Repeat([]byte{0x55}, int(length)), offset); err != nil {
				t.Fatal(err)
			}
			if err := askIn(table, classes[0], part, chunk); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, chunk %d rewritten: %v", partNames[part], chunk, err)
			}
			if _, err := f.WriteAt(valid[offset:offset+length], offset); err != nil {
				t.Fatal(err)
			}
			if err := askIn(table, classes[0], part, chunk); err != nil {
				t.Errorf("%s, chunk %d written back: %v", partNames[part], chunk, err)
			}
		}
	}
}

// askIn asks for something that lies in a chunk of a part.
func askIn(table *Table, c sealed, part, chunk int) error {
	if part == masks {
		_, _, err := table.Find(c.class.Class, c.class.Masks[chunk*chunkSize/8])
		return err
	}
	columns := table.classes[0].parts[part].columns
	word := (chunk*chunkSize/8 + columns - 1) / columns
	for bit := range uint64(64) {
		block, index := word/c.class.Words(), uint64(word%c.class.Words())*64+bit
		if part == steps && c.entry(quixoShape, block, index).Steps < 0 {
			continue // a draw has no steps to look at
		}
		_, err := table.Lookup(c.class.Class, block, index)
		return err
	}
	return nil
}

func BenchmarkCheckAlways(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	c := randomClass(r, quixoShape, 12, 12, 252, 5)
	table := openAlways(b, write(b, quixoShape, []sealed{c}))
	for b.Loop() {
		block, _, err := table.Find(12, c.class.Masks[r.IntN(252)])
		if err != nil {
			b.Fatal(err)
		}
		if _, err := table.Lookup(12, block, r.Uint64N(1<<12)); err != nil {
			b.Fatal(err)
		}
	}
}
