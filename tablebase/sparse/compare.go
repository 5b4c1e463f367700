package sparse

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"backsolve/internal/parallel"
	"backsolve/tablebase"
)

// CompareOutcomes reads two tables of one game, checksums checked, and returns the number of
// states with different outcomes. It uses all cores. It calls progress, unless nil, now and
// then, never twice at once. Errors: those of reading, and
// ErrInput where the tables have different states.
func CompareOutcomes(ctx context.Context, a, b *Table, progress func(tablebase.Event)) (differ uint64, err error) {
	if a.header.Game != b.header.Game || len(a.header.Tiers) != len(b.header.Tiers) {
		return 0, tablebase.Inputf(b.Path(), "it is a table of %s with %d tiers, and %s is one of %s with %d",
			b.header.Game, len(b.header.Tiers), a.Path(), a.header.Game, len(a.header.Tiers))
	}
	var done parallel.Counter
	var found atomic.Uint64
	for tier := range a.header.Tiers {
		others := tablebase.Inputf(b.Path(), "tier %d has other states than that of %s", tier, a.Path())
		info := &a.header.Tiers[tier]
		if info.States != b.header.Tiers[tier].States {
			return 0, others
		}
		const run = 64 // blocks of a task
		err := parallel.Each(int((info.Blocks()+run-1)/run), runtime.GOMAXPROCS(0), func(next func() (int, bool)) (err error) {
			var one, other []State
			for n, more := next(); more; n, more = next() {
				if err := ctx.Err(); err != nil {
					return fmt.Errorf("%s: %w", a.Path(), err)
				}
				one, other = one[:0], other[:0]
				for block := int64(n) * run; block < min(int64(n+1)*run, info.Blocks()); block++ {
					if one, err = a.Block(one, tier, block); err != nil {
						return err
					}
					if other, err = b.Block(other, tier, block); err != nil {
						return err
					}
				}
				for i, s := range one {
					if s.Key != other[i].Key {
						return others
					}
					if s.Outcome != other[i].Outcome {
						found.Add(1)
					}
				}
				done.Add(int64(len(one)), func(sum int64) {
					if progress != nil {
						progress(tablebase.Event{Stage: "outcomes", Unit: "states", Done: uint64(sum), Total: uint64(a.States())})
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
