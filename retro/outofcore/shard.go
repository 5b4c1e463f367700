package outofcore

import (
	"context"
	"slices"
	"sync"
	"time"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// shard is a run of blocks of the stage in work, all in memory.
type shard struct {
	s      *BlockWorker
	stage  Stage
	class  *work.Class
	first  int // number of the first block
	slices [][]uint64
	// The parents in the shard of block b of the class above are links[from[b]:from[b+1]].
	from  []uint32
	links []groupLink
}

type groupLink struct {
	block uint32 // in the shard
	plan  *bitslice.Plan
}

func (g *shard) solve(keep KeepSlice) error {
	if err := g.prepare(); err != nil {
		for _, slice := range g.slices {
			if slice != nil {
				g.s.free <- slice
			}
		}
		return err
	}
	return g.class.Pool.Run(0, len(g.slices), func(w *work.Worker, i int) { g.solveBlock(w, i, keep) },
		func(units int) { g.s.progress.Advance(uint64(units) << uint(g.class.IndexBits) / 2) })
}

// prepare folds all moves into the blocks except those inside their slices.
func (g *shard) prepare() error {
	if err := g.open(); err != nil {
		return err
	}
	if g.setsBit() {
		if err := g.take(); err != nil {
			return err
		}
	}
	if g.class.Class.Class == g.class.Cut.MaskBits {
		return nil
	}
	if err := g.transpose(); err != nil {
		return err
	}
	return g.stream()
}

// setsBit reports whether every state can set the bit between the halves.
func (g *shard) setsBit() bool { return g.stage.Half > 0 }

func (g *shard) open() error {
	for i := range g.slices {
		select {
		case g.slices[i] = <-g.s.free:
		case <-g.class.Pool.Context.Done():
			return g.class.Pool.Cause()
		}
	}
	return g.class.Pool.Run(0, len(g.slices), func(w *work.Worker, i int) {
		clear(g.slices[i])
		g.class.Terminals(w, g.first+i, g.slices[i], bitslice.Whole(g.class.IndexBits))
	}, nil)
}

// take folds in the moves that set the bit between the halves, to the same place in the finished half.
func (g *shard) take() error {
	blocks := make([]int, len(g.slices))
	for i := range blocks {
		blocks[i] = g.first + i
	}
	valid := bitslice.Valid(g.class.IndexBits)
	return g.receive(g.stage.Number-1, blocks, 0, func(_ *work.Worker, block int, slice []uint64) {
		win := g.slices[block-g.first][:len(slice)]
		for i, won := range slice {
			win[i] |= ^won & valid
		}
	})
}

// transpose lists the links into the shard by the block of the class above.
func (g *shard) transpose() error {
	above := len(g.class.Cut.Class(g.class.Class.Class + 1).Masks)
	type edge struct {
		child uint32
		groupLink
	}
	edges := make([][]edge, len(g.slices))
	err := g.class.Pool.Run(0, len(g.slices), func(w *work.Worker, i int) {
		var err error
		w.Links, w.Moves, err = g.class.Cut.Links(g.class.Class.Class, g.first+i, w.Links[:0], w.Moves)
		g.class.Pool.Fail(err)
		for _, l := range w.Links {
			edges[i] = append(edges[i], edge{l.Block, groupLink{uint32(i), l.Plan}})
		}
	}, nil)
	if err != nil {
		return err
	}
	g.from = make([]uint32, above+2)
	for _, es := range edges {
		for _, e := range es {
			g.from[e.child+2]++
		}
	}
	for b := range above {
		g.from[b+2] += g.from[b+1]
	}
	g.links = make([]groupLink, g.from[above+1])
	for _, es := range edges {
		for _, e := range es {
			g.links[g.from[e.child+1]] = e.groupLink
			g.from[e.child+1]++
		}
	}
	return nil
}

// stream reads the class above and folds each of its slices into all parents in the shard. Every second
// pass goes backwards, as the end of a file is still cached.
func (g *shard) stream() error {
	g.s.passes++
	above := len(g.from) - 2
	var linked []int
	for block := range above {
		if g.from[block] < g.from[block+1] {
			linked = append(linked, block)
		}
	}
	if g.s.passes%2 == 1 {
		slices.Reverse(linked)
	}
	states := uint64(len(g.slices)) << uint(g.class.IndexBits) / 2 / uint64(above)
	return g.receive(g.stage.Number-len(g.s.cuts), linked, states, g.deliver)
}

// receive reads slices of the given blocks of a finished stage and has the threads deliver them as they arrive. For
// the progress, each slice decides the given number of states.
func (g *shard) receive(number int, blocks []int, states uint64, deliver func(w *work.Worker, block int, slice []uint64)) error {
	of := g.s.cutting.stage(number)
	ctx, stop := context.WithCancelCause(g.class.Pool.Context)
	defer stop(nil)
	arrivals := make(chan arrival, plan.ReadAhead)
	var threads sync.WaitGroup
	threads.Go(func() {
		defer close(arrivals)
		if err := g.s.fetch(ctx, of, blocks, arrivals); err != nil {
			stop(err)
		}
	})
	for _, w := range g.class.Pool.Workers {
		threads.Go(func() {
			h, read, waited := <-g.s.codecs, 0, time.Duration(0)
			defer func() {
				g.s.codecs <- h
				g.s.read.Add(int64(read))
				g.s.waited.Add(int64(waited))
			}()
			for {
				began := time.Now()
				a, more := <-arrivals
				if waited += time.Since(began); !more {
					return
				}
				if ctx.Err() == nil {
					read += len(a.bytes)
					slice, packed := a.slice[:len(h.slice)], len(a.bytes) < 8*len(h.slice)
					if packed {
						slice = h.slice
					}
					if packed && !h.unpack(bitslice.Bytes(slice), a.bytes) {
						stop(noSlice(a.block, of.Class))
					} else {
						deliver(w, a.block, slice)
						g.s.progress.Advance(states)
					}
				}
				g.s.child <- a.slice
			}
		})
	}
	threads.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return g.class.Pool.Cause()
}

func (g *shard) deliver(w *work.Worker, block int, slice []uint64) {
	part := bitslice.Whole(g.class.IndexBits)
	for _, l := range g.links[g.from[block]:g.from[block+1]] {
		lock := &g.s.locks[int(l.block)%len(g.s.locks)]
		lock.Lock()
		w.Fold(bitslice.OrNot, l.plan, g.slices[l.block], part, slice, nil)
		lock.Unlock()
	}
}

func (g *shard) solveBlock(w *work.Worker, i int, keep KeepSlice) {
	win, block := g.slices[i], g.first+i
	u := work.WholeBlocks(g.class.Class)
	t := g.class.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), bitslice.Whole(u.K))
	if w.Moves = g.class.Cut.Moves(g.class.Masks[block], w.Moves[:0]); len(w.Moves) == 0 && !g.setsBit() {
		g.class.CheckEnd(w, block)
	}
	bitslice.SolveSliceExcept(win, t.Lost, u.K)
	w.Count(u, block, g.class.Images[block], win, nil, t)
	stored := bitslice.Bytes(win) // packed in the same memory, if that makes it shorter
	if g.s.o.Packed {
		h := <-g.s.codecs
		if h.packed = h.pack(h.packed[:0], stored); len(h.packed) < len(stored) {
			stored = stored[:copy(stored, h.packed)]
		}
		g.s.codecs <- h
	}
	keep(block, stored, func() { g.s.free <- win })
}
