package custom_test

import (
	"fmt"
	"math/rand/v2"

	"backsolve/game"
)

// lots is a random game with ranks and symmetries: a cyclic group of turns, so that a position
// has from 1 to that number of images.
type lots struct {
	turns, units int
	orbits       []orbit
	unmoves      map[image][]image
	ranks        [][]int // of each unit, the orbits by rank, −1 where there is none
	start        image
}

// image is a position: an orbit, and which of its images.
type image struct{ Orbit, Turned int }

// orbit has what its images share.
type orbit struct {
	images     int
	unit, rank int
	over       bool
	outcome    game.Outcome
	moves      []image // of the image that is not turned
}

// newLots draws a game.
func newLots(r *rand.Rand, units, orbits int) *lots {
	g := &lots{turns: []int{1, 2, 3, 4, 5, 6, 9}[r.IntN(7)], units: units, orbits: make([]orbit, orbits), unmoves: map[image][]image{}, ranks: make([][]int, units)}
	near := r.IntN(2) == 0 // games are long, and values of lower units come late
	for i := range g.orbits {
		o := &g.orbits[i]
		o.images = g.divisor(r)
		o.unit = units - 1 - i*units/orbits
		if o.over = i == orbits-1 || r.IntN(12) == 0; o.over {
			o.outcome = game.Outcome(r.IntN(3))
		}
		for r.IntN(4) == 0 {
			g.ranks[o.unit] = append(g.ranks[o.unit], -1)
		}
		o.rank = len(g.ranks[o.unit])
		g.ranks[o.unit] = append(g.ranks[o.unit], i)
	}
	for i := range g.orbits {
		g.draw(r, i, near)
	}
	for g.orbits[g.start.Orbit].over {
		g.start.Orbit++
	}
	return g
}

// divisor draws a number of images.
func (g *lots) divisor(r *rand.Rand) int {
	for {
		if n := 1 + r.IntN(g.turns); g.turns%n == 0 {
			return n
		}
	}
}

// draw draws the moves of an orbit. What keeps a position keeps its moves.
func (g *lots) draw(r *rand.Rand, i int, near bool) {
	o := &g.orbits[i]
	for n := 1 + r.IntN(4); !o.over && n > 0; n-- {
		to := r.IntN(len(g.orbits))
		if near {
			to = min(max(i+r.IntN(14)-2, 0), len(g.orbits)-1)
		}
		if g.orbits[to].unit > o.unit {
			to = len(g.orbits) - 1
		}
		turned, met := r.IntN(g.orbits[to].images), map[int]bool{}
		for ; !met[turned]; turned = (turned + o.images) % g.orbits[to].images {
			met[turned] = true
			o.moves = append(o.moves, image{to, turned})
		}
	}
	for turned := range o.images {
		from := image{i, turned}
		for _, to := range g.Moves(nil, from) {
			if g.orbits[to.Orbit].unit == o.unit {
				g.unmoves[to] = append(g.unmoves[to], from)
			}
		}
	}
}

func (g *lots) Name() string { return "orbits" }

func (g *lots) Start() image { return g.start }

func (g *lots) Terminal(s image) (game.Outcome, bool) {
	return g.orbits[s.Orbit].outcome, g.orbits[s.Orbit].over
}

func (g *lots) Moves(dst []image, s image) []image {
	for _, to := range g.orbits[s.Orbit].moves {
		dst = append(dst, image{to.Orbit, (to.Turned + s.Turned) % g.orbits[to.Orbit].images})
	}
	return dst
}

func (g *lots) Key(s image) uint64 { return uint64(s.Orbit) }

func (g *lots) FromKey(key uint64) image { return image{int(key), 0} }

func (g *lots) Format(s image) string { return fmt.Sprintf("%d-%d", s.Orbit, s.Turned) }

func (g *lots) Parse(text string) (s image, err error) {
	_, err = fmt.Sscanf(text, "%d-%d", &s.Orbit, &s.Turned)
	return s, err
}

func (g *lots) Units() int { return g.units }

func (g *lots) Size(unit int) uint64 { return uint64(len(g.ranks[unit])) }

func (g *lots) Stays(int) bool { return true }

func (g *lots) Home(s image) int { return g.orbits[s.Orbit].unit }

func (g *lots) Rank(s image) (rank uint64, symmetries int) {
	o := &g.orbits[s.Orbit]
	return uint64(o.rank), g.turns / o.images
}

func (g *lots) Unrank(unit int, rank uint64) (s image, ok bool) {
	o := g.ranks[unit][rank]
	return image{max(o, 0), 0}, o >= 0
}

func (g *lots) Unmoves(dst []image, s image) []image { return append(dst, g.unmoves[s]...) }
