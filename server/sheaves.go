package server

import (
	"context"
	"runtime"

	"backsolve/probe"
	"backsolve/tablebase/reader"
)

// Batches that are asked of large packed tables are taken in whole, as far as they have come,
// and looked up together, since nearly every lookup alone would unpack a stretch of the
// file for itself.
const (
	// sheafPositions is how many positions are looked up together at most.
	sheafPositions = 1 << 17
	// sheavesRoom is what all sheaves may take together, in bytes: for two of the largest
	// usual batches. What finds none is answered position by position.
	sheavesRoom = 128 << 20
	// gatheredBytes is how large a packed table is that is asked like this. A smaller one
	// is soon unpacked in memory, and asked faster position by position.
	gatheredBytes = 64 << 20
	// usualStates is how many states an answer usually takes.
	usualStates = 24
)

// spread has the many positions that were added answered: they are looked up together
// and cut into chunks. The error is that of ctx.
func (a *answers) spread(ctx context.Context) error {
	all := a.filling
	sheaf, err := a.gather(ctx, all)
	if err != nil {
		return err
	}
	a.filling = nil
	for from := 0; from < len(all.items); from += chunkPositions {
		c := chunks.Get().(*chunk)
		c.reset(all.first + int64(from))
		c.sheaf, c.sheaved = sheaf, from
		start := all.start(from)
		for i := from; i < min(from+chunkPositions, len(all.items)); i++ {
			c.items = append(c.items, item{all.items[i].end - start, all.items[i].err})
		}
		c.texts = append(c.texts, all.texts[start:start+c.items[len(c.items)-1].end]...)
		if err := a.push(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// start returns where the text of a position of the chunk begins.
func (c *chunk) start(i int) int {
	if i == 0 {
		return 0
	}
	return c.items[i-1].end
}

// gather looks up what the answers to the positions of a chunk need; the sheaf is nil
// where there is no room for it, or looking up panics, so that who does that alone is
// told. The error is that of ctx.
func (a *answers) gather(ctx context.Context, c *chunk) (sheaf *probe.BatchLookup, err error) {
	var panicked error
	defer func() {
		if panicked != nil {
			sheaf, err = nil, nil
		}
	}()
	defer a.rescue(&panicked)
	bytes := int64(len(c.items)) * usualStates * probe.StateBytes
	if !a.sheaves.take(bytes) {
		return nil, nil
	}
	a.taken += bytes
	crew := reader.WorkerPool{Workers: runtime.GOMAXPROCS(0), Turns: a.turns}
	texts := string(c.texts)
	return a.handle.Table().Prefetch(ctx, crew, len(c.items), func(i int) string { return texts[c.start(i):c.items[i].end] })
}

// free gives the room for sheaves back, when nothing is answered from them any more.
func (a *answers) free() { a.sheaves.give(a.taken) }
