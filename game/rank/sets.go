// Package rank numbers positions from 0 up to a size, as custom.Dense asks: a solver that
// knows positions by such ranks stores no keys. Images of a position under the symmetries of
// its board share a rank. Some ranks may have no position; Unrank tells which.
//
// Nothing here allocates once the tables are there, and all is safe for concurrent use.
package rank

import (
	"math/bits"
	"sync"

	"backsolve/game/custom"
)

// Board has the points of a board and tables of the sets of them. Sets of k points take some
// 8 bytes each for tables, made when Sets first asks for this k.
type Board[M custom.Mask] struct {
	points, most int
	all          M
	maps         []custom.Map[M]
	ways         [][]uint32 // to choose up to most points out of fewer than there are
	sized        []sized[M]
}

// sized are the sets with one number of points, in ascending order, which numbers them.
type sized[M custom.Mask] struct {
	once   sync.Once
	sets   []M
	least  []M      // the least set of each orbit
	kept   []bool   // whether a map besides the identity keeps it
	orbits []uint32 // of each set: its orbit, a map to the least set of it, and whether a map keeps it
}

const (
	keptBit, mapShift, orbitShift = 1, 1, 7
	maxMaps                       = 64
	noOrbit                       = ^uint32(0)
)

// NewBoard returns a board with a number of points, which M must hold, for sets of at most most
// points. The maps are the symmetries, at most 64: a group, the identity in it.
func NewBoard[M custom.Mask](points, most int, maps []custom.Map[M]) *Board[M] {
	b := &Board[M]{points: points, most: most, all: M(1)<<points - 1, maps: maps, sized: make([]sized[M], most+1)}
	for n := range points {
		var ways []uint32
		for k := range most + 1 {
			ways = append(ways, uint32(Choose(n, k)))
		}
		b.ways = append(b.ways, ways)
	}
	return b
}

func (b *Board[M]) withPoints(k int) *sized[M] {
	s := &b.sized[k]
	s.once.Do(func() {
		s.sets = make([]M, Choose(b.points, k))
		s.orbits = make([]uint32, len(s.sets))
		set := M(1)<<k - 1
		for i := range s.sets {
			s.sets[i], s.orbits[i] = set, noOrbit
			if set != 0 { // the next set with as many points
				lowest := set & -set
				carried := set + lowest
				set = carried | (carried^set)>>2>>bits.TrailingZeros64(uint64(lowest))
			}
		}
		for i, set := range s.sets {
			if s.orbits[i] == noOrbit {
				b.orbit(s, set)
			}
		}
	})
	return s
}

// orbit numbers the orbit of its least set.
func (b *Board[M]) orbit(s *sized[M], least M) {
	entry, keep := uint32(len(s.least)<<orbitShift), 0
	for _, m := range b.maps {
		if m.Apply(least) == least {
			keep++
		}
	}
	if keep > 1 {
		entry |= keptBit
	}
	for _, m := range b.maps {
		image, back := m.Apply(least), 0
		for b.maps[back].Apply(image) != least {
			back++
		}
		s.orbits[b.number(image, b.all)] = entry | uint32(back<<mapShift)
	}
	s.least, s.kept = append(s.least, least), append(s.kept, keep > 1)
}

// number returns the number of a set of free points among those with as many points.
func (b *Board[M]) number(set, free M) (n uint32) {
	for k := 1; set != 0; set &= set - 1 {
		below := free & (set&-set - 1)
		n += b.ways[bits.OnesCount64(uint64(below))][k]
		k++
	}
	return n
}

// Sets numbers tuples of sets of points that do not meet, each with a number of points of its
// own: the men of each kind. Tuples that are images of one another share a rank.
type Sets[M custom.Mask] struct {
	board *Board[M]
	first *sized[M]
	rest  []*sized[M]
	ways  []uint64 // to choose each set of the rest among the points that those before it leave
	all   uint64   // the product of ways
}

// Sets returns the numbers of tuples whose sets have counts points. There must be less than 2^25
// orbits of the first set, and less than 2^64 ranks.
func (b *Board[M]) Sets(counts ...int) *Sets[M] {
	s := &Sets[M]{board: b, first: b.withPoints(counts[0]), all: 1}
	free := b.points - counts[0]
	for _, k := range counts[1:] {
		s.rest, s.ways = append(s.rest, b.withPoints(k)), append(s.ways, Choose(free, k))
		s.all *= Choose(free, k)
		free -= k
	}
	return s
}

// Size returns the number of ranks.
func (s *Sets[M]) Size() uint64 { return uint64(len(s.first.least)) * s.all }

// Rank returns the rank of a tuple, and how many symmetries keep all its sets. That is the
// least rank of an image that has the least image of the first set.
func (s *Sets[M]) Rank(sets ...M) (i uint64, syms int) {
	entry := s.first.orbits[s.board.number(sets[0], s.board.all)]
	orbit, to := entry>>orbitShift, entry>>mapShift%maxMaps
	least := s.board.maps[to].Apply(sets[0]) // faster than to look it up
	i, syms = s.others(least, sets[1:], to), 1
	if entry&keptBit != 0 {
		syms = 0
		for m := range s.board.maps {
			if s.board.maps[m].Apply(sets[0]) != least {
				continue
			}
			switch other := s.others(least, sets[1:], uint32(m)); {
			case other < i:
				i, syms = other, 1
			case other == i:
				syms++
			}
		}
	}
	return uint64(orbit)*s.all + i, syms
}

// others returns the number of the images of the sets after the first under a map.
func (s *Sets[M]) others(taken M, sets []M, m uint32) (i uint64) {
	for j, set := range sets {
		set = s.board.maps[m].Apply(set)
		i = i*s.ways[j] + uint64(s.board.number(set, s.board.all&^taken))
		taken |= set
	}
	return i
}

// Unrank sets the tuple with a rank, and returns whether there is one.
func (s *Sets[M]) Unrank(sets []M, i uint64) bool {
	if i >= s.Size() {
		return false
	}
	orbit, others := i/s.all, i%s.all
	for j := len(s.ways) - 1; j >= 0; j-- {
		sets[j+1] = s.rest[j].sets[others%s.ways[j]]
		others /= s.ways[j]
	}
	taken := s.first.least[orbit]
	sets[0] = taken
	for j, set := range sets[1:] {
		sets[j+1] = spread(set, taken)
		taken |= sets[j+1]
	}
	if !s.first.kept[orbit] {
		return true
	}
	own, _ := s.Rank(sets...)
	return own == i
}

// spread returns a set of points after each point taken is put between them.
func spread[M custom.Mask](set, taken M) M {
	for ; taken != 0; taken &= taken - 1 {
		below := taken&-taken - 1
		set = set&below | set&^below<<1
	}
	return set
}

// Choose returns the number of sets of k out of n points.
func Choose(n, k int) uint64 {
	ways := uint64(1)
	for i := range k {
		ways = ways * uint64(n-i) / uint64(i+1)
	}
	return ways
}
