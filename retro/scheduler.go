package retro

import (
	"context"
	"fmt"
	"sync"

	"backsolve/bitslice"
	"backsolve/retro/internal/work"
)

// Scheduler distributes the blocks of a class: over the threads of this process, or over
// other processes. It works only for spaces with fixed slices, whose blocks need nothing
// but the class above.
type Scheduler interface {
	// Solve returns when every block of the class has been solved once, in this process by
	// b.Solve, or elsewhere and delivered to b.Take. When ctx ends it returns its cause. Its
	// error ends the solve.
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

// Blocks are the blocks of a class for a scheduler to solve.
type Blocks struct {
	job    *job
	lock   sync.Mutex
	solved []uint64 // by block: whether it is
	left   int

	counting sync.Mutex
	counter  *work.Class // for Count, with threads of its own
}

func newBlocks(j *job) *Blocks {
	n := len(j.class.Masks)
	return &Blocks{job: j, solved: make([]uint64, (n+63)/64), left: n}
}

// Class returns the number of marked cells of the class.
func (b *Blocks) Class() int { return b.job.class.Class.Class }

// Len returns the number of blocks.
func (b *Blocks) Len() int { return len(b.job.class.Masks) }

// Solve solves the blocks from first to end−1 by the threads of this process. It must not
// be called by two goroutines at once.
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

// Take takes blocks that another process solved. It does not use p after it returns. The error says
// why p does not fit the class, or that memory is short.
func (b *Blocks) Take(p *SolvedBlocks) error {
	j := b.job
	if err := p.check(j.class, j.o); err != nil {
		return err
	}
	if err := b.mark(p.First, p.First+p.Blocks()); err != nil {
		return err
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if err := j.level.take(p); err != nil {
		return err
	}
	j.class.Pool.Workers[0].Counts.Add(&p.Counts)
	j.progress.Advance(uint64(p.Blocks()) << uint(j.class.IndexBits))
	return nil
}

// mark notes blocks as solved.
func (b *Blocks) mark(first, end int) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if first < 0 || first >= end || end > b.Len() {
		return fmt.Errorf("class %d has no blocks %d to %d; this is a mistake in the program, please report it", b.Class(), first, end-1)
	}
	for i := first; i < end; i++ {
		if b.solved[i>>6]>>(i&63)&1 == 1 {
			return fmt.Errorf("block %d of class %d is solved twice; this is a mistake in the program, please report it", i, b.Class())
		}
	}
	for i := first; i < end; i++ {
		b.solved[i>>6] |= 1 << (i & 63)
	}
	b.left -= end - first
	return nil
}

// check finds blocks that nobody has solved.
func (b *Blocks) check() error {
	if b.left > 0 {
		return fmt.Errorf("%d blocks of class %d are not solved; this is a mistake in the program, please report it", b.left, b.Class())
	}
	return nil
}

// Above returns so many blocks of the class above from one on, for those who have lost
// them. The result is valid until Solve of the scheduler returns, and must not be changed. It
// may be called by any goroutine.
func (b *Blocks) Above(first, blocks int) (*SolvedBlocks, error) {
	j := b.job
	if j.above == nil || first < 0 || blocks < 1 || first+blocks > len(j.above.class.Masks) {
		return nil, fmt.Errorf("above class %d there are no blocks %d to %d; this is a mistake in the program, please report it", b.Class(), first, first+blocks-1)
	}
	sum, err := j.count(j.countedBy(j.above.class.Class), j.above, first, blocks)
	if err != nil {
		return nil, err
	}
	return newSolvedBlocks(j.above, first, blocks, sum), nil
}

// countBlock counts a block that is solved.
func (j *job) countBlock(w *work.Worker, u work.Units, block int) {
	c, win := j.class, j.level.slice(j.level.win, block)
	t := c.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), bitslice.Whole(u.K))
	if j.o.numbered() {
		w.CountSteps(u, c.Images[block], win, nil, j.digitsOf(w, block))
	}
	w.Count(u, block, c.Images[block], win, nil, t)
}
