package tablebase

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
)

// tinyTable is small enough to have each of its bytes flipped.
func tinyTable() []sealed {
	r := rand.New(rand.NewPCG(2, 2))
	return []sealed{randomClass(r, quixoShape, 3, 4, 2, 2), randomClass(r, quixoShape, 2, 7, 1, 0)}
}

// probe asks a possibly damaged table everything. Whatever it answers must be
// right, its errors must be of this package, and Verify must find fault if
// damaged.
func probe(t testing.TB, path string, classes []sealed, isDamaged bool) {
	t.Helper()
	table, err := Open(path)
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
	err = table.Verify(context.Background(), nil)
	if (err != nil) != isDamaged {
		t.Errorf("damaged is %v, but Verify: %v", isDamaged, err)
	}
	if err != nil {
		checkRefusal(t, path, err)
	}
}

// probeClass asks for some states, all blocks and all planes of a class.
func probeClass(t testing.TB, table *Table, i int, c sealed) {
	t.Helper()
	for b, mask := range c.class.Masks {
		if got, found, err := table.Find(c.class.Class, mask); err != nil {
			checkRefusal(t, table.path, err)
		} else if got != b || !found {
			t.Errorf("Find(%d, %d) = %d, %v", c.class.Class, mask, got, found)
		}
	}
	c.sampled(rand.New(rand.NewPCG(7, 7)), 10, func(block int, index uint64) {
		if got, err := table.Lookup(c.class.Class, block, index); err != nil {
			checkRefusal(t, table.path, err)
		} else if got != c.entry(quixoShape, block, index) {
			t.Errorf("Lookup(%d, %d, %d) = %v", c.class.Class, block, index, got)
		}
	})
	var planes Planes
	if err := table.Planes(i, 0, c.class.Blocks(), &planes); err != nil {
		checkRefusal(t, table.path, err)
	} else if !samePlanes(planes, c.planes) {
		t.Errorf("planes of class %d differ", c.class.Class)
	}
}

// checkRefusal wants an error that says what kind of fault it is and where.
func checkRefusal(t testing.TB, path string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Path != path {
		t.Errorf("an error without the path: %v", err)
	}
	for _, kind := range []error{ErrForeign, ErrTruncated, ErrDamaged, ErrNewer} {
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
	path := write(t, quixoShape, classes)
	valid := read(t, path)
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
		if testing.Short() && at%4 != 0 {
			continue
		}
		for bit := range 8 {
			if (b == 0 || testing.Short()) && bit != at%8 {
				continue
			}
			put(at, b^1<<bit)
			probe(t, path, classes, true)
			if t.Failed() {
				t.Fatalf("after flipping bit %d of byte %d of %d", bit, at, len(valid))
			}
		}
		put(at, b)
	}
	probe(t, path, classes, false)
	if testing.Short() {
		t.Skip("a part of it only: all takes long under the race detector")
	}
}

// TestDamageIsNamed damages two parts: lookups there fail, others do not, and
// Verify lists both.
func TestDamageIsNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	classes := []sealed{randomClass(r, quixoShape, 3, 14, 80, 2), randomClass(r, quixoShape, 2, 7, 1, 1)}
	b := read(t, write(t, quixoShape, classes))
	first, second := open(t, save(t, b)).classes[0], open(t, save(t, b)).classes[1]
	b[first.parts[outcomes].offset+2*chunkSize+5] ^= 1
	b[first.parts[outcomes].offset+3*chunkSize+5] ^= 1
	b[second.parts[masks].offset+pageSize-1] ^= 1

	table := open(t, save(t, b))
	var e *Error
	err := table.Verify(context.Background(), nil)
	want := []Stretch{
		{3, "outcomes", first.parts[outcomes].offset + 2*chunkSize, 2 * chunkSize},
		{2, "masks", second.parts[masks].offset, pageSize},
	}
	if !errors.As(err, &e) || len(e.Damaged) != 2 || e.Damaged[0] != want[0] || e.Damaged[1] != want[1] {
		t.Errorf("Verify: %v, want %v", err, want)
	}
	// 64 KiB of two planes are 16 slices of 256 words.
	for block := range 80 {
		entry, err := table.Lookup(3, block, 12345)
		if isDamaged := block >= 32 && block < 64; isDamaged != errors.Is(err, ErrDamaged) {
			t.Errorf("Lookup in block %d: %v", block, err)
		} else if !isDamaged && entry != classes[0].entry(quixoShape, block, 12345) {
			t.Errorf("Lookup in block %d = %v", block, entry)
		}
	}
	if _, _, err := table.Find(2, classes[1].class.Masks[0]); !errors.Is(err, ErrDamaged) {
		t.Errorf("Find in damaged masks: %v", err)
	}
	if _, err := table.Masks(1); !errors.Is(err, ErrDamaged) {
		t.Errorf("Masks of damaged masks: %v", err)
	}
}

// TestContradictions has a table whose checksums hold and whose contents cannot
// be.
func TestContradictions(t *testing.T) {
	classes := tinyTable()
	valid := read(t, write(t, quixoShape, classes))
	record := open(t, save(t, valid)).classes[1]
	resum := func(b []byte, part int) {
		p := record.parts[part]
		sum := le.AppendUint32(nil, record.sums[part].held[0])
		at := bytes.LastIndex(b, sum)
		le.PutUint32(b[at:], checksum(b[p.offset:p.offset+p.padded()]))
		sign(b)
	}
	b := bytes.Clone(valid)
	b[record.parts[outcomes].offset] = 0xff   // all won
	b[record.parts[outcomes].offset+8] = 0xff // and lost
	resum(b, outcomes)
	table := open(t, save(t, b))
	if e, err := table.Lookup(2, 0, 3); !errors.Is(err, ErrDamaged) {
		t.Errorf("a state both won and lost: %v, %v", e, err)
	}
	if err := table.Planes(1, 0, 1, new(Planes)); !errors.Is(err, ErrDamaged) {
		t.Errorf("planes with a state both won and lost: %v", err)
	}
	last := record.parts[masks].offset + 8*int64(record.Blocks-1)
	for mask, right := range map[uint64]bool{1 << 15: true, 1 << 16: false, 1 << 63: false} {
		b := bytes.Clone(valid)
		le.PutUint64(b[last:], mask) // of a board of 16 cells
		resum(b, masks)
		if _, err := open(t, save(t, b)).Masks(1); right != (err == nil) || !right && !errors.Is(err, ErrDamaged) {
			t.Errorf("the last mask is %#x: %v", mask, err)
		}
	}
}

// FuzzDamage changes bytes of a table and cuts it: what it still says must be
// right.
func FuzzDamage(f *testing.F) {
	classes := tinyTable()
	valid := read(f, write(f, quixoShape, classes))
	f.Add([]byte{}, uint16(0))
	f.Add([]byte{0x10, 0x05, 0xff}, uint16(0))
	f.Add([]byte{0x10, 0x05, 0xff, 0x60, 0x20, 0x01}, uint16(5000))
	f.Fuzz(func(t *testing.T, edits []byte, cut uint16) {
		b := edit(valid, edits)
		b = b[:len(b)-int(cut)%len(b)]
		probe(t, save(t, b), classes, !bytes.Equal(b, valid))
	})
}

// FuzzForgery changes bytes of a table and signs it again: it may say anything,
// but must not crash, and must know its own errors.
func FuzzForgery(f *testing.F) {
	valid := read(f, write(f, quixoShape, tinyTable()))
	f.Add([]byte{})
	f.Add([]byte{0x50, 0x00, 0x10})
	footer := int(le.Uint64(valid[72:]))
	for field := 0; field < recordHead; field += 4 {
		f.Add([]byte{byte(footer + field), byte((footer + field) >> 8), 0xff})
		f.Add([]byte{byte(footer + field + 3), byte((footer + field + 3) >> 8), 0x80})
	}
	f.Fuzz(func(t *testing.T, edits []byte) {
		b := edit(valid, edits)
		if at := le.Uint64(b[72:]); at < pageSize || at > uint64(len(b)-endMarkSize) {
			return // nothing to sign
		}
		sign(b)
		path := save(t, b)
		table, err := Open(path)
		if err != nil {
			checkRefusal(t, path, err)
			return
		}
		defer table.Close()
		for i, info := range table.Classes() {
			table.Masks(i)
			table.Planes(i, 0, 1, new(Planes))
			table.Find(info.Class, 5)
			table.Lookup(info.Class, info.Blocks-1, 1<<info.IndexBits-1)
		}
		table.Verify(context.Background(), nil)
	})
}

// edit changes bytes of a copy: each three of the edits are a place and what to
// flip there.
func edit(b, edits []byte) []byte {
	b = bytes.Clone(b)
	for ; len(edits) >= 3; edits = edits[3:] {
		b[int(le.Uint16(edits))%len(b)] ^= edits[2]
	}
	return b
}
