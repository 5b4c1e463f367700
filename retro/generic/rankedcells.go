package generic

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"backsolve/game/custom"
)

func (r *ranked) set(w *rankedWorker, i uint64) error {
	v, err := r.first(w, i)
	if err != nil {
		return err
	}
	v = r.coded(v)
	if !r.stays && v.decided() && v.value().Steps >= MostRankedPlies {
		return errRanksTooLong
	}
	r.words[i*r.width/32] |= r.bits(v) << (i * r.width % 32) // no other goroutine has the word
	if r.stays && v.decided() {
		return r.mark(i, v)
	}
	return nil
}

func (s score) decided() bool { return s > 0 && s < undecided || s > drawn }

// coded returns a score as cells have it before it is taken.
func (r *ranked) coded(v score) score {
	switch {
	case !r.s.o.Outcomes || !v.decided():
		return v
	case v > drawn:
		return wonWaits
	}
	return lostWaits
}

// outcomeBits returns the 2 bits of a cell. What is undecided is drawn.
func outcomeBits(v score) uint32 {
	switch {
	case v == 0:
		return 0
	case v < undecided:
		return 1
	case v <= drawn:
		return 2
	}
	return 3
}

func (r *ranked) cell(i uint64) score {
	if r.width == 8 {
		return scoreOfByte(atomic.LoadUint32(&r.words[i/4]) >> (i % 4 * 8))
	}
	return score(atomic.LoadUint32(&r.words[i/2]) >> (i % 2 * 16))
}

func scoreOfByte(word uint32) score {
	if b := word & 0xff; b >= openByte {
		return undecided | score(b-openByte)
	}
	return byteScores[word&0xff]
}

// bits returns the bits of a cell.
func (r *ranked) bits(v score) uint32 {
	switch {
	case r.width == 16:
		return uint32(v)
	case r.width == 2:
		return outcomeBits(v)
	case v >= undecided && v < drawn:
		return uint32(v-undecided) + openByte
	}
	return uint32(slices.Index(byteScores[:], v))
}

// swap sets a cell that is old, and reports whether it was.
func (r *ranked) swap(i uint64, old, now score) bool {
	mask, from, to := uint32(1)<<r.width-1, r.bits(old), r.bits(now)
	word, shift := &r.words[i*r.width/32], i*r.width%32
	for {
		w := atomic.LoadUint32(word)
		if w>>shift&mask != from {
			return false
		}
		if atomic.CompareAndSwapUint32(word, w, w^(from^to)<<shift) {
			return true
		}
	}
}

// mark has a cell looked at in the step of its score.
func (r *ranked) mark(i uint64, v score) error {
	ply := v.value().Steps
	if ply >= MostRankedPlies {
		return errRanksTooLong
	}
	marks := r.marks[ply].Load()
	if marks == nil {
		blocks := (r.n + markedCells - 1) / markedCells
		fresh := make([]uint64, (blocks+63)/64)
		if r.marks[ply].CompareAndSwap(nil, &fresh) {
			r.marked.Add(1)
		}
		marks = r.marks[ply].Load()
	}
	block := i / markedCells
	if word, bit := &(*marks)[block/64], uint64(1)<<(block%64); atomic.LoadUint64(word)&bit == 0 {
		atomic.OrUint64(word, bit)
	}
	return nil
}

// first returns what is known of a state by its moves that leave the tier.
func (r *ranked) first(w *rankedWorker, i uint64) (score, error) {
	at, seen := custom.Child{Key: i, Tier: r.t}, &w.seen
	best, late, err := r.leave(w, at)
	open := seen.Inside
	switch {
	case err != nil || seen.None:
		return 0, err
	case seen.Over:
		return scoreOf(seen.Outcome, 0), nil
	case open+len(seen.Outside) == 0:
		return 0, wrongRules(custom.FaultAt(r.rules, at, "it is not over and has no move"))
	case open > 0 && !r.stays:
		return 0, wrongRules(custom.FaultAt(r.rules, at, "a move stays in its unit, and Stays says that none does"))
	case best > drawn:
		return best, nil
	case open == 0:
		return max(best, late), nil
	case best == drawn:
		open++ // it never goes
	}
	if r.width == 8 && open > mostOpenByte {
		return 0, errOpenByte
	}
	if open > mostOpen {
		return 0, wrongRules(custom.FaultAt(r.rules, at, "%d moves lead to its own unit, of at most %d", open, mostOpen-1))
	}
	v := undecided | score(open)
	if late > 0 && !r.s.o.Outcomes {
		v |= asks
	}
	return v, nil
}

// leave looks at a state, and returns the scores of the best move that leaves the tier and does not
// lose, and of that which loses last.
func (r *ranked) leave(w *rankedWorker, at custom.Child) (best, late score, err error) {
	if err := w.ranker.Look(&w.seen, at); err != nil {
		return 0, 0, wrongRules(err)
	}
	w.scores = w.scores[:0]
	for _, to := range w.seen.Outside { // all come from memory at once
		if to.Tier < r.t || to.Tier >= len(r.sizes) || to.Key >= uint64(r.sizes[to.Tier]) {
			return 0, 0, badMove(r.rules, at, to)
		}
		w.scores = append(w.scores, r.s.known(to.Tier, to.Key))
	}
	for i, v := range w.scores {
		if v == 0 {
			to := w.seen.Outside[i]
			return 0, 0, wrongRules(custom.FaultAt(r.rules, at, "a move leads to rank %d of tier %d, which has no position", to.Key, to.Tier))
		}
		if v = v.before(); v >= drawn {
			best = max(best, v)
		} else {
			late = max(late, v)
		}
	}
	return best, late, nil
}

func (r *ranked) step(ctx context.Context, ply int) error {
	marks := r.marks[ply].Load()
	if marks == nil {
		return nil
	}
	won, lost := score(0xffff-ply), score(1+ply)
	err := each(ctx, r.s.threads, len(*marks), func(worker, i int) error {
		w, taken := &r.workers[worker], 0
		defer func() { r.advance(2 * taken) }()
		for blocks := (*marks)[i]; blocks != 0; blocks &= blocks - 1 {
			from := (uint64(i)*64 + uint64(bits.TrailingZeros64(blocks))) * markedCells
			for j := from; j < min(from+markedCells, r.n); j++ {
				if v := r.cell(j); v == won || v == lost {
					if err := r.back(w, j, v); err != nil {
						return err
					}
					taken++
				}
			}
		}
		return nil
	})
	r.marks[ply].Store(nil)
	r.marked.Add(-1)
	return err
}

func (r *ranked) back(w *rankedWorker, i uint64, v score) (err error) {
	at := custom.Child{Key: i, Tier: r.t}
	if w.parents, err = w.ranker.Before(w.parents[:0], at); err != nil {
		return wrongRules(err)
	}
	for _, p := range w.parents { // all cells come from memory at once
		w.touched += atomic.LoadUint32(&r.words[p.Rank*r.width/32])
	}
	for _, p := range w.parents {
		if err := r.tell(w, at, p, r.coded(v.before())); err != nil {
			return err
		}
	}
	if r.s.o.Outcomes {
		r.swap(i, v, outcomeScores[outcomeBits(v)])
	}
	return nil
}

func (r *ranked) tell(w *rankedWorker, to custom.Child, p custom.Parent, v score) error {
	for {
		old := r.cell(p.Rank)
		now, err := r.better(w, to, p, old, v)
		if err != nil || now == old {
			return err
		}
		if !r.swap(p.Rank, old, now) {
			continue
		}
		if now.decided() {
			return r.mark(p.Rank, now)
		}
		return nil
	}
}

// better returns what a cell becomes: a win, unless it wins sooner, or one with fewer moves that are not
// known to lose.
func (r *ranked) better(w *rankedWorker, to custom.Child, p custom.Parent, old, v score) (score, error) {
	switch {
	case old < undecided || old == drawn || old >= v && old > drawn:
		return old, nil
	case v > drawn:
		return v, nil
	}
	left := int(old&mostOpen) - p.Moves
	if left < 0 {
		return 0, wrongRules(custom.FaultAt(r.rules, to, "Unmoves returns %s more often than Moves leads from there", custom.TextOr(r.rules, custom.Child{Key: p.Rank, Tier: r.t})))
	}
	if left > 0 {
		return old - score(p.Moves), nil
	}
	if old&asks == 0 {
		return v, nil
	}
	_, late, err := r.leave(w, custom.Child{Key: p.Rank, Tier: r.t})
	return max(v, late), err
}
