package retro

import (
	"errors"
	"fmt"

	"backsolve/retro/internal/work"
)

// ErrMiscounted means that the counts of solved blocks are not those of their states.
var ErrMiscounted = errors.New("the states of a run of blocks do not add up to its counts")

// Count counts the states of blocks that another process solved. The error wraps ErrMiscounted
// where p.Counts differs or p does not fit the class. Count is safe for concurrent use.
func (b *Blocks) Count(p *SolvedBlocks) error {
	j := b.job
	if err := p.check(j.class, j.o); err != nil {
		return fmt.Errorf("%w: %w", ErrMiscounted, err)
	}
	b.counting.Lock()
	defer b.counting.Unlock()
	if b.counter == nil {
		b.counter = j.countedBy(p.Class)
	}
	sum, err := j.countOf(b.counter, p)
	if err != nil {
		return err
	}
	if !sum.Equal(&p.Counts) {
		return fmt.Errorf("%w: blocks %d to %d of class %d", ErrMiscounted, p.First, p.First+p.Blocks()-1, p.Class)
	}
	return nil
}

// Count counts the states of blocks of any class.
func (h *BlockWorker) Count(p *SolvedBlocks) (*StateCounts, error) {
	j := job{engine: &h.engine}
	return j.countOf(work.NewClass(h.cut, p.Class, h.pool), p)
}

// countOf counts the states of blocks that another process solved.
func (j *job) countOf(c *work.Class, p *SolvedBlocks) (*StateCounts, error) {
	l := &level{class: c.Class, words: p.Words, first: p.First, win: p.Win, digits: p.Digits}
	return j.count(c, l, p.First, p.Blocks())
}

// Drop takes back blocks that Take or Accept has taken, with their counts. They must be solved and
// delivered again.
func (b *Blocks) Drop(first, blocks int, counts *StateCounts) error {
	j := b.job
	b.lock.Lock()
	defer b.lock.Unlock()
	j.class.Pool.Workers[0].Counts.Sub(counts)
	for block := first; block < first+blocks; block++ {
		if b.solved[block>>6]>>(block&63)&1 == 0 {
			return fmt.Errorf("block %d of class %d is not solved: this is a bug; please report it", block, b.Class())
		}
		b.solved[block>>6] &^= 1 << (block & 63)
		if j.o.WrittenElsewhere {
			continue
		}
		clear(j.level.slice(j.level.win, block))
		for _, plane := range j.level.digits {
			clear(j.level.slice(plane, block))
		}
	}
	b.left += blocks
	j.progress.Advance(-(uint64(blocks) << uint(j.class.IndexBits)))
	return nil
}

// countedBy returns a class with threads of its own, as those of the solve may be busy.
func (j *job) countedBy(class int) *work.Class {
	return work.NewClass(j.class.Cut, class, work.NewPool(j.class.Pool.Context(), j.o.Threads, j.o.TasksPerThread))
}

// count counts solved blocks of a level.
func (j *job) count(c *work.Class, l *level, first, blocks int) (*StateCounts, error) {
	of := job{engine: j.engine, class: c, level: l}
	c.ResetCounts(len(l.digits))
	u := work.WholeBlocks(c.Class)
	if err := c.Pool.Run(blocks, func(w *work.Worker, i int) { of.countBlock(w, u, first+i) }, nil); err != nil {
		return nil, err
	}
	return c.Sum(), nil
}
