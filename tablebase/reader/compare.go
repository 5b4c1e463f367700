package reader

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"sync/atomic"

	"backsolve/internal/parallel"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// CompareOutcomes reads two tables of one board, checksums checked, and returns the number of
// stored states with different outcomes. It uses all cores. It calls progress, unless nil, now
// and then, never twice at once. Errors: those of reading, and
// ErrInput where the tables have different classes or blocks.
func CompareOutcomes(ctx context.Context, a, b *Table, progress func(tablebase.Event)) (differ uint64, err error) {
	if err := sameCut(a, b); err != nil {
		return 0, err
	}
	var total uint64
	for _, r := range a.records {
		total += uint64(r.Blocks) << uint(r.IndexBits)
	}
	outcomes := tablebase.Shape{Planes: a.header.Shape.Planes}
	var done parallel.Counter
	var found atomic.Uint64
	for i, r := range a.records {
		// Whole slices, and a mebibyte or more, as scans are fastest so.
		run := max(1, format.IOSize/8/r.Words())
		err := parallel.Each((r.Blocks+run-1)/run, runtime.GOMAXPROCS(0), func(next func() (int, bool)) error {
			var one, other tablebase.Planes
			for n, more := next(); more; n, more = next() {
				if err := ctx.Err(); err != nil {
					return fmt.Errorf("%s: %w", a.Path(), err)
				}
				first := n * run
				blocks := min(run, r.Blocks-first)
				if err := a.readPlanes(outcomes, i, first, blocks, &one); err != nil {
					return err
				}
				if err := b.readPlanes(outcomes, i, first, blocks, &other); err != nil {
					return err
				}
				found.Add(differing(&one, &other))
				done.Add(int64(blocks)<<uint(r.IndexBits), func(sum int64) {
					if progress != nil {
						progress(tablebase.Event{Stage: "outcomes", Unit: "states", Done: uint64(sum), Total: total})
					}
				})
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return found.Load(), nil
}

// sameCut refuses tables with different classes or blocks.
func sameCut(a, b *Table) error {
	one, other := a.header.Shape, b.header.Shape
	if one.Game != other.Game || one.Size != other.Size || one.Planes != other.Planes || len(a.records) != len(b.records) {
		return tablebase.Inputf(b.Path(), "it is a table of %v with %d classes, and %s is one of %v with %d", other, len(b.records), a.Path(), one, len(a.records))
	}
	for i, r := range a.records {
		if o := b.records[i]; o.Class != r.Class || o.IndexBits != r.IndexBits || o.Blocks != r.Blocks {
			return tablebase.Inputf(b.Path(), "class %d has %d blocks, and class %d of %s has %d", o.Class, o.Blocks, r.Class, a.Path(), r.Blocks)
		}
	}
	return nil
}

// differing counts the states with different outcomes.
func differing(p, o *tablebase.Planes) (states uint64) {
	for i, win := range p.Win {
		x := win ^ o.Win[i]
		if p.Lose != nil {
			x |= p.Lose[i] ^ o.Lose[i]
		}
		states += uint64(bits.OnesCount64(x))
	}
	return states
}
