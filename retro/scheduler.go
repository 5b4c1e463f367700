package retro

import (
	"context"
	"fmt"
	"sync"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Scheduler distributes the blocks of a class over threads or other processes. The space must
// have fixed slices, whose blocks depend on the class above alone.
type Scheduler interface {
	// Solve returns when every block of the class has been solved once: in this process by
	// b.Solve, or elsewhere and delivered to b.Take. With Options.WrittenElsewhere the blocks
	// are counted by b.Accept, and the checksums of the class by b.Written. When ctx ends,
	// Solve returns its cause. An error of Solve ends the whole solve.
	Solve(ctx context.Context, b *Blocks) error
}

// threads is the default scheduler: the threads of this process.
type threads struct{}

func (threads) Solve(_ context.Context, b *Blocks) error { return b.Solve(0, b.Len()) }

// scheduler returns the scheduler of the solve.
func (o *Options) scheduler() Scheduler {
	if o.Scheduler == nil {
		return threads{}
	}
	return o.Scheduler
}

// Blocks are the blocks of a class for a scheduler to have solved.
type Blocks struct {
	job    *job
	lock   sync.Mutex
	solved []uint64   // a bit a block
	left   int        // blocks that are not solved
	sums   [][]uint32 // of the parts that were written elsewhere

	counting sync.Mutex
	counter  *work.Class // for Count, with threads of its own
}

func newBlocks(j *job) *Blocks {
	n := len(j.class.Masks)
	return &Blocks{job: j, solved: make([]uint64, (n+63)/64), left: n}
}

// Class returns the class.
func (b *Blocks) Class() int { return b.job.class.Class.Class }

// Len returns the number of blocks.
func (b *Blocks) Len() int { return len(b.job.class.Masks) }

// Solve solves the blocks from first to end−1 with the threads of this process. It is not safe
// for concurrent use.
func (b *Blocks) Solve(first, end int) error {
	if err := b.mark(first, end); err != nil {
		return err
	}
	j := b.job
	for len(j.level.digits) < j.mostDigits() {
		if err := j.level.addDigit(); err != nil {
			return err
		}
	}
	u := work.WholeBlocks(j.class.Class)
	states := uint64(1) << uint(j.class.IndexBits)
	return j.class.Pool.Run(end-first, func(w *work.Worker, i int) {
		j.solveBlock(w, u, first+i)
	}, func(blocks int) { j.progress.Advance(uint64(blocks) * states) })
}

// Take takes blocks that another process solved. It does not retain p. The error says why p
// does not fit the class, or that memory is short.
func (b *Blocks) Take(p *SolvedBlocks) error {
	j := b.job
	if err := p.check(j.class, j.o); err != nil {
		return err
	}
	if err := b.Accept(p.First, p.Blocks(), &p.Counts); err != nil {
		return err
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	return j.level.take(p)
}

// Accept counts blocks that another process has solved.
func (b *Blocks) Accept(first, blocks int, counts *StateCounts) error {
	if err := b.mark(first, first+blocks); err != nil {
		return err
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	b.job.class.Pool.Workers[0].Counts.Add(counts)
	b.job.progress.Advance(uint64(blocks) << uint(b.job.class.IndexBits))
	return nil
}

// Layout returns where the outcomes and steps of the solved class are to be in the table, for
// processes that write them there.
func (b *Blocks) Layout() ([]format.Part, error) {
	j := b.job
	counts, err := j.counts()
	if err != nil {
		return nil, err
	}
	return j.table.Layout(j.level.table(), counts)
}

// Written takes the checksums of what was written: of both parts of the layout, those of the pieces of
// successive stretches of so many words (see format.Part.JoinSums).
func (b *Blocks) Written(words []int64, pieces [][]uint32) error {
	parts, err := b.Layout()
	if err == nil {
		b.sums, err = joinSums(b.Class(), parts, words, pieces)
	}
	return err
}

// joinSums returns the checksums of the parts of a class from those of the pieces.
func joinSums(class int, parts []format.Part, words []int64, pieces [][]uint32) (sums [][]uint32, err error) {
	for i, p := range parts {
		of := p.JoinSums(words, pieces[i])
		if of == nil {
			return nil, fmt.Errorf("what was written of class %d does not fit together: this is a bug; please report it", class)
		}
		sums = append(sums, of)
	}
	return sums, nil
}

// mark marks blocks as solved.
func (b *Blocks) mark(first, end int) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if first < 0 || first >= end || end > b.Len() {
		return fmt.Errorf("class %d has no blocks %d to %d: this is a bug; please report it", b.Class(), first, end-1)
	}
	for i := first; i < end; i++ {
		if b.solved[i>>6]>>(i&63)&1 == 1 {
			return fmt.Errorf("block %d of class %d is solved twice: this is a bug; please report it", i, b.Class())
		}
	}
	for i := first; i < end; i++ {
		b.solved[i>>6] |= 1 << (i & 63)
	}
	b.left -= end - first
	return nil
}

// check returns an error if a block is not solved.
func (b *Blocks) check() error {
	if b.left > 0 {
		return fmt.Errorf("%d blocks of class %d are not solved: this is a bug; please report it", b.left, b.Class())
	}
	return nil
}

// Above returns blocks of the class above, for workers that have lost them. The result is valid
// until the scheduler's Solve returns, and must not be changed. Above is safe for concurrent
// use.
func (b *Blocks) Above(first, blocks int) (*SolvedBlocks, error) {
	j := b.job
	if j.above == nil || first < 0 || blocks < 1 || first+blocks > len(j.above.class.Masks) {
		return nil, fmt.Errorf("above class %d there are no blocks %d to %d: this is a bug; please report it", b.Class(), first, first+blocks-1)
	}
	above := j.above
	if j.o.WrittenElsewhere {
		var planes tablebase.Planes
		if err := j.table.LoadRun(len(j.table.Sealed())-1, first, blocks, &planes); err != nil {
			return nil, err
		}
		above = &level{class: above.class, words: above.words, first: first, win: planes.Win, digits: planes.Steps}
	}
	sum, err := j.count(j.countedBy(above.class.Class), above, first, blocks)
	if err != nil {
		return nil, err
	}
	return newSolvedBlocks(above, first, blocks, sum), nil
}

// countBlock counts the states of a solved block.
func (j *job) countBlock(w *work.Worker, u work.Units, block int) {
	c, win := j.class, j.level.slice(j.level.win, block)
	t := c.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), bitslice.Whole(u.K))
	if j.o.numbered() {
		w.CountSteps(u, c.Images[block], win, j.digitsOf(w, block))
	}
	w.Count(u, block, c.Images[block], win, nil, t)
}
