package survey

import (
	"context"
	"io"
	"math/bits"
	"sync"

	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// CompareOutcomes returns how many states of a table have another outcome in the table of the same board in a
// file, checksums checked. It uses all cores, and never calls progress twice at once. The error is that of
// reading, the cause of ctx, or an ErrInput where the tables have other states.
func CompareOutcomes(ctx context.Context, t Table, file string, progress func(tablebase.Event)) (differ uint64, err error) {
	other, compare, err := sourceOf(t).against(file)
	if other != nil {
		defer other.Close()
	}
	if err != nil {
		return 0, err
	}
	var lock sync.Mutex
	e := tablebase.Event{Stage: "outcomes", Unit: "states", Total: StoredStates(t)}
	for class := range sourceOf(t).classes() {
		err := compare(ctx, class, func(states, others uint64) {
			lock.Lock()
			defer lock.Unlock()
			differ += others
			e.Done += states
			tablebase.Tell(progress, e)
		})
		if err != nil {
			return 0, err
		}
	}
	return differ, nil
}

// comparison tells found of each run how many states it has, and how many with another outcome.
type comparison func(ctx context.Context, class int, found func(states, others uint64)) error

func (g grid) against(file string) (other io.Closer, compare comparison, err error) {
	table, err := probe.OpenFile(file)
	if err != nil {
		return nil, nil, err
	}
	a, b := g.table.Stored(), table.Stored()
	compare = func(ctx context.Context, class int, found func(states, others uint64)) error {
		return eachRun(ctx, g.table, class, threadsOrAll(0), a.Outcomes, func(r *gridRun) (more bool, err error) {
			if err := b.Outcomes(class, r.first, len(r.masks), &r.other); err != nil {
				return false, err
			}
			others := 0
			for w, win := range r.planes.Win {
				x := win ^ r.other.Win[w]
				if r.planes.Lose != nil {
					x |= r.planes.Lose[w] ^ r.other.Lose[w]
				}
				others += bits.OnesCount64(x)
			}
			found(uint64(len(r.masks))<<uint(r.class.IndexBits), uint64(others))
			return true, nil
		})
	}
	// Both are known to have the blocks of their boards.
	one, o := a.Shape(), b.Shape()
	if all, others := g.table.Classes(), table.Classes(); one.Game != o.Game || one.Size != o.Size || all != others {
		err = tablebase.Inputf(file, "it is a table of %v with %d classes, and %s is one of %v with %d", o, others, a.Path(), one, all)
	}
	return table, compare, err
}

func (l listed) against(file string) (other io.Closer, compare comparison, err error) {
	b, err := sparse.Open(file)
	if err != nil {
		return nil, nil, err
	}
	h, o, path := l.table.Stored().Header(), b.Header(), l.table.File().Path()
	if h.Game != o.Game || len(h.Tiers) != len(o.Tiers) {
		return b, nil, tablebase.Inputf(file, "it is a table of %s with %d tiers, and %s is one of %s with %d", o.Game, len(o.Tiers), path, h.Game, len(h.Tiers))
	}
	return b, func(ctx context.Context, tier int, found func(states, others uint64)) error {
		unlike := tablebase.Inputf(file, "tier %d has other states than that of %s", tier, path)
		if h.Tiers[tier].States != o.Tiers[tier].States || h.Tiers[tier].Ranks != o.Tiers[tier].Ranks {
			return unlike
		}
		return l.eachRun(ctx, tier, threadsOrAll(0), func(r *listedRun) (more bool, err error) {
			r.other = r.other[:0]
			for block := r.first; block < min(r.first+runBlocks, o.Tiers[tier].Blocks()); block++ {
				if r.other, err = b.Block(r.other, tier, block); err != nil {
					return false, err
				}
			}
			if len(r.other) != len(r.states) {
				return false, unlike
			}
			others := uint64(0)
			for i, s := range r.states {
				if s.Key != r.other[i].Key {
					return false, unlike
				}
				if s.Outcome != r.other[i].Outcome {
					others++
				}
			}
			found(uint64(len(r.states)), others)
			return true, nil
		})
	}, nil
}
