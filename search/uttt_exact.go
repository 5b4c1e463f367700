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

// ultimateEnding solves the ends of games of Ultimate Tic-Tac-Toe, which are won, drawn or
// lost, with null windows and a table of known states.
type ultimateEnding struct{ *ultimate }

func (e ultimateEnding) Scored() bool           { return false }
func (e ultimateEnding) Score(p game.State) int { return e.score(e.Of(p)) }
func (e ultimateEnding) Left(p game.State) int  { return e.left(e.Of(p)) }

// Seconds is what the easiest quarter of positions of random games took: 8 ms with 20 cells
// left, 37 ms with 25. Others take a hundred times as long. One thread does all the work.
func (e ultimateEnding) Seconds(left, _ int) float64 { return 1e-5 * math.Pow(1.38, float64(left)) }

// The table: how many bytes a place of it takes, and the logarithms of the least and
// the greatest number of places.
const (
	placeBytes  = 64
	leastPlaces = 6
	mostPlaces  = 20
)

// Bytes doubles with each cell that is left, up to what a search of some minutes fills.
func (e ultimateEnding) Bytes(left int) int64 {
	return placeBytes << min(max(left+2, leastPlaces), mostPlaces)
}

func (e ultimateEnding) Solve(ctx context.Context, p game.State, o EndingOptions) (score int, moves []ScoredMove, err error) {
	root := e.Of(p)
	places := leastPlaces
	for places < mostPlaces && placeBytes<<(places+1) <= min(o.Bytes, e.Bytes(e.left(root))) {
		places++
	}
	w := &ultimateSearch{ultimate: e.ultimate, table: make([]ultimatePlace, 1<<places), shift: uint(64 - places)}
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
	switch outcome, _ := g.Terminal(s); outcome {
	case game.Win:
		return 1
	case game.Lose:
		return -1
	}
	return 0
}

func (g *ultimate) left(s Words) (cells int) {
	for b := range uint(uttt.Boards) {
		cells += bits.OnesCount64(free(s, b))
	}
	return cells
}

// ultimateSearch solves one position.
type ultimateSearch struct {
	*ultimate
	table []ultimatePlace
	shift uint             // of a hash to a place
	lists [][]ultimateMove // by the plies from the root
	stop  atomic.Bool
}

// ultimateMove is a move and the state after it. Those of least rank are searched first.
type ultimateMove struct {
	state Words
	move  game.Move
	rank  int
}

// ultimateBounds are what is known of a state's score: it is from low to high.
type ultimateBounds struct {
	state     Words
	low, high int8
	left      int8 // cells, 0 where nothing is known
	best      game.Move
}

// ultimatePlace has the bounds of the state with the most cells left, and of the last one.
type ultimatePlace [2]ultimateBounds

// find returns the bounds of a state.
func (p *ultimatePlace) find(s Words, left int) ultimateBounds {
	for i := range p {
		if p[i].state == s && p[i].left > 0 {
			return p[i]
		}
	}
	return ultimateBounds{state: s, low: -1, high: 1, left: int8(left), best: game.Pass} // which is no move of this game
}

// keep stores bounds, replacing the state's earlier ones.
func (p *ultimatePlace) keep(b ultimateBounds) {
	if p[0].state != b.state && b.left < p[0].left {
		p[1] = b
		return
	}
	if p[0].state != b.state {
		p[1] = p[0]
	}
	p[0] = b
}

// null returns a lower bound of a state's score if that is greater than alpha, else an upper
// bound. After a stop it is undefined.
func (w *ultimateSearch) null(s Words, ply, alpha int) int {
	if w.stop.Load() {
		return 0
	}
	if score, ok := w.shallow(s, alpha); ok {
		return score
	}
	place := &w.table[w.Hash(s)>>w.shift]
	known := place.find(s, w.left(s))
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
			score, known.best = after, list[i].move
		}
	}
	if w.stop.Load() {
		return 0
	}
	if score > alpha {
		known.low = int8(score)
	} else {
		known.high = int8(score)
	}
	place.keep(known)
	return score
}

// rankFree is how much worse it is for who moves that the opponent may play anywhere.
const rankFree = 20

// ordered returns the moves of a state in the memory shared by all states at that ply: a given
// one first, the others by what the state after them looks like to the opponent, and by the
// choice that the opponent has.
func (w *ultimateSearch) ordered(s Words, ply int, first game.Move) []ultimateMove {
	if ply == len(w.lists) {
		w.lists = append(w.lists, nil)
	}
	list, open := w.lists[ply][:0], w.open(s)
	for _, m := range w.moves {
		if p := w.places[m.To]; open[p.board]>>p.within&1 == 0 {
			continue
		}
		after := ultimateMove{state: w.Play(s, m), move: m, rank: -math.MaxInt}
		if m != first {
			after.rank = w.Evaluate(after.state)
			if board := uint(after.state[2] >> toPlay & 15); board == uttt.Any {
				after.rank += rankFree
			} else {
				after.rank += bits.OnesCount64(free(after.state, board))
			}
		}
		list = append(list, after)
	}
	w.lists[ply] = list
	slices.SortStableFunc(list, func(a, b ultimateMove) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

// barred says of each mask of a board's cells whether it has a cell in every line, so
// that the other player cannot win the board any more.
var barred = func() (barred [512]bool) {
	for mask := range barred {
		barred[mask] = true
		for _, line := range boardLines {
			barred[mask] = barred[mask] && uint64(mask)&line != 0
		}
	}
	return barred
}()

// shallow sees who has won, and who cannot win any more because no line of boards is
// left to win: when neither can, it is a draw. What it returns is as null's.
func (g *ultimate) shallow(s Words, alpha int) (score int, ok bool) {
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
