package retro

import (
	"context"
	"fmt"
	"sync"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/tablebase"
)

// StreamResult is what is left of a solve whose table was not kept.
type StreamResult struct {
	// Classes are the counts of each class, the fullest first.
	Classes []ClassCounts
	// Won says whether the player to move wins the state that play begins with.
	Won bool
	// Resumed is the number of classes that an interrupted solve had finished.
	Resumed int
	// Read and Written are the bytes of slices that went through work files.
	Read, Written int64
	// Memory is the most memory reserved, in bytes.
	Memory int64
}

// ClassCounts are the counts of one class.
type ClassCounts struct {
	Class, IndexBits, Blocks int
	Counts                   tablebase.Counts
}

// Stream solves a space with fixed slices, outcomes only, for the counts and the
// value of the first state alone. Only the two classes in work are kept, in files
// beside path; the class in work is solved in groups of blocks that fit in
// memory, past which the class above streams once for each group. An interrupted
// solve resumes after the last finished class.
func Stream(ctx context.Context, space partition.Space, path string, o Options) (*StreamResult, error) {
	if !space.FixedSlice {
		return nil, fmt.Errorf("%s cannot be solved class by class from files: its classes need memory; solve it as a table", space.Game)
	}
	s := &stream{engine: engine{Options: o.withDefaults()}}
	s.Steps = false
	s.ledger = newLedger(s.Memory, bitslice.Words(space.IndexBits[0]))
	defer s.ledger.close()
	if err := s.ledger.reserve(partition.CutBytes(space) + s.fixedBytes(space)); err != nil {
		return nil, err
	}
	files, err := openSpools(path, space)
	if err != nil {
		return nil, err
	}
	defer files.close()
	s.files = files
	if s.cut, err = partition.NewCut(space, s.Threads); err != nil {
		return nil, err
	}
	defer s.cut.Free()
	s.crew = newCrew(ctx, s.Threads, s.TasksPerThread)
	for class := range space.MaskBits + 1 {
		s.event.States += s.states(class)
	}
	for _, c := range files.state.Classes {
		s.before += s.states(c.Class)
	}
	resumed := len(files.state.Classes)
	for class := space.MaskBits - resumed; class >= 0; class-- {
		if err := s.solveClass(class); err != nil {
			return nil, err
		}
	}
	var counts []tablebase.Counts
	for _, c := range files.state.Classes {
		counts = append(counts, c.Counts)
	}
	if err := checkWhole(space, counts); err != nil {
		return nil, err
	}
	r := &StreamResult{
		Classes: files.state.Classes, Won: files.state.Won, Resumed: resumed,
		Read: files.read.Load(), Written: files.written.Load(), Memory: s.ledger.top.Load(),
	}
	return r, files.remove()
}

// StreamNeed returns the memory in bytes with which Stream runs well, and the
// least it can do with.
func StreamNeed(space partition.Space, o Options) (good, least int64) {
	e := &engine{Options: o.withDefaults()}
	slice := int64(bitslice.Words(space.IndexBits[0])) * 8
	fixed := partition.CutBytes(space) + e.fixedBytes(space) + int64(e.Threads+readAhead)*slice
	var most int64
	for _, blocks := range partition.BlockCounts(space) {
		most = max(most, blocks)
	}
	perBlock := slice + blockOverhead(space)
	return fixed + most*perBlock, fixed + int64(e.Threads)*perBlock
}

// blockOverhead is the memory of a block in work beside its slice: its links,
// listed twice, with what the runtime's collector needs to leave room for.
func blockOverhead(space partition.Space) int64 {
	return 512 + 128*int64(space.MaskBits)
}

// StreamDisk returns the bytes that the work files take at most: those of two
// neighbouring classes.
func StreamDisk(space partition.Space) int64 {
	slice := int64(bitslice.Words(space.IndexBits[0])) * 8
	var most, before int64
	for _, blocks := range partition.BlockCounts(space) {
		most = max(most, before+blocks)
		before = blocks
	}
	return most * slice
}

// readAhead is how many slices of the class above are read before they are asked
// for.
const readAhead = 16

type stream struct {
	engine
	files *spools
	locks stripes
	// slices are memory for the blocks of a group; free has those that are not in
	// use, nor waiting to be written.
	slices [][]uint64
	free   chan []uint64
	child  chan []uint64 // memory for slices of the class above
}

// solveClass solves a class group by group and seals it.
func (s *stream) solveClass(class int) error {
	s.class = s.cut.Class(class)
	s.begin(class)
	s.resetTallies(0)
	blocks := len(s.class.Masks)
	if err := s.makeSlices(blocks); err != nil {
		return err
	}
	s.locks = make(stripes, s.Stripes)
	out, err := s.files.begin(class, blocks, len(s.slices))
	if err != nil {
		return err
	}
	for first := 0; first < blocks; first += len(s.slices) {
		// Every other pass goes backwards: what the last one read is still cached.
		g := &group{stream: s, first: first, slices: make([][]uint64, min(len(s.slices), blocks-first))}
		if err := g.solve(out, s.files.passes%2 == 0); err != nil {
			out.abandon()
			return err
		}
		s.files.passes++
	}
	counts, err := s.counts()
	if err != nil {
		out.abandon()
		return err
	}
	if err := out.finish(ClassCounts{class, s.class.IndexBits, blocks, counts}); err != nil {
		return err
	}
	s.before += s.states(class)
	s.sealed(class)
	return nil
}

// makeSlices reserves memory for as many blocks of a class as the limit allows.
func (s *stream) makeSlices(blocks int) error {
	words := s.class.Words()
	if s.child == nil {
		s.child = make(chan []uint64, s.Threads+readAhead)
		for range cap(s.child) {
			b, err := s.ledger.plane(words)
			if err != nil {
				return err
			}
			s.child <- b
		}
	}
	overhead := blockOverhead(s.cut.Space)
	for len(s.slices) < blocks {
		if s.ledger.limit > 0 && s.ledger.used.Load()+int64(words)*8+overhead > s.ledger.limit && len(s.slices) >= s.Threads {
			break
		}
		if err := s.ledger.reserve(overhead); err != nil {
			return err
		}
		b, err := s.ledger.plane(words)
		if err != nil {
			return err
		}
		s.slices = append(s.slices, b)
	}
	s.free = make(chan []uint64, len(s.slices))
	for _, b := range s.slices {
		s.free <- b
	}
	return nil
}

// group is a run of blocks of the class in work, all in memory at once.
type group struct {
	*stream
	first  int // number of the first block
	slices [][]uint64
	// parents of block b of the class above, as far as they are in the group:
	// links[from[b]:from[b+1]].
	from  []uint32
	links []groupLink
}

type groupLink struct {
	block uint32 // in the group
	plan  *bitslice.Plan
}

func (g *group) solve(out *spool, backwards bool) error {
	if err := g.open(); err != nil {
		return err
	}
	if g.class.Class < g.cut.MaskBits {
		if err := g.turn(); err != nil {
			return err
		}
		if err := g.receive(backwards); err != nil {
			return err
		}
	}
	var failed firstError
	err := g.crew.run(len(g.slices), func(w *worker, i int) { failed.set(g.settle(w, i, out)) },
		func(units int) { g.advance(uint64(units) << uint(g.class.IndexBits) / 2) })
	if err == nil {
		err = failed.get()
	}
	return err
}

// open takes memory for the blocks, as soon as it has been written, and fills in
// the terminal states.
func (g *group) open() error {
	for i := range g.slices {
		select {
		case g.slices[i] = <-g.free:
		case <-g.crew.ctx.Done():
			return g.crew.cause()
		}
	}
	return g.crew.run(len(g.slices), func(w *worker, i int) {
		clear(g.slices[i])
		g.terminals(w, g.first+i, g.slices[i], bitslice.Whole(g.class.IndexBits))
	}, nil)
}

// turn lists the links into the group by the block of the class above.
func (g *group) turn() error {
	above := len(g.cut.Class(g.class.Class + 1).Masks)
	type edge struct {
		child uint32
		groupLink
	}
	edges := make([][]edge, len(g.slices))
	err := g.crew.run(len(g.slices), func(w *worker, i int) {
		var err error
		w.shared, w.moves, err = g.cut.SharedLinks(g.class.Class, g.first+i, w.shared[:0], w.moves)
		g.crew.fail(err)
		for _, l := range w.shared {
			edges[i] = append(edges[i], edge{l.Block, groupLink{uint32(i), l.Plan}})
		}
	}, nil)
	if err != nil {
		return err
	}
	g.from = make([]uint32, above+2)
	total := 0
	for _, es := range edges {
		for _, e := range es {
			g.from[e.child+2]++
			total++
		}
	}
	for b := range above {
		g.from[b+2] += g.from[b+1]
	}
	g.links = make([]groupLink, total)
	for _, es := range edges {
		for _, e := range es {
			g.links[g.from[e.child+1]] = e.groupLink
			g.from[e.child+1]++
		}
	}
	return nil
}

// arrival is a slice of the class above that has been read.
type arrival struct {
	block int
	slice []uint64
	err   error
}

// receive lets the class above stream by: each of its slices is folded into all
// its parents in the group.
func (g *group) receive(backwards bool) error {
	above := len(g.cut.Class(g.class.Class + 1).Masks)
	ctx, stop := context.WithCancel(g.crew.ctx)
	defer stop()
	arrivals := make(chan arrival, readAhead)
	var readers sync.WaitGroup
	readers.Go(func() {
		defer close(arrivals)
		for i := range above {
			block := i
			if backwards {
				block = above - 1 - i
			}
			if g.from[block] == g.from[block+1] {
				continue
			}
			var buf []uint64
			select {
			case buf = <-g.child:
			case <-ctx.Done():
				return
			}
			a := arrival{block, buf, g.files.readSlice(block, buf)}
			select {
			case arrivals <- a:
			case <-ctx.Done():
				g.child <- buf
				return
			}
		}
	})
	var failed firstError
	states := uint64(len(g.slices)) << uint(g.class.IndexBits) / 2 / uint64(above)
	var workers sync.WaitGroup
	for _, w := range g.crew.workers {
		workers.Go(func() {
			for a := range arrivals {
				if a.err == nil && ctx.Err() == nil {
					g.deliver(w, a)
					g.advance(states)
				}
				failed.set(a.err)
				g.child <- a.slice
				if a.err != nil {
					stop()
				}
			}
		})
	}
	workers.Wait()
	readers.Wait()
	if err := failed.get(); err != nil {
		return err
	}
	return g.crew.cause()
}

// deliver folds a slice of the class above into its parents in the group.
func (g *group) deliver(w *worker, a arrival) {
	part := bitslice.Whole(g.class.IndexBits)
	for _, l := range g.links[g.from[a.block]:g.from[a.block+1]] {
		lock := g.locks.of(l.block)
		lock.Lock()
		w.Fold(bitslice.OrNot, l.plan, g.slices[l.block], part, a.slice, nil)
		lock.Unlock()
	}
}

// settle decides a block, counts it and hands it to be written.
func (g *group) settle(w *worker, i int, out *spool) error {
	win, block := g.slices[i], g.first+i
	u := wholeBlocks(g.class)
	t := g.terminals(w, block, w.buffer(terminalWinBuffer, u.words), bitslice.Whole(u.k))
	if w.moves = g.cut.Moves(g.class.Masks[block], w.moves[:0]); len(w.moves) == 0 {
		g.checkEnd(block, t)
	}
	settleSlice(win, t.lost, u.k)
	w.count(u, block, g.class.Images[block], win, nil, t)
	return out.write(block, win, g.free)
}
