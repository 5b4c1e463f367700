// Package rank numbers positions from 0 up to a size, as custom.Dense asks: a solver that
// knows positions by such ranks stores no keys. Images of a position under the symmetries of
// its board share a rank. Some ranks may have no position; Unrank tells which.
//
// Nothing here allocates once the tables are there, and all is safe for concurrent use.
package rank

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"backsolve/game/custom"
)

// Board has the points of a board and tables of the sets of them. Sets of k points take some
// 8 bytes each for tables, made when Sets first asks for this k.
type Board[M custom.Mask] struct {
	points, most int
	maps         []custom.Map[M]
	// numbers has what 8 points add to the number of a set, for each place of the 8 and number of points
	// of the set before them.
	numbers  [][256]uint32
	gathered *[256][256]uint8
	sized    []sized[M]
}

// sized are the sets with one number of points, in ascending order, which numbers them.
type sized[M custom.Mask] struct {
	once    sync.Once
	sets    []M
	least   []M      // the least set of each orbit
	keepers []uint16 // the place in groups of the maps that keep it
	orbits  []uint32 // of each set: its orbit, a map to the least set of it, and whether a map keeps it
	groups  []group
}

// group is a group of maps that keep some set, and, for a map from an image to the set, all such maps.
type group struct {
	maps uint64
	to   [maxMaps]uint64
}

const (
	keptBit, mapShift, orbitShift = 1, 1, 7
	maxMaps                       = 64
	noOrbit                       = ^uint32(0)
)

// gathered has each octet without the bits of a mask, by the mask.
var gathered = sync.OnceValue(func() *[256][256]uint8 {
	g := new([256][256]uint8)
	for mask := range g {
		for octet := 1; octet < 256; octet++ {
			high := bits.Len8(uint8(octet)) - 1
			below := bits.OnesCount(uint(^mask & (1<<high - 1)))
			g[mask][octet] = g[mask][octet&^(1<<high)] | uint8(custom.Bit(mask>>high&1 == 0, below))
		}
	}
	return g
})

// NewBoard returns a board with a number of points, which M must hold, for sets of at most most
// points. The maps are the symmetries, at most 64: a group, the identity in it.
func NewBoard[M custom.Mask](points, most int, maps []custom.Map[M]) *Board[M] {
	b := &Board[M]{points: points, most: most, maps: maps, gathered: gathered(), sized: make([]sized[M], most+1)}
	b.numbers = make([][256]uint32, (points+7)/8*(most+1))
	for i := range b.numbers {
		for octet := 1; octet < 256; octet++ {
			high := bits.Len8(uint8(octet)) - 1
			ways := Choose(i/(most+1)*8+high, i%(most+1)+bits.OnesCount8(uint8(octet)))
			b.numbers[i][octet] = b.numbers[i][octet&^(1<<high)] + uint32(ways)
		}
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
	entry, keepers := uint32(len(s.least)<<orbitShift), b.leading(least, least)
	if keepers&(keepers-1) != 0 {
		entry |= keptBit
	}
	at := slices.IndexFunc(s.groups, func(g group) bool { return g.maps == keepers })
	if at < 0 {
		at, s.groups = len(s.groups), append(s.groups, group{maps: keepers})
	}
	for _, m := range b.maps {
		image := m.Apply(least)
		n := b.number(uint64(image))
		if s.orbits[n] != noOrbit {
			continue
		}
		all := b.leading(image, least)
		to := bits.TrailingZeros64(all)
		s.groups[at].to[to] = all
		s.orbits[n] = entry | uint32(to<<mapShift)
	}
	s.least, s.keepers = append(s.least, least), append(s.keepers, uint16(at))
}

// leading returns the maps that lead from a set to an image.
func (b *Board[M]) leading(set, image M) (maps uint64) {
	for i, m := range b.maps {
		maps |= custom.Bit(m.Apply(set) == image, i)
	}
	return maps
}

// number returns the number of a set among those with as many points.
func (b *Board[M]) number(set uint64) (n uint32) {
	for at := 0; set != 0; set >>= 8 {
		n += b.numbers[at][uint8(set)]
		at += b.most + 1 + bits.OnesCount64(set&0xff)
	}
	return n
}

// gather returns a set of points after those that are taken are left out between them.
func (b *Board[M]) gather(set, taken uint64) (narrow uint64) {
	for bit := 0; set != 0; set >>= 8 {
		narrow |= uint64(b.gathered[uint8(taken)][uint8(set)]) << (bit & 63)
		bit += 8 - bits.OnesCount64(taken&0xff)
		taken >>= 8
	}
	return narrow
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

// First is what is known of the first set of a tuple.
type First[M custom.Mask] struct {
	set, least M
	orbit      uint64
	maps       uint64 // that lead to the least set of the orbit
}

// Rank returns the rank of a tuple, and how many symmetries keep all its sets. That is the
// least rank of an image that has the least image of the first set.
func (s *Sets[M]) Rank(sets ...M) (i uint64, syms int) { return s.Next(new(First[M]), sets...) }

// Next is Rank for one of several tuples of equally many points, which is faster if its first set is
// that of the last one. The first of these has the zero First.
func (s *Sets[M]) Next(f *First[M], sets ...M) (i uint64, syms int) {
	if f.set != sets[0] || f.maps == 0 {
		s.find(f, sets[0])
	}
	m, syms := s.board.maps[bits.TrailingZeros64(f.maps)], 1
	for maps := f.maps & (f.maps - 1); maps != 0; maps &= maps - 1 {
		switch other := s.board.maps[bits.TrailingZeros64(maps)]; compare(other, m, sets[1:]) {
		case -1:
			m, syms = other, 1
		case 0:
			syms++
		}
	}
	taken := f.least
	for j, set := range sets[1:] {
		set = m.Apply(set)
		i = i*s.ways[j] + uint64(s.board.number(s.board.gather(uint64(set), uint64(taken))))
		taken |= set
	}
	return f.orbit*s.all + i, syms
}

// compare compares the images of sets under two maps, whose numbers are in the same order.
func compare[M custom.Mask](m, n custom.Map[M], sets []M) int {
	for _, set := range sets {
		if c := cmp.Compare(m.Apply(set), n.Apply(set)); c != 0 {
			return c
		}
	}
	return 0
}

func (s *Sets[M]) find(f *First[M], set M) {
	entry := s.first.orbits[s.board.number(uint64(set))]
	orbit, to := entry>>orbitShift, entry>>mapShift%maxMaps
	f.set, f.orbit, f.maps = set, uint64(orbit), 1<<to
	f.least = s.board.maps[to].Apply(set) // faster than to look it up
	if entry&keptBit != 0 {
		f.maps = s.first.groups[s.first.keepers[orbit]].to[to]
	}
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
	if maps := s.first.groups[s.first.keepers[orbit]].maps; maps&(maps-1) == 0 {
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
