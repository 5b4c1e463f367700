package reader_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"backsolve/internal/bitslice"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// openAlways opens a table that is checked at every lookup.
func openAlways(t testing.TB, path string) *reader.Table {
	t.Helper()
	table := tabletest.Open(t, path)
	table.CheckAlways()
	return table
}

func TestCheckAlways(t *testing.T) {
	for _, s := range []tablebase.Shape{tabletest.QuixoShape, notaktoShape} {
		path := tabletest.Write(t, s, tabletest.SmallTable(s))
		checkAll(t, openAlways(t, path), s, tabletest.SmallTable(s))
		checkAll(t, openAlways(t, tabletest.Pack(t, path)), s, tabletest.SmallTable(s))
	}
	large := tabletest.LargeTable(tabletest.QuixoShape)
	checkAll(t, openAlways(t, tabletest.Write(t, tabletest.QuixoShape, large)), tabletest.QuixoShape, large)
	table := openAlways(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape)))
	table.Close()
	_, lookup := table.Lookup(9, 0, 0)
	_, _, find := table.Find(9, 0)
	if !errors.Is(lookup, tablebase.ErrClosed) || !errors.Is(find, tablebase.ErrClosed) {
		t.Errorf("after Close: %v, %v", lookup, find)
	}
}

// TestNoRoomToMap reads a table for which there is no address space.
func TestNoRoomToMap(t *testing.T) {
	defer reader.ReplaceMap(func(*os.File, int64) ([]byte, error) { return nil, os.NewSyscallError("mmap", syscall.ENOMEM) })()
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))
	table := tabletest.Open(t, path)
	if table.Mapped() != nil {
		t.Error("it is mapped")
	}
	checkAll(t, table, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))
}

// TestRewrittenAfterCheck overwrites data that was checked: a table that is checked
// always refuses it, and is whole again when the data are.
func TestRewrittenAfterCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	classes := []tabletest.Sealed{tabletest.RandomClass(r, tabletest.QuixoShape, 3, 14, 80, 2)}
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	valid := tabletest.ReadFile(t, path)
	table := openAlways(t, path)
	checkAll(t, table, tabletest.QuixoShape, classes)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for part := range format.PartCount {
		p := records(table)[0].Parts[part]
		for chunk := range p.Chunks() {
			offset, length := p.Chunk(chunk)
			if _, err := f.WriteAt(bytes.Repeat([]byte{0x55}, int(length)), offset); err != nil {
				t.Fatal(err)
			}
			if err := lookUpIn(table, classes[0], part, chunk); !errors.Is(err, tablebase.ErrDamaged) {
				t.Errorf("part %d, chunk %d rewritten: %v", part, chunk, err)
			}
			if _, err := f.WriteAt(valid[offset:offset+length], offset); err != nil {
				t.Fatal(err)
			}
			if err := lookUpIn(table, classes[0], part, chunk); err != nil {
				t.Errorf("part %d, chunk %d written back: %v", part, chunk, err)
			}
		}
	}
}

// lookUpIn looks up something that lies in a chunk of a part.
func lookUpIn(table *reader.Table, c tabletest.Sealed, part, chunk int) error {
	if part == format.Masks {
		_, _, err := table.Find(c.Class.Class, c.Class.Masks[chunk*format.ChunkSize/8])
		return err
	}
	columns := records(table)[0].Parts[part].Columns
	word := (chunk*format.ChunkSize/8 + columns - 1) / columns
	for bit := range uint64(64) {
		block, index := word/bitslice.Words(c.Class.IndexBits), uint64(word%bitslice.Words(c.Class.IndexBits))*64+bit
		if part == format.Steps && entryOf(c, tabletest.QuixoShape, block, index).Steps < 0 {
			continue // a draw has no steps to look at
		}
		_, err := table.Lookup(c.Class.Class, block, index)
		return err
	}
	return nil
}

func BenchmarkCheckAlways(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	c := tabletest.RandomClass(r, tabletest.QuixoShape, 12, 12, 252, 5)
	table := openAlways(b, tabletest.Write(b, tabletest.QuixoShape, []tabletest.Sealed{c}))
	for b.Loop() {
		block, _, err := table.Find(12, c.Class.Masks[r.IntN(252)])
		if err != nil {
			b.Fatal(err)
		}
		if _, err := table.Lookup(12, block, r.Uint64N(1<<12)); err != nil {
			b.Fatal(err)
		}
	}
}
