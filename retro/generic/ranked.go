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

var errRanksTooLong = fmt.Errorf("%w: of a game with ranks it may have %d", ErrTooLong, MostRankedPlies-1)

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
	over    *collector // the states that are over and have no rank
	touched uint32
}

// begun is what the checkpoint has of a tier of ranks that is not solved yet: its cells after the
// first pass has looked at some, and before the step of a ply.
type begun struct {
	Cells  file
	Looked uint64
	Ply    int
}

// solveRanked finds the values of all tiers, from the last that the checkpoint does not have. What
// moves lead to that has no rank is collected for the last tier, which is solved at the end.
func (s *solver) solveRanked(ctx context.Context, rules custom.Ranked) error {
	last := rules.Tiers() - 1
	s.outcomes = make([][]uint32, last)
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
			if s.solved = append(s.solved, f); s.begun != (begun{}) {
				s.begun, s.saved = begun{}, time.Time{} // the cells go now
			}
			if err := s.save(); err != nil {
				return err
			}
		}
		done += n
		if n == 0 {
			continue
		}
		m, err := s.work.mapFile(s.solved[i])
		if err != nil {
			return err
		}
		if s.solved[i].Outcomes {
			s.outcomes[t] = numbersOf[uint32](m)
		} else {
			s.values[t] = numbersOf[score](m)[:n]
		}
	}
	return s.solveUnranked(ctx, last)
}

// solveUnranked solves the last tier, of the states without a rank, which are over.
func (s *solver) solveUnranked(ctx context.Context, last int) error {
	if len(s.keys) == 0 {
		keys, err := s.merge(ctx, s.runs[last], nil)
		if err != nil {
			return err
		}
		s.keys, s.runs[last] = append(make([]tierKeys, last), keys), nil
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
		r.workers[i] = rankedWorker{ranker: rules.NewRanker(), over: &collector{s: s, buffers: make([][]uint64, rules.Tiers())}}
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
	if err := r.flush(); err != nil {
		return file{}, err
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
	if err := r.flush(); err != nil {
		return err
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

// flush writes the states without ranks that were found.
func (r *ranked) flush() error {
	for i := range r.workers {
		if err := r.workers[i].over.flush(r.rules.Tiers() - 1); err != nil {
			return err
		}
	}
	return nil
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
	case seen.Inside > 0 && !r.stays:
		return 0, wrongRules(custom.FaultAt(r.rules, at, "a move stays in its unit, and Stays says that none does"))
	}
	open, best, late := seen.Inside, score(0), score(0)
	for _, c := range seen.Outside {
		v, err := r.outside(w, at, c)
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
	if late > 0 && !r.s.o.Outcomes {
		v |= asks
	}
	return v, nil
}

// outside returns what a move out of the tier is worth, and notes a state that it leads to without a
// rank.
func (r *ranked) outside(w *rankedWorker, from, to custom.Child) (score, error) {
	last := r.rules.Tiers() - 1
	if to.Tier <= r.t || to.Tier > last || to.Tier < last && to.Key >= r.rules.Size(to.Tier) {
		return 0, badMove(r.rules, from, to)
	}
	if to.Tier < last {
		v := r.s.known(to.Tier, to.Key)
		if v == 0 {
			return 0, wrongRules(custom.FaultAt(r.rules, from, "a move leads to rank %d of unit %d, which is that of no position", to.Key, last-1-to.Tier))
		}
		return v.before(), nil
	}
	if err := w.over.add(to); err != nil {
		return 0, err
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
		if v < drawn {
			err = r.win(p.Rank, r.coded(v.before()))
		} else {
			err = r.lose(w, at, p, r.coded(v.before()))
		}
		if err != nil {
			return err
		}
	}
	if r.s.o.Outcomes {
		r.swap(i, v, outcomeScores[outcomeBits(v)])
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
		out, err := r.outside(w, at, c)
		if err != nil {
			return 0, err
		}
		v = max(v, out)
	}
	return v, nil
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
func estimateRanked(ctx context.Context, rules custom.Ranked, outcomes bool) (Plan, error) {
	sizes, err := sizesOf(rules)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Tiers: len(sizes), Exact: len(sizes), Each: make([]PlannedTier, len(sizes))}
	ranker, random := rules.NewRanker(), rand.New(rand.NewPCG(0, 0))
	var seen custom.Seen
	unranked := map[uint64]bool{} // those that were met, which are all if all ranks are looked at
	var ranks, states, variance float64
	for t := len(sizes) - 1; t >= 0; t-- {
		size := sizes[t]
		samples, all, stays := rankedSamples, size <= rankedAll, rules.Loops(t)
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
		p.Each[t] = PlannedTier{n, float64(moves) / looked, stays}
		ranks, states, variance = ranks+n, states+n*share, variance+float64(custom.Bit(!all, 0))*n*n*share*(1-share)/looked
		p.Samples += int(looked)
		// Going back from a state takes as long as its moves forward, and ranks twice.
		p.Seconds += (1 + 2*float64(custom.Bit(stays, 0))) * n * time.Since(began).Seconds() / looked
		cells := rankedMemory(uint64(size), outcomes && !stays)
		p.MinMemory = max(p.MinMemory, cells)
		p.Memory = max(p.Memory, cells+p.Disk) // the values of later tiers are in memory, too
		p.Disk += rankedBytes(uint64(size), outcomes)
	}
	spread := 2 * math.Sqrt(variance)
	if variance == 0 {
		states, ranks = states+float64(len(unranked)), ranks+float64(len(unranked))
	}
	p.States, p.Low, p.High = int64(states), int64(max(states-spread, 0)), int64(min(states+spread, ranks))
	p.LeastMemory = p.MinMemory
	// The table follows, and cells are saved before the last ones go.
	p.LeastDisk = p.Disk + int64(ranks)/map[bool]int64{true: 4, false: 1}[outcomes]
	p.Disk = p.LeastDisk + 2*p.MinMemory
	return p, context.Cause(ctx)
}
