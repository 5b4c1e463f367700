package retro

import (
	"context"
	"fmt"
	"sync"

	"backsolve/bitslice"
	"backsolve/retro/internal/work"
)

// Scheduler distributes the blocks of a class over threads or other processes. The space must
// have fixed slices, whose blocks depend on the class above alone.
type Scheduler interface {
	// Solve returns when every block of the class has been solved once: in this process by
	// b.Solve, or elsewhere and delivered to b.Take. When ctx ends, Solve returns its cause.
	// An error of Solve ends the whole solve.
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
	solved []uint64 // a bit a block
	left   int      // blocks that are not solved

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
	sum, err := j.count(j.countedBy(j.above.class.Class), j.above, first, blocks)
	if err != nil {
		return nil, err
	}
	return newSolvedBlocks(j.above, first, blocks, sum), nil
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
