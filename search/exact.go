package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"backsolve/game"
)

// Ending solves positions by exhaustive search, which is fast near the end of a game:
// alpha-beta with null windows, a transposition table, and the core's move ordering. It
// is safe for concurrent use.
type Ending interface {
	// Scored reports whether a game ends with a score, greater being better. Otherwise
	// the score is 1 for a win, 0 for a draw and −1 for a loss.
	Scored() bool
	// Score returns the score of a finished game for the player to move.
	Score(p game.State) int
	// Left returns how many cells can still be marked in a position.
	Left(p game.State) int
	// Seconds returns about how long solving a position with left cells takes,
	// if it is one of the easy ones.
	Seconds(left int) float64
	// Bytes returns how much memory is useful for that.
	Bytes(left int) int64
	// Solve returns the scores of an open position and of its moves, for the player to
	// move, within about the given bytes of memory. The error is the cause of ctx.
	Solve(ctx context.Context, p game.State, bytes int64) (score int, moves []ScoredMove, err error)
}

// ScoredMove is a move with the score that it leads to for the player who makes it.
type ScoredMove struct {
	Move  game.Move
	Score int
}

// finite are rules of a game whose endings are solved.
type finite[S comparable] interface {
	Rules[S]
	// scored is Ending.Scored, seconds is Ending.Seconds.
	scored() bool
	seconds(left int) float64
	// most is the best score that there is, and what the worst one is below 0.
	most() int
	// left is how many cells can still be marked.
	left(s S) int
	// score returns the score of a state that is over.
	score(s S) int
	// follow appends the states after the moves from s, none where the game is over.
	follow(buf []follower[S], s S) []follower[S]
	// shallow returns the score if it is seen, or so soon found that it is worth no
	// place in a table: what is between alpha and beta is exact, else a bound on that
	// side. It adds the states that were looked at to looked.
	shallow(s S, alpha, beta int, looked *int) (score int, ok bool)
}

// follower is a state after a move. Those of least rank are looked at first.
type follower[S comparable] struct {
	state S
	move  game.Move
	rank  int
}

// NewEnding returns the solver of a board's endings, or false if the game's core has
// none.
func NewEnding(rules game.Rules) (Ending, bool) {
	e := Choose(rules, endingOf[Masks], endingOf[Words], endingOf[game.State])
	return e, e != nil
}

func endingOf[S comparable](core Rules[S]) Ending {
	if f, ok := core.(finite[S]); ok {
		return ending[S]{f}
	}
	return nil
}

type ending[S comparable] struct{ core finite[S] }

func (e ending[S]) Scored() bool             { return e.core.scored() }
func (e ending[S]) Score(p game.State) int   { return e.core.score(e.core.Of(p)) }
func (e ending[S]) Left(p game.State) int    { return e.core.left(e.core.Of(p)) }
func (e ending[S]) Seconds(left int) float64 { return e.core.seconds(left) }

// The table: how many bytes a place of it takes, and the logarithms of the least and
// the greatest number of places.
const (
	placeBytes  = 64
	leastPlaces = 6
	mostPlaces  = 20
)

// Bytes doubles with each cell that is left, up to what a search of some minutes fills.
func (e ending[S]) Bytes(left int) int64 {
	return placeBytes << min(max(left+2, leastPlaces), mostPlaces)
}

func (e ending[S]) Solve(ctx context.Context, p game.State, bytes int64) (score int, moves []ScoredMove, err error) {
	if ctx.Err() != nil {
		return 0, nil, context.Cause(ctx)
	}
	root := e.core.Of(p)
	places := leastPlaces
	for places < mostPlaces && placeBytes<<(places+1) <= min(bytes, e.Bytes(e.core.left(root))) {
		places++
	}
	w := &solver[S]{core: e.core, ctx: ctx, table: make([]findings[S], 1<<places), shift: uint(64 - places)}
	score = -math.MaxInt
	for _, m := range e.core.Moves(nil, root) {
		s := -w.worth(e.core.Play(root, m), 0, -e.core.most(), e.core.most())
		if w.err != nil {
			return 0, nil, w.err
		}
		moves = append(moves, ScoredMove{m, s})
		score = max(score, s)
	}
	return score, moves, nil
}

// solver solves one position.
type solver[S comparable] struct {
	core  finite[S]
	table []findings[S]
	shift uint            // of a hash to a place
	lists [][]follower[S] // by the plies from the root
	ctx   context.Context
	// looked is the number of states looked at since the context was.
	looked int
	err    error
}

// finding bounds the score of a state: it is from low to high.
type finding[S comparable] struct {
	state     S
	low, high int8
	left      int8 // cells, 0 where there is no finding
	best      game.Move
}

// findings are those of one place: of the state with the most cells left, and of the
// last one.
type findings[S comparable] [2]finding[S]

// noMove is not a move of any game.
var noMove = game.Move{From: 254, To: 254}

// find returns the finding of a state.
func (p *findings[S]) find(s S, left, most int) finding[S] {
	for i := range p {
		if p[i].state == s && p[i].left > 0 {
			return p[i]
		}
	}
	return finding[S]{state: s, low: int8(-most), high: int8(most), left: int8(left), best: noMove}
}

// keep stores a finding, replacing the state's earlier one.
func (p *findings[S]) keep(f finding[S]) {
	if p[0].state != f.state && f.left < p[0].left {
		p[1] = f
		return
	}
	if p[0].state != f.state {
		p[1] = p[0]
	}
	p[0] = f
}

// checkLooked is how many states are looked at between two looks at the context: less
// than a hundredth of a second's work.
const checkLooked = 1 << 15

// worth returns the score of a state if it is between alpha and beta, else a bound on
// that side. After an error the result is undefined.
func (w *solver[S]) worth(s S, ply, alpha, beta int) int {
	if w.looked++; w.looked > checkLooked {
		w.looked = 0
		if w.ctx.Err() != nil {
			w.err = context.Cause(w.ctx)
		}
	}
	if w.err != nil {
		return 0
	}
	if score, ok := w.core.shallow(s, alpha, beta, &w.looked); ok {
		return score
	}
	place := &w.table[w.core.Hash(s)>>w.shift]
	known := place.find(s, w.core.left(s), w.core.most())
	switch low, high := int(known.low), int(known.high); {
	case low >= beta || low == high:
		return low
	case high <= alpha:
		return high
	default:
		alpha, beta = max(alpha, low), min(beta, high)
	}
	list := w.ordered(s, ply, known.best)
	if len(list) == 0 {
		return w.core.score(s)
	}
	score, move := w.best(list, ply, alpha, beta)
	if w.err != nil {
		return 0
	}
	known.best = move
	if score < beta {
		known.high = int8(score)
	}
	if score > alpha {
		known.low = int8(score)
	}
	place.keep(known)
	return score
}

// best returns the score of the best of some followers, as worth does, and the move: the
// first with its whole window, the others with one that only shows whether they are
// better, and with the rest of it where they are.
func (w *solver[S]) best(list []follower[S], ply, alpha, beta int) (score int, move game.Move) {
	score = -math.MaxInt
	for i := range list {
		f := &list[i]
		least := max(alpha, score)
		var s int
		if i == 0 {
			s = -w.worth(f.state, ply+1, -beta, -least)
		} else if s = -w.worth(f.state, ply+1, -least-1, -least); least < s && s < beta {
			s = -w.worth(f.state, ply+1, -beta, -s)
		}
		if s > score {
			score, move = s, f.move
		}
		if score >= beta || w.err != nil {
			break
		}
	}
	return score, move
}

// ordered returns the followers of a state, that after a given move first and the others
// by their rank, in the memory shared by all states at that ply.
func (w *solver[S]) ordered(s S, ply int, first game.Move) []follower[S] {
	if ply == len(w.lists) {
		w.lists = append(w.lists, nil)
	}
	list := w.core.follow(w.lists[ply][:0], s)
	w.lists[ply] = list
	for i := range list {
		if list[i].move == first {
			list[i].rank = -math.MaxInt
		}
	}
	slices.SortStableFunc(list, func(a, b follower[S]) int { return cmp.Compare(a.rank, b.rank) })
	return list
}
