package minimax

import "backsolve/game"

type child[S comparable] struct {
	state   S
	move    game.Move
	over    bool
	outcome game.Outcome // for the player to move in state, if it is over
	rank    int64        // the greatest is searched first
}

type list[S comparable] []child[S]

// expand uses the memory of all states at that distance from the root.
func (s *searcher[S]) expand(state S, ply int) list[S] {
	s.moves = s.core.Moves(s.moves[:0], state)
	children := s.lists[ply][:0]
	for _, m := range s.moves {
		c := child[S]{state: s.core.Play(state, m), move: m}
		c.outcome, c.over = s.core.Terminal(c.state)
		children = append(children, c)
	}
	s.lists[ply] = children
	return children
}

// rankEnd puts a child first or, negated, last; rankKnown second.
const (
	rankEnd   = 1 << 40
	rankKnown = 1 << 39
)

// rank puts wins at once first, then the move from the table, others by history, losses last.
func (s *searcher[S]) rank(children list[S], known entry[S]) {
	for i := range children {
		c := &children[i]
		switch {
		case c.over && c.outcome == game.Lose:
			c.rank = rankEnd
		case c.over && c.outcome == game.Win:
			c.rank = -rankEnd
		case known.bound != none && c.move == known.move:
			c.rank = rankKnown
		default:
			c.rank = s.history[c.move.From&63][c.move.To&63]
		}
	}
}

// bringBest swaps the child of greatest rank among those from i on into place i.
func (l list[S]) bringBest(i int) {
	best := i
	for k := i + 1; k < len(l); k++ {
		if l[k].rank > l[best].rank {
			best = k
		}
	}
	l[i], l[best] = l[best], l[i]
}

// history counts how often a move ended the search of a state, deep searches more. Moves with the
// same lower six bits share a count, which affects the order but not the result.
type history [64][64]int64

func (h *history) fade() {
	for i := range h {
		for k := range h[i] {
			h[i][k] /= 2
		}
	}
}
