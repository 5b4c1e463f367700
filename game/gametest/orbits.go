package gametest

import (
	"fmt"
	"math/rand/v2"

	"backsolve/game"
)

// Orbits is a game drawn by lot that has ranks and symmetries: a cyclic group of some number of
// turns, so that positions have 1 to this number of images. See custom.Game and custom.Dense.
type Orbits struct {
	turns, units int
	orbits       []orbit
	unmoves      map[Image][]Image
	ranks        [][]int // of each unit, the orbits by rank, −1 where there is none
	start        Image
}

// Image is a position: an orbit, and which of its images.
type Image struct{ Orbit, Turned int }

// orbit is what its images share.
type orbit struct {
	images     int
	unit, rank int // the unit −1 has no ranks
	over       bool
	outcome    game.Outcome
	moves      []Image // of the image that is not turned
}

// NewOrbits draws a game.
func NewOrbits(r *rand.Rand, units, orbits int) *Orbits {
	g := &Orbits{turns: []int{1, 2, 3, 4, 5, 6, 9}[r.IntN(7)], units: units, orbits: make([]orbit, orbits), unmoves: map[Image][]Image{}, ranks: make([][]int, units)}
	near := r.IntN(2) == 0 // games are long, and values of lower units come late
	for i := range g.orbits {
		o := &g.orbits[i]
		o.images = g.divisor(r)
		o.unit = units - 1 - i*units/orbits
		if o.over = i == orbits-1 || r.IntN(12) == 0; o.over {
			o.outcome = game.Outcome(r.IntN(3))
			if r.IntN(2) == 0 {
				o.unit = -1
			}
		}
		if o.unit < 0 {
			continue
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
func (g *Orbits) divisor(r *rand.Rand) int {
	for {
		if n := 1 + r.IntN(g.turns); g.turns%n == 0 {
			return n
		}
	}
}

// draw draws the moves of an orbit. What keeps a position keeps its moves.
func (g *Orbits) draw(r *rand.Rand, i int, near bool) {
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
			o.moves = append(o.moves, Image{to, turned})
		}
	}
	for turned := range o.images {
		from := Image{i, turned}
		for _, to := range g.Moves(nil, from) {
			if g.orbits[to.Orbit].unit == o.unit {
				g.unmoves[to] = append(g.unmoves[to], from)
			}
		}
	}
}

// Name returns orbits.
func (g *Orbits) Name() string { return "orbits" }

// Start returns a position of a high unit.
func (g *Orbits) Start() Image { return g.start }

// Terminal returns what was drawn.
func (g *Orbits) Terminal(s Image) (game.Outcome, bool) {
	return g.orbits[s.Orbit].outcome, g.orbits[s.Orbit].over
}

// Moves turns the moves of the image that is not turned. A move may be there twice.
func (g *Orbits) Moves(dst []Image, s Image) []Image {
	for _, to := range g.orbits[s.Orbit].moves {
		dst = append(dst, Image{to.Orbit, (to.Turned + s.Turned) % g.orbits[to.Orbit].images})
	}
	return dst
}

// Key returns the orbit.
func (g *Orbits) Key(s Image) uint64 { return uint64(s.Orbit) }

// FromKey returns the image that is not turned.
func (g *Orbits) FromKey(key uint64) Image { return Image{int(key), 0} }

// Format writes the orbit and how it is turned.
func (g *Orbits) Format(s Image) string { return fmt.Sprintf("%d-%d", s.Orbit, s.Turned) }

// Parse reads what Format writes.
func (g *Orbits) Parse(text string) (s Image, err error) {
	_, err = fmt.Sscanf(text, "%d-%d", &s.Orbit, &s.Turned)
	return s, err
}

// Units returns the number of units.
func (g *Orbits) Units() int { return g.units }

// Size returns the number of ranks of a unit.
func (g *Orbits) Size(unit int) uint64 { return uint64(len(g.ranks[unit])) }

// Stays returns true.
func (g *Orbits) Stays(int) bool { return true }

// Home returns the unit.
func (g *Orbits) Home(s Image) int { return g.orbits[s.Orbit].unit }

// Rank returns the rank of the orbit, and how many turns keep s.
func (g *Orbits) Rank(s Image) (rank uint64, symmetries int) {
	o := &g.orbits[s.Orbit]
	return uint64(o.rank), g.turns / o.images
}

// Unrank returns the image that is not turned.
func (g *Orbits) Unrank(unit int, rank uint64) (s Image, ok bool) {
	o := g.ranks[unit][rank]
	return Image{max(o, 0), 0}, o >= 0
}

// Unmoves returns what Moves leads from.
func (g *Orbits) Unmoves(dst []Image, s Image) []Image { return append(dst, g.unmoves[s]...) }
