package search

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"backsolve/game"
	"backsolve/game/uttt"
)

type ultimateEnding struct{ *ultimate }

func (e ultimateEnding) Scored() bool           { return false }
func (e ultimateEnding) Score(p game.State) int { return e.score(e.Of(p)) }
func (e ultimateEnding) Left(p game.State) int  { return e.cellsLeft(e.Of(p)) }

// Seconds is what the easiest quarter of positions of random games took: 8 ms with 20 cells
// left, 37 ms with 25. Others take a hundred times as long. One thread does all the work.
func (e ultimateEnding) Seconds(left, _ int) float64 { return 1e-5 * math.Pow(1.38, float64(left)) }

// Bytes doubles with each cell that is left, up to what a search of some minutes fills.
func (e ultimateEnding) Bytes(left int) int64 {
	return 128 << min(max(left+1, 6), 19)
}

func (e ultimateEnding) Solve(ctx context.Context, p game.State, o EndingOptions) (score int, moves []ScoredMove, err error) {
	root := e.Of(p)
	w := &ultimateSearch{ultimate: e.ultimate, hash: newHash[Words](min(o.Bytes, e.Bytes(e.cellsLeft(root))))}
	defer context.AfterFunc(ctx, func() { w.stop.Store(true) })()
	score = -1
	for _, m := range e.Moves(nil, root) {
		after := e.Play(root, m)
		s := -converge(1, -score, func(alpha int) int { return w.null(after, 0, alpha) })
		if ctx.Err() != nil {
			return 0, nil, context.Cause(ctx)
		}
		moves = append(moves, ScoredMove{m, s})
		score = max(score, s)
	}
	return score, moves, nil
}

func (g *ultimate) score(s Words) int {
	outcome, _ := g.Terminal(s)
	return Sign(outcome)
}

func (g *ultimate) cellsLeft(s Words) (cells int) {
	for b := range uint(uttt.Boards) {
		cells += bits.OnesCount64(freeIn(s, b))
	}
	return cells
}

type ultimateSearch struct {
	*ultimate
	hash  hash[Words]
	lists [][]ultimateMove // by the plies from the root
	stop  atomic.Bool
}

// ultimateMove is a move and the state after it. Those of least rank are searched first.
type ultimateMove struct {
	state Words
	move  game.Move
	rank  int
}

// null returns a bound beside alpha, as worker.null does; undefined after a stop.
func (w *ultimateSearch) null(s Words, ply, alpha int) int {
	if w.stop.Load() {
		return 0
	}
	if score, ok := w.decided(s, alpha); ok {
		return score
	}
	place := w.hash.bucketOf(w.Hash(s))
	known, ok := place.find(s)
	if !ok {
		known = bounds{low: -1, high: 1, best: noCell, left: uint8(w.cellsLeft(s))}
	}
	switch {
	case int(known.low) > alpha:
		return int(known.low)
	case int(known.high) <= alpha:
		return int(known.high)
	}
	list := w.ordered(s, ply, known.best)
	if len(list) == 0 {
		return w.score(s)
	}
	score := -2
	for i := 0; i < len(list) && score <= alpha; i++ {
		if after := -w.null(list[i].state, ply+1, ^alpha); after > score {
			score, known.best = after, list[i].move.To
		}
	}
	if w.stop.Load() {
		return 0
	}
	known.add(score, alpha)
	place.keep(s, known)
	return score
}

const noCell = 255

// rankFree is the penalty for a move after which the opponent may play anywhere.
const rankFree = 20

// ordered returns the moves of a state in the memory shared by all states at that ply: a given
// one first, the others by how the state after them looks to the opponent, and how much choice
// the opponent has.
func (w *ultimateSearch) ordered(s Words, ply int, first uint8) []ultimateMove {
	if ply == len(w.lists) {
		w.lists = append(w.lists, nil)
	}
	list, open := w.lists[ply][:0], w.openCells(s)
	for _, m := range w.moves {
		if p := w.places[m.To]; open[p.board]>>p.within&1 == 0 {
			continue
		}
		after := ultimateMove{state: w.Play(s, m), move: m, rank: -math.MaxInt}
		if m.To != first {
			after.rank = w.Evaluate(after.state)
			if board := uint(after.state[2] >> toPlay & 15); board == uttt.Any {
				after.rank += rankFree
			} else {
				after.rank += bits.OnesCount64(freeIn(after.state, board))
			}
		}
		list = append(list, after)
	}
	w.lists[ply] = list
	slices.SortStableFunc(list, func(a, b ultimateMove) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

// barred says of each mask whether it has a cell in every line, which bars the other player.
var barred = func() (barred [512]bool) {
	for mask := range barred {
		barred[mask] = true
		for _, line := range boardLines {
			barred[mask] = barred[mask] && uint64(mask)&line != 0
		}
	}
	return barred
}()

// decided sees who has won, and who cannot win any more because no line of boards is left to win:
// if neither can, it is a draw. It returns a bound as null does.
func (g *ultimate) decided(s Words, alpha int) (score int, ok bool) {
	wonMover, wonWaiting := wonOf(s)
	switch {
	case complete[wonMover]:
		return 1, true
	case complete[wonWaiting]:
		return -1, true
	}
	mayMover, mayWaiting := wonMover, wonWaiting
	for b := range uint(uttt.Boards) {
		if (wonMover|wonWaiting)>>b&1 == 1 {
			continue
		}
		mover, waiting := cellsOf(s, b)
		if !barred[waiting] {
			mayMover |= 1 << b
		}
		if !barred[mover] {
			mayWaiting |= 1 << b
		}
	}
	may, mayNot := complete[mayMover], !complete[mayWaiting]
	return 0, !may && (mayNot || alpha >= 0) || mayNot && alpha < 0
}
