package reader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// tinyTable is small enough to have each of its bytes flipped.
func tinyTable() []tabletest.Sealed {
	r := rand.New(rand.NewPCG(2, 2))
	return []tabletest.Sealed{tabletest.RandomClass(r, tabletest.QuixoShape, 3, 4, 2, 2), tabletest.RandomClass(r, tabletest.QuixoShape, 2, 7, 1, 0)}
}

// probeTable reads all of a possibly damaged table. What it returns must be right, its errors must
// have a kind, and Verify must fail if isDamaged.
func probeTable(t testing.TB, path string, classes []tabletest.Sealed, isDamaged bool) {
	t.Helper()
	table, err := reader.Open(path)
	if err != nil {
		checkRefusal(t, path, err)
		if !isDamaged {
			t.Errorf("a whole table is refused: %v", err)
		}
		return
	}
	defer table.Close()
	for i, c := range classes {
		probeClass(t, table, i, c)
	}
	err = table.Verify(context.Background(), 1, nil)
	if (err != nil) != isDamaged {
		t.Errorf("damaged is %v, but Verify: %v", isDamaged, err)
	}
	if err != nil {
		checkRefusal(t, path, err)
	}
}

// probeClass looks up some states of a class, and reads its blocks and planes.
func probeClass(t testing.TB, table *reader.Table, i int, c tabletest.Sealed) {
	t.Helper()
	for b, mask := range c.Class.Masks {
		if got, found, err := table.Find(c.Class.Class, mask); err != nil {
			checkRefusal(t, table.Path(), err)
		} else if got != b || !found {
			t.Errorf("Find(%d, %d) = %d, %v", c.Class.Class, mask, got, found)
		}
	}
	sampled(c, rand.New(rand.NewPCG(7, 7)), 10, func(block int, index uint64) {
		if got, err := table.Lookup(c.Class.Class, block, index); err != nil {
			checkRefusal(t, table.Path(), err)
		} else if got != entryOf(c, tabletest.QuixoShape, block, index) {
			t.Errorf("Lookup(%d, %d, %d) = %v", c.Class.Class, block, index, got)
		}
	})
	var planes tablebase.Planes
	if err := table.Planes(i, 0, len(c.Class.Masks), &planes); err != nil {
		checkRefusal(t, table.Path(), err)
	} else if !tabletest.SamePlanes(planes, c.Planes) {
		t.Errorf("planes of class %d differ", c.Class.Class)
	}
}

// checkRefusal wants an error with a path and a kind.
func checkRefusal(t testing.TB, path string, err error) {
	t.Helper()
	var e *tablebase.Error
	if !errors.As(err, &e) || e.Path != path {
		t.Errorf("an error without the path: %v", err)
	}
	for _, kind := range []error{tablebase.ErrForeign, tablebase.ErrTruncated, tablebase.ErrDamaged, tablebase.ErrNewer} {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Errorf("an error of no kind: %v", err)
}

// TestEveryByteFlipped flips each byte of a table in place, one at a time: one
// of its bits in zeros that fill up, all eight elsewhere.
func TestEveryByteFlipped(t *testing.T) {
	classes := tinyTable()
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	valid := tabletest.ReadFile(t, path)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put := func(at int, b byte) {
		if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	for at, b := range valid {
		if testing.Short() && at%17 != 0 {
			continue
		}
		for _, bit := range []int{at % 8, (at + 3) % 8} {
			if (b == 0 || testing.Short()) && bit != at%8 {
				continue
			}
			put(at, b^1<<bit)
			probeTable(t, path, classes, true)
			if t.Failed() {
				t.Fatalf("after flipping bit %d of byte %d of %d", bit, at, len(valid))
			}
		}
		put(at, b)
	}
	probeTable(t, path, classes, false)
	if testing.Short() {
		t.Skip("a part of it only: all takes long under the race detector")
	}
}

// TestDamageIsNamed damages two parts: lookups there fail, others do not, and
// Verify lists both.
func TestDamageIsNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	classes := []tabletest.Sealed{tabletest.RandomClass(r, tabletest.QuixoShape, 3, 14, 80, 2), tabletest.RandomClass(r, tabletest.QuixoShape, 2, 7, 1, 1)}
	b := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	first, second := records(tabletest.Open(t, tabletest.Save(t, b)))[0], records(tabletest.Open(t, tabletest.Save(t, b)))[1]
	b[first.Parts[format.Outcomes].Offset+2*format.ChunkSize+5] ^= 1
	b[first.Parts[format.Outcomes].Offset+3*format.ChunkSize+5] ^= 1
	b[second.Parts[format.Masks].Offset+format.PageSize-1] ^= 1

	table := tabletest.Open(t, tabletest.Save(t, b))
	var e *tablebase.Error
	err := table.Verify(context.Background(), 1, nil)
	want := []tablebase.Range{
		{Class: 3, Part: "outcomes", Offset: first.Parts[format.Outcomes].Offset + 2*format.ChunkSize, Length: 2 * format.ChunkSize},
		{Class: 2, Part: "masks", Offset: second.Parts[format.Masks].Offset, Length: format.PageSize},
	}
	if !errors.As(err, &e) || len(e.Damaged) != 2 || e.Damaged[0] != want[0] || e.Damaged[1] != want[1] {
		t.Errorf("Verify: %v, want %v", err, want)
	}
	// 64 KiB of two planes are 16 slices of 256 words.
	for block := range 80 {
		entry, err := table.Lookup(3, block, 12345)
		if isDamaged := block >= 32 && block < 64; isDamaged != errors.Is(err, tablebase.ErrDamaged) {
			t.Errorf("Lookup in block %d: %v", block, err)
		} else if !isDamaged && entry != entryOf(classes[0], tabletest.QuixoShape, block, 12345) {
			t.Errorf("Lookup in block %d = %v", block, entry)
		}
	}
	if _, _, err := table.Find(2, classes[1].Class.Masks[0]); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("Find in damaged masks: %v", err)
	}
	if _, err := table.Masks(1); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("Masks of damaged masks: %v", err)
	}
}

// TestContradictions has a table whose checksums hold and whose contents cannot
// be.
func TestContradictions(t *testing.T) {
	classes := tinyTable()
	valid := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	record := records(tabletest.Open(t, tabletest.Save(t, valid)))[1]
	resum := func(b []byte, part int) {
		p := record.Parts[part]
		sum := binary.LittleEndian.AppendUint32(nil, record.Sums[part][0])
		at := bytes.LastIndex(b, sum)
		binary.LittleEndian.PutUint32(b[at:], format.Checksum(b[p.Offset:p.Offset+p.Padded()]))
		sign(b)
	}
	b := bytes.Clone(valid)
	b[record.Parts[format.Outcomes].Offset] = 0xff   // all won
	b[record.Parts[format.Outcomes].Offset+8] = 0xff // and lost
	resum(b, format.Outcomes)
	table := tabletest.Open(t, tabletest.Save(t, b))
	if e, err := table.Lookup(2, 0, 3); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("a state both won and lost: %v, %v", e, err)
	}
	if err := table.Planes(1, 0, 1, new(tablebase.Planes)); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("planes with a state both won and lost: %v", err)
	}
	last := record.Parts[format.Masks].Offset + 8*int64(record.Blocks-1)
	for mask, right := range map[uint64]bool{1 << 15: true, 1 << 16: false, 1 << 63: false} {
		b := bytes.Clone(valid)
		binary.LittleEndian.PutUint64(b[last:], mask) // of a board of 16 cells
		resum(b, format.Masks)
		if _, err := tabletest.Open(t, tabletest.Save(t, b)).Masks(1); right != (err == nil) || !right && !errors.Is(err, tablebase.ErrDamaged) {
			t.Errorf("the last mask is %#x: %v", mask, err)
		}
	}
}

// FuzzDamage changes bytes of a table and cuts it: what it still says must be
// right.
func FuzzDamage(f *testing.F) {
	classes := tinyTable()
	valid := tabletest.ReadFile(f, tabletest.Write(f, tabletest.QuixoShape, classes))
	f.Add([]byte{}, uint16(0))
	f.Add([]byte{0x10, 0x05, 0xff}, uint16(0))
	f.Add([]byte{0x10, 0x05, 0xff, 0x60, 0x20, 0x01}, uint16(5000))
	f.Fuzz(func(t *testing.T, edits []byte, cut uint16) {
		b := edit(valid, edits)
		b = b[:len(b)-int(cut)%len(b)]
		probeTable(t, tabletest.Save(t, b), classes, !bytes.Equal(b, valid))
	})
}

// FuzzForgery changes bytes of a table and signs it again: it may say anything,
// but must not crash, and must know its own errors.
func FuzzForgery(f *testing.F) {
	valid := tabletest.ReadFile(f, tabletest.Write(f, tabletest.QuixoShape, tinyTable()))
	f.Add([]byte{})
	f.Add([]byte{0x50, 0x00, 0x10})
	footer := int(binary.LittleEndian.Uint64(valid[72:]))
	for field := 0; field < format.RecordHead; field += 4 {
		f.Add([]byte{byte(footer + field), byte((footer + field) >> 8), 0xff})
		f.Add([]byte{byte(footer + field + 3), byte((footer + field + 3) >> 8), 0x80})
	}
	f.Fuzz(func(t *testing.T, edits []byte) {
		b := edit(valid, edits)
		if at := binary.LittleEndian.Uint64(b[72:]); at < format.PageSize || at > uint64(len(b)-format.EndMarkSize) {
			return // nothing to sign
		}
		sign(b)
		path := tabletest.Save(t, b)
		table, err := reader.Open(path)
		if err != nil {
			checkRefusal(t, path, err)
			return
		}
		defer table.Close()
		for i, info := range table.Classes() {
			table.Masks(i)
			table.Planes(i, 0, 1, new(tablebase.Planes))
			table.Find(info.Class, 5)
			table.Lookup(info.Class, info.Blocks-1, 1<<info.IndexBits-1)
		}
		table.Verify(context.Background(), 1, nil)
	})
}

// edit changes bytes of a copy: each three of the edits are a place and what to
// flip there.
func edit(b, edits []byte) []byte {
	b = bytes.Clone(b)
	for ; len(edits) >= 3; edits = edits[3:] {
		b[int(binary.LittleEndian.Uint16(edits))%len(b)] ^= edits[2]
	}
	return b
}
