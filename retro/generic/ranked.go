package generic

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
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
// Steps after step k know nothing better for a state with a value of k plies.
const (
	undecided = 0x4000
	// asks says that a move leaves the tier and loses, perhaps later than the others.
	asks     = 0x2000
	mostOpen = asks - 1
	// MostRankedPlies is the least length of a line of best play whose steps a cell cannot hold.
	MostRankedPlies = undecided - 2
)

// A step looks at blocks of markedCells cells that are marked for its ply, and a task of the first pass
// at passCells. Tests make them small.
var markedCells, passCells uint64 = 1 << 10, 1 << 14

var errRanksTooLong = fmt.Errorf("a line of best play has %d plies or more, too many for a game with ranks; let its Units return 0, and it is solved by its numbers", MostRankedPlies)

// ranked solves a tier of ranks.
type ranked struct {
	s     *solver
	rules custom.Ranked
	t     int
	n     uint64
	words []uint32 // of two cells
	// marks has for each ply, once a cell may be decided then, a bit for each block of cells.
	marks   [MostRankedPlies + 1]atomic.Pointer[[]uint64]
	last    atomic.Int64 // the last ply with marks
	workers []rankedWorker
}

// rankedWorker has the buffers of a goroutine.
type rankedWorker struct {
	ranker  custom.Ranker
	seen    custom.Seen
	parents []custom.Parent
	over    *collector // the states that are over and have no rank
	touched uint32
}

// solveRanked finds the values of all tiers, from the last that the checkpoint does not have. What
// moves lead to that has no rank is collected for the last tier, which is solved at the end.
func (s *solver) solveRanked(ctx context.Context, rules custom.Ranked) error {
	last := rules.Tiers() - 1
	for t := range last {
		s.states += int(rules.Size(t))
		s.report(Enumerated, t, int(rules.Size(t)), 0)
	}
	done := 0
	for i := range last {
		t, n := last-1-i, int(rules.Size(last-1-i))
		if i == len(s.solved) {
			s.report(tablebase.Solving, t, done, s.states)
			f, err := s.solveRanks(ctx, rules, t)
			if err != nil {
				return err
			}
			s.solved = append(s.solved, f)
			if err := s.save(); err != nil {
				return err
			}
		}
		done += n
		if n > 0 {
			m, err := s.work.mapFile(s.solved[i])
			if err != nil {
				return err
			}
			s.values[t] = numbersOf[score](m)
		}
	}
	if len(s.keys) == 0 {
		s.keys = make([]tierKeys, last, last+1)
		keys, err := s.merge(ctx, s.runs[last], nil)
		if err != nil {
			return err
		}
		s.keys, s.runs[last] = append(s.keys, keys), nil
	}
	n := s.keys[last].len()
	s.states += n
	f, err := s.solveTier(ctx, last, n)
	if err != nil || n == 0 {
		return err
	}
	m, err := s.work.mapFile(f)
	s.values[last] = numbersOf[score](m)
	return err
}

// solveRanks writes the values of a tier of ranks.
func (s *solver) solveRanks(ctx context.Context, rules custom.Ranked, t int) (f file, err error) {
	r := &ranked{s: s, rules: rules, t: t, n: rules.Size(t), workers: make([]rankedWorker, s.threads)}
	if r.n == 0 {
		return file{}, nil
	}
	if need := rankedMemory(r.n); s.o.Memory > 0 && need > s.o.Memory {
		return file{}, fmt.Errorf("%w: tier %d of %d ranks takes %d bytes of %d", ErrMemory, t, r.n, need, s.o.Memory)
	}
	if r.words, err = memory.NewArray[uint32](int(r.n+1) / 2); err != nil {
		return file{}, err
	}
	defer func() { memory.FreeArray(r.words) }()
	for i := range r.workers {
		r.workers[i] = rankedWorker{ranker: rules.NewRanker(), over: &collector{s: s, buffers: make([][]uint64, rules.Tiers())}}
	}
	tasks := int((r.n + passCells - 1) / passCells)
	err = each(ctx, s.threads, tasks, func(worker, i int) error {
		from := uint64(i) * passCells
		end := min(from+passCells, r.n)
		defer s.advance(int(end-from) / 2)
		return r.pass(&r.workers[worker], from, end)
	})
	for ply := 0; err == nil && int64(ply) <= r.last.Load(); ply++ {
		err = r.step(ctx, ply)
	}
	for i := range r.workers {
		if err == nil {
			err = r.workers[i].over.flush(rules.Tiers() - 1)
		}
	}
	if err != nil {
		return file{}, err
	}
	return r.write()
}

// rankedMemory returns the bytes that a tier with n ranks takes: its cells, and marks for some plies.
func rankedMemory(n uint64) int64 { return int64(2*n + n/16 + 1<<20) }

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
		r.marks[ply].CompareAndSwap(nil, &fresh)
		marks = r.marks[ply].Load()
		for last := r.last.Load(); last < int64(ply) && !r.last.CompareAndSwap(last, int64(ply)); last = r.last.Load() {
		}
	}
	block := i / markedCells
	if word, bit := &(*marks)[block/64], uint64(1)<<(block%64); atomic.LoadUint64(word)&bit == 0 {
		atomic.OrUint64(word, bit)
	}
	return nil
}

// pass looks at the moves of the states with some ranks.
func (r *ranked) pass(w *rankedWorker, from, end uint64) error {
	for i := from; i < end; i++ {
		v, err := r.first(w, i)
		if err != nil {
			return err
		}
		r.swap(i, 0, v)
		if v == 0 || v >= undecided && v <= drawn {
			continue
		}
		if err := r.mark(i, v); err != nil {
			return err
		}
	}
	return nil
}

// first returns what is known of a state by its moves that leave the tier.
func (r *ranked) first(w *rankedWorker, i uint64) (score, error) {
	at, seen := custom.Child{Key: i, Tier: r.t}, &w.seen
	if err := w.ranker.Look(seen, at); err != nil {
		return 0, wrongRules(err)
	}
	switch {
	case seen.None:
		return 0, nil
	case seen.Over:
		return scoreOf(seen.Outcome, 0), nil
	case seen.Inside+len(seen.Outside) == 0:
		return 0, wrongRules(custom.FaultAt(r.rules, at, "it is not over and has no move"))
	}
	open, best, late := seen.Inside, score(0), score(0)
	for _, c := range seen.Outside {
		v, err := r.outside(w, at, c, true)
		if err != nil {
			return 0, err
		}
		if v >= drawn {
			best = max(best, v)
		} else {
			late = max(late, v)
		}
	}
	switch {
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
	if late > 0 {
		v |= asks
	}
	return v, nil
}

// outside returns what a move out of the tier is worth. If collected, a state that it leads to
// without a rank is noted.
func (r *ranked) outside(w *rankedWorker, from, to custom.Child, collected bool) (score, error) {
	last := r.rules.Tiers() - 1
	if to.Tier <= r.t || to.Tier > last || to.Tier < last && to.Key >= r.rules.Size(to.Tier) {
		return 0, badMove(r.rules, from, to)
	}
	if to.Tier < last {
		v := r.s.values[to.Tier][to.Key]
		if v == 0 {
			return 0, wrongRules(custom.FaultAt(r.rules, from, "a move leads to rank %d of unit %d, which is that of no position", to.Key, last-1-to.Tier))
		}
		return v.before(), nil
	}
	if collected {
		if err := w.over.add(to); err != nil {
			return 0, err
		}
	}
	_, outcome, over, err := w.ranker.Expand(nil, to)
	if err == nil && !over {
		err = custom.FaultAt(r.rules, to, "it has no unit, but the game is not over")
	}
	if err != nil {
		return 0, wrongRules(err)
	}
	return scoreOf(outcome, 0).before(), nil
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
		if v < drawn {
			err = r.win(p.Rank, v.before())
		} else {
			err = r.lose(w, at, p, v.before())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// win lets a state win, unless it wins sooner.
func (r *ranked) win(i uint64, v score) error {
	for {
		old := r.cell(i)
		if old < undecided || old == drawn || old >= v {
			return nil
		}
		if r.swap(i, old, v) {
			return r.mark(i, v)
		}
	}
}

// lose takes the moves to a won state from those that keep a state from being lost.
func (r *ranked) lose(w *rankedWorker, to custom.Child, p custom.Parent, v score) error {
	for {
		old := r.cell(p.Rank)
		if old < undecided || old >= drawn {
			return nil
		}
		left := int(old&mostOpen) - p.Moves
		if left < 0 {
			return wrongRules(custom.FaultAt(r.rules, to, "Unmoves returns %s more often than Moves leads from there", custom.TextOr(r.rules, custom.Child{Key: p.Rank, Tier: r.t})))
		}
		now := old - score(p.Moves)
		if left == 0 {
			now = v
			if old&asks != 0 {
				late, err := r.late(w, p.Rank)
				if err != nil {
					return err
				}
				now = max(v, late)
			}
		}
		if r.swap(p.Rank, old, now) {
			if left == 0 {
				return r.mark(p.Rank, now)
			}
			return nil
		}
	}
}

// late returns the score of a state of whose moves those that leave the tier lose last.
func (r *ranked) late(w *rankedWorker, i uint64) (v score, err error) {
	at := custom.Child{Key: i, Tier: r.t}
	if err := w.ranker.Look(&w.seen, at); err != nil {
		return 0, wrongRules(err)
	}
	for _, c := range w.seen.Outside {
		out, err := r.outside(w, at, c, false)
		if err != nil {
			return 0, err
		}
		v = max(v, out)
	}
	return v, nil
}

// write writes the cells into a work file. What is undecided is drawn.
func (r *ranked) write() (f file, err error) {
	scores := numbersOf[score](bitslice.Bytes(r.words))[:r.n]
	for i, v := range scores {
		if v >= undecided && v < drawn {
			scores[i] = drawn
		}
	}
	r.s.advance(int(r.n - r.n/2))
	return r.s.writeValues(len(scores), func(out *os.File) error {
		_, err := out.Write(bitslice.Bytes(scores))
		return err
	})
}

// sizesOf returns the number of ranks in each tier, nil for rules without ranks.
func sizesOf(rules custom.Rules) (sizes []int, err error) {
	r, ok := rules.(custom.Ranked)
	if !ok {
		return nil, nil
	}
	for t := range r.Tiers() {
		size := r.Size(t)
		if size > custom.MostRanks || size > math.MaxInt/4 {
			return nil, fmt.Errorf("%w: unit %d has %d ranks, of at most %d", ErrRules, r.Tiers()-2-t, size, uint64(custom.MostRanks))
		}
		sizes = append(sizes, int(size))
	}
	return sizes, nil
}

// rankedSamples is how many ranks of a tier an estimate looks at, unless there are no more than
// rankedAll.
const rankedSamples, rankedAll = 2000, 1 << 14

// estimateRanked estimates what a game with ranks takes: how many ranks are of states, and how long
// their moves take. Where units are too large to be looked at, positions without a unit do not count.
func estimateRanked(ctx context.Context, rules custom.Ranked) (Plan, error) {
	sizes, err := sizesOf(rules)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Tiers: len(sizes), Exact: len(sizes), Each: make([]PlannedTier, len(sizes))}
	ranker, random := rules.NewRanker(), rand.New(rand.NewPCG(0, 0))
	var seen custom.Seen
	unranked := map[uint64]bool{} // those that were met, which are all if all ranks are looked at
	var ranks, states, variance float64
	for t, size := range sizes {
		samples, all := rankedSamples, size <= rankedAll
		if all {
			samples = size
		}
		if size > 0 { // the first call of a game may make tables
			_ = ranker.Look(&seen, custom.Child{Tier: t})
		}
		there, moves, began := 0.0, 0, time.Now()
		for i := range uint64(samples) {
			if !all {
				i = random.Uint64N(uint64(size))
			}
			if err = ranker.Look(&seen, custom.Child{Key: i, Tier: t}); err != nil {
				return Plan{}, wrongRules(err)
			}
			there, moves = there+float64(custom.Bit(!seen.None, 0)), moves+seen.Inside+len(seen.Outside)
			for _, c := range seen.Outside {
				if c.Tier == len(sizes)-1 {
					unranked[c.Key] = true
				}
			}
		}
		looked := max(float64(samples), 1)
		n, share := float64(size), there/looked
		p.Each[t] = PlannedTier{n, float64(moves) / looked, true}
		ranks, states, variance = ranks+n, states+n*share, variance+float64(custom.Bit(!all, 0))*n*n*share*(1-share)/looked
		p.Samples += int(looked)
		p.Memory = max(p.Memory, rankedMemory(uint64(size)))
		// Going back from a state takes as long as its moves forward, and ranks twice.
		p.Seconds += 3 * n * time.Since(began).Seconds() / looked
	}
	spread := 2 * math.Sqrt(variance)
	if variance == 0 {
		states, ranks = states+float64(len(unranked)), ranks+float64(len(unranked))
	}
	p.States, p.Low, p.High = int64(states), int64(max(states-spread, 0)), int64(min(states+spread, ranks))
	p.MinMemory, p.LeastMemory = p.Memory, p.Memory
	p.Disk = int64(2*ranks + leastDisk*states)
	p.LeastDisk = p.Disk
	return p, context.Cause(ctx)
}
