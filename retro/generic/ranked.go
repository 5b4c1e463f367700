package generic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"backsolve/game/custom"
	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/tablebase"
)

// Games with ranks are solved without finding out what play can reach: each tier has a cell for each
// rank, of 16 bits. A first pass looks at the moves of each state, and then each ply has a step,
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
// 0, and a win 3 and then 1. So a byte holds a cell, unless too many moves stay. Values are stored in 2
// bits, and so are cells where no move stays.
const (
	undecided = 0x4000
	// asks says that a move leaves the tier and loses, perhaps later than the others.
	asks     = 0x2000
	mostOpen = asks - 1
	// MostRankedPlies is the least length of a line of best play whose steps a cell cannot hold.
	MostRankedPlies = undecided - 2

	lostWaits, wonWaits = score(1 + 2), score(0xffff - 3)
	// openByte is the byte of a cell with no open moves; the bytes below stand for byteScores.
	openByte     = 6
	mostOpenByte = 0xff - openByte
)

var byteScores = [openByte]score{0, 1, lostWaits, drawn, wonWaits, 0xffff - 1}

var outcomeScores = [4]score{0, 1, drawn, 0xffff - 1}

// A step looks at blocks of markedCells cells that are marked for its ply, and a task of the first pass
// at passCells, a multiple of 16. Cells are saved no more often than cellsEvery, in the first pass
// after stretches of stretchCells. Tests make them small.
var (
	markedCells, passCells, stretchCells uint64 = 1 << 10, 1 << 14, 1 << 26
	cellsEvery                                  = 5 * time.Minute
)

var errOpenByte = errors.New("a byte does not hold the number of moves that stay")

var errRanksTooLong = fmt.Errorf("a line of best play has %d plies or more, in a game by rank %w", MostRankedPlies, ErrTooLong)

type ranked struct {
	s     *Solution
	rules custom.Ranked
	t     int
	n     uint64
	sizes []int    // of all tiers
	stays bool     // moves may stay in the tier
	width uint64   // of a cell, in bits
	words []uint32 // of cells
	// marks has for each ply, once a cell may be decided then, a bit for each block of cells.
	marks   [MostRankedPlies]atomic.Pointer[[]uint64]
	marked  atomic.Int64 // the number of plies with marks
	thirds  atomic.Int64 // of states that are done
	saved   time.Time
	workers []rankedWorker
}

type rankedWorker struct {
	ranker  custom.Ranker
	seen    custom.Seen
	parents []custom.Parent
	scores  []score // of the positions after moves that leave the tier
	touched uint32
}

// begun is what the checkpoint has of a tier of ranks that is not solved yet: its cells after the
// first pass has looked at some, and before the step of a ply.
type begun struct {
	Cells  file
	Looked uint64
	Ply    int
	Byte   bool `json:",omitempty"` // holds a cell
}

func (b *begun) width() uint64 {
	switch {
	case *b == (begun{}):
		return 0
	case b.Cells.Outcomes:
		return 2
	case b.Byte:
		return 8
	}
	return 16
}

func (s *Solution) solveRanked(ctx context.Context, rules custom.Ranked) error {
	s.outcomes = make([][]uint32, rules.Tiers())
	size := func(t int) int { return int(rules.Size(t)) }
	for t := range s.outcomes {
		s.states += size(t)
		s.report(Enumerated, t, size(t), 0)
	}
	return s.solveTiers(size, func(t int) (file, error) {
		done, width := int(s.now.Done), rankedWidth(s.o.Outcomes, rules.Loops(t))
		if s.begun.width() == 16 { // cells that did not fit into a byte before do not now
			width = 16
		}
		f, err := s.solveRanks(ctx, rules, t, width)
		if errors.Is(err, errOpenByte) {
			s.report(tablebase.Solving, t, done, s.states)
			f, err = s.solveRanks(ctx, rules, t, 16)
		}
		return f, err
	})
}

// known returns the score of a rank in a solved tier, 0 if no state has it.
func (s *Solution) known(t int, i uint64) score {
	if outcomes := s.outcomes[t]; outcomes != nil {
		return outcomeScores[outcomes[i/16]>>(i%16*2)&3]
	}
	return s.values[t][i]
}

// rankedWidth returns the bits of a cell that fits into a byte where steps are not asked for.
func rankedWidth(outcomes, stays bool) uint64 {
	switch {
	case !outcomes:
		return 16
	case stays:
		return 8
	}
	return 2
}

func (s *Solution) solveRanks(ctx context.Context, rules custom.Ranked, t int, width uint64) (f file, err error) {
	r := &ranked{s: s, rules: rules, t: t, n: rules.Size(t), sizes: s.work.done.Ranks, stays: rules.Loops(t), width: width, saved: time.Now(), workers: make([]rankedWorker, s.threads)}
	if need := rankedMemory(r.n, width); s.o.Memory > 0 && need > s.o.Memory {
		return file{}, fmt.Errorf("%w: tier %d of %d ranks takes %d bytes of %d", ErrMemory, t, r.n, need, s.o.Memory)
	}
	if r.words, err = memory.NewArray[uint32](int(rankedBytes(r.n, width) / 4)); err != nil {
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

func rankedBytes(n, width uint64) int64 {
	return int64((n*width + 31) / 32 * 4)
}

// rankedMemory returns the bytes that a tier with n ranks takes: its cells, and marks for some plies.
func rankedMemory(n, width uint64) int64 {
	marks := int64(n / 16)
	if width == 2 {
		marks = 0
	}
	return rankedBytes(n, width) + marks + 1<<20
}

func (r *ranked) resume(ctx context.Context) (looked uint64, ply int, err error) {
	if r.s.o.Outcomes {
		ply = 2
	}
	b := r.s.begun
	if b.width() != r.width {
		return 0, ply, nil
	}
	m, err := r.s.work.mapFile(b.Cells)
	if err != nil {
		return 0, 0, err
	}
	copy(bitslice.Bytes(r.words), m)
	r.looked(b.Looked)
	if !r.stays {
		return b.Looked, ply, nil
	}
	return b.Looked, b.Ply, r.tasks(ctx, 0, b.Looked, func(_ int, from, end uint64) error {
		taken := 0
		for i := from; i < end; i++ {
			switch v := r.cell(i); {
			case !v.decided():
			case v.value().Steps < b.Ply:
				taken++
			default:
				if err := r.mark(i, v); err != nil {
					return err
				}
			}
		}
		r.advance(2 * taken)
		return nil
	})
}

// advance counts states as done, by thirds: going back from one takes twice as long as to look at its moves.
func (r *ranked) advance(thirds int) {
	now := int(r.thirds.Add(int64(thirds)))
	r.s.advance(now/3 - (now-thirds)/3)
}

func (r *ranked) looked(n uint64) {
	if !r.stays {
		n *= 3
	}
	r.advance(int(n))
}

// save saves the cells, unless that was done lately.
func (r *ranked) save(looked uint64, ply int) error {
	if time.Since(r.saved) < cellsEvery {
		return nil
	}
	cells, err := r.store(r.words, r.width == 2)
	if err != nil {
		return err
	}
	r.s.begun, r.s.saved, r.saved = begun{cells, looked, ply, r.width == 8}, time.Time{}, time.Now()
	return r.s.save()
}

func (r *ranked) store(words []uint32, outcomes bool) (file, error) {
	f, err := r.s.writeValues(int(r.n), func(out *os.File) error {
		_, err := out.Write(bitslice.Bytes(words))
		return err
	})
	f.Outcomes = outcomes
	return f, err
}

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
			defer r.looked(end - from)
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

func (r *ranked) write() (file, error) {
	r.advance(int(3*r.n) - int(r.thirds.Load()))
	words := r.words
	switch {
	case r.width == 2:
	case r.s.o.Outcomes:
		words = words[:rankedBytes(r.n, 2)/4]
		for i := range words { // a word is read before it is written
			word := uint32(0)
			for j := range min(16, r.n-16*uint64(i)) {
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
