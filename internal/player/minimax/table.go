package minimax

import (
	"backsolve/game"
	"backsolve/internal/search"
)

// bound is the kind of an entry's worth.
type bound uint8

const (
	none  bound = iota // no entry
	exact              // the worth
	least              // the state is worth that or more
	most               // the state is worth that or less
)

type entry[S comparable] struct {
	state S
	worth int16 // with the plies to the end counted from the state
	depth uint8 // of the search; proven if it holds for any depth
	bound bound
	move  game.Move // the best one, or one that is good enough
}

// proven is the depth of an entry that holds for any depth.
const proven = 255

// withWorth sets the worth. A forced end holds for any depth; one beyond the depth of the search
// comes from deeper entries, and a shorter win may exist: it is only a bound.
func (e entry[S]) withWorth(worth, ply int) entry[S] {
	away := win - max(worth, -worth) - ply
	switch {
	case worth > surelyWon && e.bound != most:
		if away > int(e.depth) {
			e.bound = least
		}
		e.depth = proven
	case worth < surelyLost && e.bound != least:
		if away > int(e.depth) {
			e.bound = most
		}
		e.depth = proven
	}
	e.worth = int16(shift(worth, ply))
	return e
}

// shift converts a worth to one seen from plies further down the tree.
func shift(worth, plies int) int {
	switch {
	case worth > surelyWon:
		return worth + plies
	case worth < surelyLost:
		return worth - plies
	}
	return worth
}

// cutoff returns the worth at ply, and whether it spares a search to depth within the window.
func (e entry[S]) cutoff(depth, ply, alpha, beta int) (worth int, ok bool) {
	worth = shift(int(e.worth), -ply)
	switch {
	case int(e.depth) < depth:
		return 0, false
	case e.bound == exact:
		return worth, true
	case e.bound == least:
		return worth, worth >= beta
	case e.bound == most:
		return worth, worth <= alpha
	}
	return 0, false
}

type table[S comparable] struct {
	core   search.Rules[S]
	places []place[S]
}

// place holds two states: the one searched deepest and the latest.
type place[S comparable] [2]entry[S]

// tablePlaces is a power of two. It makes some megabytes, which hold a second of search.
const tablePlaces = 1 << 16

func newTable[S comparable](core search.Rules[S]) table[S] {
	return table[S]{core, make([]place[S], tablePlaces)}
}

func (t *table[S]) place(s S) *place[S] {
	return &t.places[t.core.Hash(s)>>48%tablePlaces]
}

// find returns the entry of a state, and one of bound none where there is none.
func (p *place[S]) find(s S) entry[S] {
	for i := range p {
		if p[i].state == s {
			return p[i]
		}
	}
	return entry[S]{}
}

// put replaces what was known of a state.
func (p *place[S]) put(e entry[S]) {
	if p[0].state == e.state || e.depth >= p[0].depth {
		if p[0].state != e.state {
			p[1] = p[0]
		}
		p[0] = e
		return
	}
	p[1] = e
}
