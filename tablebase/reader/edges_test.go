package reader_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
)

// Sums that overflow are noticed, also where they overflow twice.
func TestStatesOverflow(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		tally tablebase.OutcomeCounts
		ok    bool
	}{
		{tablebase.OutcomeCounts{Wins: most}, true}, {tablebase.OutcomeCounts{Wins: most - 2, Losses: 1, Draws: 1}, true},
		{tablebase.OutcomeCounts{Wins: most, Losses: 1}, false}, {tablebase.OutcomeCounts{Wins: most, Draws: 1}, false},
		{tablebase.OutcomeCounts{Wins: most, Losses: most, Draws: most}, false},
	} {
		if _, ok := c.tally.States(); ok != c.ok {
			t.Errorf("%+v: %v", c.tally, ok)
		}
	}
}

// A table of many frames that was packed without an index, as versions before did, is
// read like another one.
func TestPackedWithoutIndex(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		digits := 0
		if shape.Steps {
			digits = 3
		}
		// The last frame of each part is shorter.
		classes := []tabletest.Sealed{tabletest.RandomClass(rand.New(rand.NewPCG(22, 22)), shape, 7, 14, 83, digits)}
		path := tabletest.Write(t, shape, classes)
		table := tabletest.Open(t, tabletest.Save(t, frame(t, cutUp(t, path)...)))
		checkAll(t, table, shape, classes)
	}
}

// Which chunks have been checked is known of each by itself, also beyond the first 64:
// damage is noticed whatever was looked up before.
func TestEachChunkIsCheckedByItself(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	class := tabletest.RandomClass(r, notaktoShape, 7, 14, 2100, 0) // 32 blocks to a chunk
	path := tabletest.Write(t, notaktoShape, []tabletest.Sealed{class})
	valid := tabletest.ReadFile(t, path)
	const perChunk = format.ChunkSize / (1 << 14 / 8)
	for _, damaged := range []int{0, 1, 62, 63, 64, 65} {
		b := bytes.Clone(valid)
		b[format.PageSize+damaged*format.ChunkSize+100] ^= 8
		table := tabletest.Open(t, tabletest.Save(t, b))
		for _, block := range append([]int{0, 63 * perChunk, 64 * perChunk, 65 * perChunk}, r.Perm(2100)...) {
			_, err := table.Lookup(7, block, 77)
			if isDamaged := block/perChunk == damaged; isDamaged != errors.Is(err, tablebase.ErrDamaged) {
				t.Fatalf("chunk %d is damaged; in block %d of chunk %d: %v", damaged, block, block/perChunk, err)
			}
		}
	}
}
