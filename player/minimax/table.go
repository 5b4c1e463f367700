package minimax

import (
	"backsolve/game"
	"backsolve/search"
)

// bound says what the worth in an entry is.
type bound uint8

const (
	none  bound = iota // no entry
	exact              // the worth
	least              // the state is worth that or more
	most               // the state is worth that or less
)

// entry is what a search has found out about a state.
type entry[S comparable] struct {
	state S
	worth int16 // with the plies to the end counted from the state
	depth uint8 // of the search; proven where no other depth gives anything else
	bound bound
	move  game.Move // the best one, or one that is good enough
}

// proven is the depth of an entry that is true for any depth.
const proven = 255

// worthing returns the entry with a worth found so many plies from the root. A
// certain end is true for any depth. But one that is further away than the depth
// of the search comes from entries of deeper ones, and the winner may yet find a
// sooner one: it is a bound.
func (e entry[S]) worthing(worth, ply int) entry[S] {
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

// shift returns a worth as it is seen from so many plies further down.
func shift(worth, plies int) int {
	switch {
	case worth > surelyWon:
		return worth + plies
	case worth < surelyLost:
		return worth - plies
	}
	return worth
}

// settles returns the worth for a search so many plies from the root, and whether
// that need not look further.
func (e entry[S]) settles(depth, ply, alpha, beta int) (worth int, ok bool) {
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

// table remembers states, some in each of its places.
type table[S comparable] struct {
	core   search.Rules[S]
	places []place[S]
}

// place remembers two states: the one searched deepest and the last one.
type place[S comparable] [2]entry[S]

// tablePlaces is a power of two that makes some megabytes, which hold a second
// of search.
const tablePlaces = 1 << 16

func newTable[S comparable](core search.Rules[S]) table[S] {
	return table[S]{core, make([]place[S], tablePlaces)}
}

// place returns the place of a state.
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

// put enters what was found out about a state, in place of what was known of it
// before.
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
