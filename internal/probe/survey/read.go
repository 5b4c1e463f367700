package survey

import (
	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// Stored is a stored state.
type Stored struct {
	// Position is the state, X to move.
	Position game.Position
	probe.Value
	// Images is the number of states of the whole game that are stored as this one.
	Images uint64
}

// StoredStates returns the number of states that a table stores.
func StoredStates(t Table) (n uint64) {
	for _, c := range sourceOf(t).classes() {
		n += storedStates(c)
	}
	return n
}

// Read fills dst with stored states in the order of Select, from the one with a number on, and
// returns how many there are: fewer than len(dst) only at the end of the table.
func Read(t *probe.Table, first uint64, dst []Stored) (n int, err error) {
	for i, c := range t.Stored().Classes() {
		if here := storedStates(c); first >= here {
			first -= here
			continue
		}
		masks, err := t.Stored().Masks(i)
		if err != nil {
			return n, err
		}
		r, k := gridRun{table: t, class: c}, uint(c.IndexBits)
		for block := int(first >> k); block < c.Blocks && n < len(dst); block += len(r.masks) {
			r.masks = masks[block:readEnd(c, block, len(dst)-n)]
			if err := t.Stored().Planes(i, block, len(r.masks), &r.planes); err != nil {
				return n, err
			}
			for b, mask := range r.masks {
				times, err := r.times(b)
				if err != nil {
					return n, err
				}
				for index := uint32(first & (1<<k - 1)); index < 1<<k && n < len(dst); index++ {
					at := partition.State{Class: c.Class, Mask: mask, Index: index}
					dst[n] = Stored{t.Space().Position(at), r.value(b, index), times}
					n++
				}
				first = 0
			}
		}
	}
	return n, nil
}

// readEnd returns the end of the blocks that are read together from one on, for n states the first of
// which may lie inside it: at least one, and no more than are needed or make a run.
func readEnd(c tablebase.ClassInfo, block, n int) int {
	return min(block+max(1, runWords/c.Words()), block+n>>uint(c.IndexBits)+2, c.Blocks)
}
