package generic

import (
	"context"
	"fmt"
	"math/bits"
	"os"
	"sync/atomic"
	"time"

	"backsolve/game/custom"
	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/tablebase"
)

// Games with ranks are solved without finding out what play can reach: each tier has a cell of 16
// bits for each rank. A first pass looks at the moves of each state, and then each ply has a step,
// which takes the states that are decided at this ply and goes back from them. A cell is
//
//	0               no state has the rank, or, before the first pass, nothing is known
//	a score         the value, or one that an earlier step may still better: a win
//	undecided | n   where all but n moves are known to lose
//
// Steps after step k know nothing better for a state with a value of k plies. Where no move stays in
// the tier, the first pass is all.
//
// For outcomes alone, steps 2 and 3 take turns: a loss has ply 2 until step 2 has taken it, and then
// 0, and a win 3 and then 1. Values are stored in 2 bits, and so are cells where no move stays.
const (
	undecided = 0x4000
	// asks says that a move leaves the tier and loses, perhaps later than the others.
	asks     = 0x2000
	mostOpen = asks - 1
	// MostRankedPlies is the least length of a line of best play whose steps a cell cannot hold.
	MostRankedPlies = undecided - 2

	lostWaits, wonWaits = score(1 + 2), score(0xffff - 3)
)

// outcomeScores are what 2 bits stand for.
var outcomeScores = [4]score{0, 1, drawn, 0xffff - 1}

// A step looks at blocks of markedCells cells that are marked for its ply, and a task of the first pass
// at passCells, a multiple of 16. Cells are saved no more often than cellsEvery, in the first pass
// after stretches of stretchCells. Tests make them small.
var (
	markedCells, passCells, stretchCells uint64 = 1 << 10, 1 << 14, 1 << 26
	cellsEvery                                  = 5 * time.Minute
)

var errRanksTooLong = fmt.Errorf("a line of best play has %d plies or more, in a game by rank %w", MostRankedPlies, ErrTooLong)

// ranked solves a tier of ranks.
type ranked struct {
	s      *solver
	rules  custom.Ranked
	t      int
	n      uint64
	stays  bool     // moves may stay in the tier
	words  []uint32 // of two cells, or of 16 if narrow
	narrow bool
	// marks has for each ply, once a cell may be decided then, a bit for each block of cells.
	marks   [MostRankedPlies]atomic.Pointer[[]uint64]
	marked  atomic.Int64 // the number of plies with marks
	saved   time.Time
	workers []rankedWorker
}

// rankedWorker has the buffers of a goroutine.
type rankedWorker struct {
	ranker  custom.Ranker
	seen    custom.Seen
	parents []custom.Parent
	touched uint32
}

// begun is what the checkpoint has of a tier of ranks that is not solved yet: its cells after the
// first pass has looked at some, and before the step of a ply.
type begun struct {
	Cells  file
	Looked uint64
	Ply    int
}

// solveRanked finds the values of all tiers, from the last that the checkpoint does not have.
func (s *solver) solveRanked(ctx context.Context, rules custom.Ranked) error {
	last, done := rules.Tiers()-1, 0
	s.outcomes = make([][]uint32, last+1)
	for t := range last + 1 {
		s.states += int(rules.Size(t))
		s.report(Enumerated, t, int(rules.Size(t)), 0)
	}
	for t := last; t >= 0; t-- {
		if last-t == len(s.solved) {
			s.report(tablebase.Solving, t, done, s.states)
			f, err := s.solveRanks(ctx, rules, t)
			if err != nil {
				return err
			}
			if s.solved = append(s.solved, f); s.begun != (begun{}) {
				s.begun, s.saved = begun{}, time.Time{} // the cells go now
			}
			if err := s.save(); err != nil {
				return err
			}
		}
		n := int(rules.Size(t))
		if done += n; n == 0 {
			continue
		}
		f := s.solved[last-t]
		m, err := s.work.mapFile(f)
		if err != nil {
			return err
		}
		if f.Outcomes {
			s.outcomes[t] = numbersOf[uint32](m)
		} else {
			s.values[t] = numbersOf[score](m)[:n]
		}
	}
	return nil
}

// known returns the score of a rank in a solved tier, 0 if no state has it.
func (s *solver) known(t int, i uint64) score {
	if outcomes := s.outcomes[t]; outcomes != nil {
		return outcomeScores[outcomes[i/16]>>(i%16*2)&3]
	}
	return s.values[t][i]
}

// solveRanks writes the values of a tier of ranks.
func (s *solver) solveRanks(ctx context.Context, rules custom.Ranked, t int) (f file, err error) {
	r := &ranked{s: s, rules: rules, t: t, n: rules.Size(t), stays: rules.Loops(t), saved: time.Now(), workers: make([]rankedWorker, s.threads)}
	if r.n == 0 {
		return file{}, nil
	}
	r.narrow = s.o.Outcomes && !r.stays
	if need := rankedMemory(r.n, r.narrow); s.o.Memory > 0 && need > s.o.Memory {
		return file{}, fmt.Errorf("%w: tier %d of %d ranks takes %d bytes of %d", ErrMemory, t, r.n, need, s.o.Memory)
	}
	if r.words, err = memory.NewArray[uint32](int(rankedBytes(r.n, r.narrow) / 4)); err != nil {
		return file{}, err
	}
	defer func() { memory.FreeArray(r.words) }()
	for i := range r.workers {
		r.workers[i].ranker = rules.NewRanker()
	}
	looked, ply, err := r.resume(ctx)
	if err != nil {
		return file{}, err
	}
	if err := r.look(ctx, looked, ply); err != nil {
		return file{}, err
	}
	for r.marked.Load() > 0 {
		if err := r.step(ctx, ply); err != nil {
			return file{}, err
		}
		if ply++; s.o.Outcomes && ply > 3 {
			ply = 2
		}
		if err := r.save(r.n, ply); err != nil {
			return file{}, err
		}
	}
	return r.write()
}

// rankedBytes returns the bytes of n cells or values, those of outcomes if narrow.
func rankedBytes(n uint64, narrow bool) int64 {
	if narrow {
		return int64((n + 15) / 16 * 4)
	}
	return int64((n + 1) / 2 * 4)
}

// rankedMemory returns the bytes that a tier with n ranks takes: its cells, and marks for some plies.
func rankedMemory(n uint64, narrow bool) int64 {
	if narrow {
		return rankedBytes(n, true) + 1<<20
	}
	return rankedBytes(n, false) + int64(n/16) + 1<<20
}

// resume takes up what the checkpoint has of the tier, and returns how many ranks have been looked at
// and the ply of the first step.
func (r *ranked) resume(ctx context.Context) (looked uint64, ply int, err error) {
	if r.s.o.Outcomes {
		ply = 2
	}
	b := r.s.begun
	if b == (begun{}) || b.Cells.Outcomes != r.narrow {
		return 0, ply, nil
	}
	m, err := r.s.work.mapFile(b.Cells)
	if err != nil {
		return 0, 0, err
	}
	copy(bitslice.Bytes(r.words), m)
	r.s.advance(int(b.Looked / 2))
	if !r.stays {
		return b.Looked, ply, nil
	}
	return b.Looked, b.Ply, r.tasks(ctx, 0, b.Looked, func(_ int, from, end uint64) error {
		for i := from; i < end; i++ {
			if v := r.cell(i); v.decided() && v.value().Steps >= b.Ply {
				if err := r.mark(i, v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// save saves the cells, unless that was done lately.
func (r *ranked) save(looked uint64, ply int) error {
	if time.Since(r.saved) < cellsEvery {
		return nil
	}
	cells, err := r.store(r.words, r.narrow)
	if err != nil {
		return err
	}
	r.s.begun, r.s.saved, r.saved = begun{cells, looked, ply}, time.Time{}, time.Now()
	return r.s.save()
}

// store writes cells or values into a work file.
func (r *ranked) store(words []uint32, outcomes bool) (file, error) {
	f, err := r.s.writeValues(int(r.n), func(out *os.File) error {
		_, err := out.Write(bitslice.Bytes(words))
		return err
	})
	f.Outcomes = outcomes
	return f, err
}

// tasks calls do for the ranks from one up to another, some at a time.
func (r *ranked) tasks(ctx context.Context, from, end uint64, do func(worker int, from, end uint64) error) error {
	return each(ctx, r.s.threads, int((end-from+passCells-1)/passCells), func(worker, i int) error {
		from := from + uint64(i)*passCells
		return do(worker, from, min(from+passCells, end))
	})
}

// look looks at the moves of all states from a rank on, and saves cells before the step of a ply.
func (r *ranked) look(ctx context.Context, from uint64, ply int) error {
	for from < r.n {
		end := min(from+stretchCells, r.n)
		err := r.tasks(ctx, from, end, func(worker int, from, end uint64) error {
			defer r.s.advance(int(end-from) / 2)
			for i := from; i < end; i++ {
				if err := r.set(&r.workers[worker], i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if from = end; from == r.n && !r.stays {
			break
		}
		if err := r.save(from, ply); err != nil {
			return err
		}
	}
	return nil
}

// set sets the cell of a state to what is known by its moves that leave the tier.
func (r *ranked) set(w *rankedWorker, i uint64) error {
	v, err := r.first(w, i)
	if err != nil {
		return err
	}
	v = r.coded(v)
	switch {
	case r.narrow:
		r.words[i/16] |= outcomeBits(v) << (i % 16 * 2) // no other goroutine has the word
	case !r.stays && v.decided() && v.value().Steps >= MostRankedPlies:
		return errRanksTooLong
	default:
		r.swap(i, 0, v)
	}
	if r.stays && v.decided() {
		return r.mark(i, v)
	}
	return nil
}

// decided reports whether a cell is a win or a loss.
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
	return score(atomic.LoadUint32(&r.words[i/2]) >> (i % 2 * 16))
}

// swap sets a cell that is old, and reports whether it was.
func (r *ranked) swap(i uint64, old, now score) bool {
	word, shift := &r.words[i/2], i%2*16
	for {
		w := atomic.LoadUint32(word)
		if score(w>>shift) != old {
			return false
		}
		if atomic.CompareAndSwapUint32(word, w, w^uint32(old^now)<<shift) {
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
	for _, to := range w.seen.Outside {
		if to.Tier < r.t || to.Tier >= len(r.s.values) || to.Key >= r.rules.Size(to.Tier) {
			return 0, 0, badMove(r.rules, at, to)
		}
		v := r.s.known(to.Tier, to.Key)
		if v == 0 {
			return 0, 0, wrongRules(custom.FaultAt(r.rules, at, "a move leads to rank %d of tier %d, which is that of no position", to.Key, to.Tier))
		}
		if v = v.before(); v >= drawn {
			best = max(best, v)
		} else {
			late = max(late, v)
		}
	}
	return best, late, nil
}

// step takes the states that are won or lost in a number of plies, and goes back from them.
func (r *ranked) step(ctx context.Context, ply int) error {
	marks := r.marks[ply].Load()
	if marks == nil {
		return nil
	}
	won, lost := score(0xffff-ply), score(1+ply)
	err := each(ctx, r.s.threads, len(*marks), func(worker, i int) error {
		w := &r.workers[worker]
		for blocks := (*marks)[i]; blocks != 0; blocks &= blocks - 1 {
			from := (uint64(i)*64 + uint64(bits.TrailingZeros64(blocks))) * markedCells
			for j := from; j < min(from+markedCells, r.n); j++ {
				if v := r.cell(j); v == won || v == lost {
					if err := r.back(w, j, v); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	r.marks[ply].Store(nil)
	r.marked.Add(-1)
	return err
}

// back tells the states from which moves lead to a decided one.
func (r *ranked) back(w *rankedWorker, i uint64, v score) (err error) {
	at := custom.Child{Key: i, Tier: r.t}
	if w.parents, err = w.ranker.Before(w.parents[:0], at); err != nil {
		return wrongRules(err)
	}
	for _, p := range w.parents { // all cells come from memory at once
		w.touched += atomic.LoadUint32(&r.words[p.Rank/2])
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

// tell tells a state of its moves to another one, which are worth v.
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

// write writes the values into a work file.
func (r *ranked) write() (file, error) {
	r.s.advance(int(r.n - r.n/2))
	words := r.words
	switch {
	case r.narrow:
	case r.s.o.Outcomes:
		words = words[:rankedBytes(r.n, true)/4]
		for i := range words { // a word is read before it is written
			word := uint32(0)
			for j := range uint64(min(16, 2*len(r.words)-16*i)) {
				word |= outcomeBits(r.cell(16*uint64(i)+j)) << (2 * j)
			}
			words[i] = word
		}
	default:
		scores := numbersOf[score](bitslice.Bytes(words))
		for i, v := range scores {
			if v >= undecided && v < drawn {
				scores[i] = drawn
			}
		}
	}
	return r.store(words, r.s.o.Outcomes)
}
