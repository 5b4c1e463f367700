package tablebase

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Sums that overflow are noticed, also where they overflow twice.
func TestStatesOverflow(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		tally OutcomeCounts
		ok    bool
	}{
		{OutcomeCounts{Wins: most}, true}, {OutcomeCounts{Wins: most - 2, Losses: 1, Draws: 1}, true},
		{OutcomeCounts{Wins: most, Losses: 1}, false}, {OutcomeCounts{Wins: most, Draws: 1}, false},
		{OutcomeCounts{Wins: most, Losses: most, Draws: most}, false},
	} {
		if _, ok := c.tally.States(); ok != c.ok {
			t.Errorf("%+v: %v", c.tally, ok)
		}
	}
}

// A directory has the records of its classes, and not a byte more or less.
func TestDirectoryEndsWithItsLastClass(t *testing.T) {
	table := open(t, write(t, quixoShape, smallTable(quixoShape)))
	var records []byte
	for _, r := range table.classes {
		records = r.append(records)
	}
	for _, c := range []struct {
		bytes []byte
		ok    bool
	}{{records, true}, {append(bytes.Clone(records), 1), false}, {records[:len(records)-1], false}} {
		d := newDirectory(bytes.NewReader(c.bytes), int64(len(c.bytes)), quixoShape, table.header.footerOffset)
		if _, err := d.all(&table.header); (err == nil) != c.ok || err != nil && !errors.Is(err, errDirectory) {
			t.Errorf("%d bytes of %d: %v", len(c.bytes), len(records), err)
		}
	}
}

// A table of many frames that was packed without an index, as versions before did, is
// read like another one.
func TestPackedWithoutIndex(t *testing.T) {
	for _, shape := range shapes {
		digits := 0
		if shape.Steps {
			digits = 3
		}
		// The last frame of each part is shorter.
		classes := []sealed{randomClass(rand.New(rand.NewPCG(22, 22)), shape, 7, 14, 83, digits)}
		path := write(t, shape, classes)
		table := open(t, save(t, frame(t, cutUp(t, path)...)))
		if table.data.(*frames).table.(*seekTable).indexed {
			t.Fatal("there is an index")
		}
		checkAll(t, table, shape, classes)
	}
}

// Which chunks have been checked is known of each by itself, also beyond the first 64:
// damage is noticed whatever was looked up before.
func TestEachChunkIsCheckedByItself(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	class := randomClass(r, notaktoShape, 7, 14, 2100, 0) // 32 blocks to a chunk
	path := write(t, notaktoShape, []sealed{class})
	valid := read(t, path)
	const perChunk = chunkSize / (1 << 14 / 8)
	for _, damaged := range []int{0, 1, 62, 63, 64, 65} {
		b := bytes.Clone(valid)
		b[pageSize+damaged*chunkSize+100] ^= 8
		table := open(t, save(t, b))
		for _, block := range append([]int{0, 63 * perChunk, 64 * perChunk, 65 * perChunk}, r.Perm(2100)...) {
			_, err := table.Lookup(7, block, 77)
			if isDamaged := block/perChunk == damaged; isDamaged != errors.Is(err, ErrDamaged) {
				t.Fatalf("chunk %d is damaged; in block %d of chunk %d: %v", damaged, block, block/perChunk, err)
			}
		}
	}
}
