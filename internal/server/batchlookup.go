package server

import (
	"context"
	"runtime"

	"backsolve/internal/probe"
	"backsolve/tablebase/reader"
)

// Batches for large packed tables are looked up together, as far as they have arrived: one at a
// time, nearly every lookup would decompress its own frame.
const (
	batchLookupPositions = 1 << 17
	// lookupBudget bounds the bytes of all batch lookups: two of the largest usual
	// batches. Beyond it, positions are answered one by one.
	lookupBudget = 128 << 20
	// batchedBytes is the size of the smallest packed table for which this pays. A smaller one is
	// soon in memory, and answers faster one position at a time.
	batchedBytes = 64 << 20
	// usualStates is how many states an answer usually takes.
	usualStates = 24
)

// answerTogether looks up all positions that were added and cuts them into chunks. The error is ctx's.
func (a *answers) answerTogether(ctx context.Context) error {
	all := a.filling
	lookup, err := a.prefetch(ctx, all)
	if err != nil {
		return err
	}
	a.filling = nil
	for from := 0; from < len(all.items); from += a.size {
		c := newChunk(all.first + int64(from))
		c.lookup, c.lookupFrom = lookup, from
		start := all.start(from)
		for i := from; i < min(from+a.size, len(all.items)); i++ {
			c.items = append(c.items, item{all.items[i].end - start, all.items[i].err})
		}
		c.texts = append(c.texts, all.texts[start:start+c.items[len(c.items)-1].end]...)
		if err := a.push(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (c *chunk) start(i int) int {
	if i == 0 {
		return 0
	}
	return c.items[i-1].end
}

// prefetch looks up what the answers to a chunk need. The lookup is nil if the budget is
// exceeded, and after a panic: then only the position that causes it fails. The error is ctx's.
func (a *answers) prefetch(ctx context.Context, c *chunk) (lookup *probe.BatchLookup, err error) {
	var panicked error
	defer func() {
		if panicked != nil {
			lookup, err = nil, nil
		}
	}()
	defer a.rescue(&panicked)
	bytes := int64(len(c.items)) * probe.StateBytes
	if a.form == fullForm {
		bytes *= usualStates
	}
	if !a.lookups.tryAcquire(bytes) {
		return nil, nil
	}
	a.taken += bytes
	pool := reader.WorkerPool{Workers: runtime.GOMAXPROCS(0), Turns: a.turns}
	texts := string(c.texts)
	return a.handle.Table().Prefetch(ctx, pool, len(c.items), func(i int) string { return texts[c.start(i):c.items[i].end] }, a.form != fullForm)
}

func (a *answers) releaseBudget() { a.lookups.release(a.taken) }
