package search

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// The numbers of empty cells from which parts of the search pay.
const (
	fewCells     = 6  // at most: see worker.nullFew
	hashCells    = 8  // the hash
	enhanceCells = 10 // looking up all moves in the hash first
	guessCells   = 12 // ordering by a shallow search
	splitCells   = 14 // sharing moves with other threads
)

type nullSearch struct {
	board   uint64
	cells   int
	corners uint64
	hash    hash[discs]
	idle    chan struct{} // a place for each thread that has nothing to do
	workers sync.Pool
	nodes   atomic.Uint64
}

func newNullSearch(n, threads int, bytes int64) *nullSearch {
	s := &nullSearch{
		board: padded(^uint64(0), n), cells: n * n, corners: padded(1|1<<(n-1)|1<<(n*n-n)|1<<(n*n-1), n),
		hash: newHash[discs](bytes), idle: make(chan struct{}, max(threads, 1)),
	}
	for range threads - 1 {
		s.idle <- struct{}{}
	}
	return s
}

func (n *nullSearch) empty(d discs) uint64 { return n.board &^ (d.own | d.other) }

// null is worker.null with all threads; the result is undefined if stop is stopped.
func (n *nullSearch) null(d discs, alpha int, stop *split) int {
	w := n.worker(stop)
	defer n.finish(w)
	return w.null(d, alpha)
}

func (n *nullSearch) unknown(left int) bounds {
	return bounds{low: int8(-n.cells), high: int8(n.cells), best: passCell, left: uint8(left)}
}

type worker struct {
	*nullSearch
	split *split
	nodes uint64
	lists [65][]child // by the number of empty cells
}

// child is a position after a move. Those with a greater rank are searched first.
type child struct {
	discs
	cell uint8
	rank int32
}

const passCell = 64 // a pass, or no move

func sortChildren(list []child) {
	slices.SortStableFunc(list, func(a, b child) int { return cmp.Compare(b.rank, a.rank) })
}

// split is a position whose moves several threads search.
type split struct {
	parent  *split
	stop    atomic.Bool // the result is not needed any more
	helpers sync.WaitGroup
	sync.Mutex
	best int
	cell uint8
}

func (s *split) stopped() bool {
	for ; s != nil; s = s.parent {
		if s.stop.Load() {
			return true
		}
	}
	return false
}

// addScore enters the score of a move, unless it is undefined as the search was stopped.
func (s *split) addScore(score int, cell uint8, alpha int) {
	s.Lock()
	defer s.Unlock()
	if score > s.best && !s.stopped() {
		s.best, s.cell = score, cell
		if score > alpha {
			s.stop.Store(true)
		}
	}
}

// null reports whether the score of a position is greater than alpha: what it returns is a
// lower bound then, and an upper bound otherwise. It is undefined if the split is stopped.
func (w *worker) null(d discs, alpha int) int {
	empty := w.empty(d)
	left := bits.OnesCount64(empty)
	switch {
	case left <= fewCells:
		return w.nullFew(d, empty, parityOf(empty), alpha, false)
	case left >= splitCells && w.split.stopped():
		return 0
	}
	w.nodes++
	moves := d.moves(empty)
	if moves == 0 {
		if d.swapped().moves(empty) == 0 {
			return d.final(empty)
		}
		return -w.null(d.swapped(), ^alpha)
	}
	known := w.unknown(left)
	var place *bucket[discs]
	if left >= hashCells {
		place = w.hash.bucketOf(d.hash())
		if found, ok := place.find(d); ok {
			known = found
		}
		if int(known.low) > alpha {
			return int(known.low)
		} else if int(known.high) <= alpha {
			return int(known.high)
		}
	}
	list := w.children(d, moves, left)
	if left >= enhanceCells {
		for i := range list {
			if found, ok := w.hash.bucketOf(list[i].hash()).find(list[i].discs); ok && -int(found.high) > alpha {
				return -int(found.high)
			}
		}
	}
	w.rank(list, empty, left, known.best)
	score, cell := w.best(list, alpha, left)
	if place == nil {
		return score
	}
	if left >= splitCells && w.split.stopped() {
		return 0
	}
	if score > alpha || known.best == passCell {
		known.best = cell
	}
	known.add(score, alpha)
	place.keep(d, known)
	return score
}

// children returns the positions after moves, in the worker's memory.
func (w *worker) children(d discs, moves uint64, left int) []child {
	list := w.lists[left][:0]
	for ; moves != 0; moves &= moves - 1 {
		cell := bits.TrailingZeros64(moves)
		list = append(list, child{discs: d.after(cell, d.flips(cell)), cell: uint8(cell)})
	}
	w.lists[left] = list
	return list
}

// best returns the best score, or the first above alpha, and its cell.
func (w *worker) best(list []child, alpha, left int) (best int, cell uint8) {
	best = noScore
	for i := range list {
		first := i
		for j := i + 1; j < len(list); j++ {
			if list[j].rank > list[first].rank {
				first = j
			}
		}
		list[i], list[first] = list[first], list[i]
		if i == 1 && left >= splitCells && len(w.idle) > 0 {
			return w.bestShared(list, best, cell, alpha)
		}
		if score := -w.null(list[i].discs, ^alpha); score > best {
			if best, cell = score, list[i].cell; best > alpha {
				break
			}
		}
	}
	return best, cell
}

// bestShared is best after the first move. Idle threads take moves, and this one the others.
func (w *worker) bestShared(list []child, best int, cell uint8, alpha int) (int, uint8) {
	sortChildren(list[1:])
	s := &split{parent: w.split, best: best, cell: cell}
	w.split = s
	for i := 1; i < len(list) && !s.stopped(); i++ {
		c := list[i]
		if i+1 < len(list) {
			select {
			case <-w.idle:
				s.helpers.Go(func() {
					helper := w.nullSearch.worker(s)
					s.addScore(-helper.null(c.discs, ^alpha), c.cell, alpha)
					w.finish(helper)
					w.idle <- struct{}{}
				})
				continue
			default:
			}
		}
		s.addScore(-w.null(c.discs, ^alpha), c.cell, alpha)
	}
	w.split = s.parent
	w.idle <- struct{}{}
	s.helpers.Wait()
	<-w.idle
	return s.best, s.cell
}

func (n *nullSearch) worker(s *split) *worker {
	w, ok := n.workers.Get().(*worker)
	if !ok {
		w = &worker{nullSearch: n}
	}
	w.split, w.nodes = s, 0
	return w
}

func (n *nullSearch) finish(w *worker) {
	n.nodes.Add(w.nodes)
	n.workers.Put(w)
}

// What the rank of a move counts.
const (
	mostGuess = 6       // plies of a shallow search
	rankKnown = 1 << 30 // the best move of an earlier search
)

func (w *worker) rank(list []child, empty uint64, left int, known uint8) {
	for i := range list {
		c := &list[i]
		if c.cell == known {
			c.rank = rankKnown
			continue
		}
		if left >= guessCells {
			depth := min((left-guessCells)/2, mostGuess)
			c.rank = -int32(w.guess(c.discs, -1<<20, 1<<20, depth))
			continue
		}
		replies := c.discs.moves(empty &^ (1 << (c.cell & 63)))
		c.rank = -int32(bits.OnesCount64(replies) + bits.OnesCount64(replies&w.corners))
	}
}

// What the guess counts for each disc, cell or move of the player's.
const (
	guessCorner   = 40
	guessBeside   = -8  // an empty corner
	guessDiagonal = -16 // to an empty corner
	guessMobility = 8
	guessFrontier = 4 // an empty cell beside a disc of the opponent's
)

func (w *worker) guess(d discs, alpha, beta, depth int) int {
	empty := w.empty(d)
	moves := d.moves(empty)
	if depth == 0 {
		return w.looks(d, moves, empty)
	}
	if moves == 0 {
		if d.swapped().moves(empty) == 0 {
			return d.final(empty) << 10
		}
		return -w.guess(d.swapped(), -beta, -alpha, depth-1)
	}
	best := -1 << 20
	for _, part := range [2]uint64{moves & w.corners, moves &^ w.corners} {
		for ; part != 0; part &= part - 1 {
			cell := bits.TrailingZeros64(part)
			best = max(best, -w.guess(d.after(cell, d.flips(cell)), -beta, -max(alpha, best), depth-1))
			if best >= beta {
				return best
			}
		}
	}
	return best
}

func (w *worker) looks(d discs, moves, empty uint64) int {
	replies := d.swapped().moves(empty)
	count := func(mask uint64) int { return bits.OnesCount64(d.own&mask) - bits.OnesCount64(d.other&mask) }
	sum := guessMobility * (bits.OnesCount64(moves) - bits.OnesCount64(replies))
	sum += guessFrontier * (bits.OnesCount64(around(d.other)&empty) - bits.OnesCount64(around(d.own)&empty))
	sum += guessCorner * count(w.corners)
	for free := w.corners & empty; free != 0; free &= free - 1 {
		corner := free & -free
		near := around(corner)
		line := near & (corner<<1 | corner>>1 | corner<<8 | corner>>8)
		sum += guessBeside*count(line) + guessDiagonal*count(near&^line&^corner)
	}
	return sum
}
