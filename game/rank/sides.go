package rank

import (
	"math/bits"
	"slices"
	"sort"

	"backsolve/game/custom"
)

// Sides numbers positions of two sides that differ in the number of their men. A unit has the
// positions with some pairs of numbers, those with 4 men against 3 and 3 against 4, say.
type Sides[M custom.Mask] struct {
	units []unit[M]
	most  int
}

// unit has the positions of some pairs of numbers of men, one pair after the other.
type unit[M custom.Mask] struct {
	pairs []pair[M]
	at    []uint8 // the place of a pair in pairs, by its numbers
	size  uint64
}

type pair[M custom.Mask] struct {
	sets  *Sets[M]
	begin uint64 // the first rank
}

const noPair = 1<<8 - 1 // the place of a pair that a unit does not have: Rank panics

// NewSides returns the numbers of positions on a board whose units have the pairs of numbers
// given, in order: of men of the player to move, and of the other one.
func NewSides[M custom.Mask](b *Board[M], units [][][2]int) *Sides[M] {
	s := &Sides[M]{most: b.most}
	for _, counts := range units {
		u := unit[M]{at: make([]uint8, (b.most+1)*(b.most+1))}
		for i := range u.at {
			mine, theirs := i/(b.most+1), i%(b.most+1)
			if !slices.Contains(counts, [2]int{mine, theirs}) {
				u.at[i] = noPair
				continue
			}
			sets := b.Sets(mine, theirs)
			u.at[i], u.pairs = uint8(len(u.pairs)), append(u.pairs, pair[M]{sets, u.size})
			u.size += sets.Size()
		}
		s.units = append(s.units, u)
	}
	return s
}

// Size returns the number of ranks in a unit.
func (s *Sides[M]) Size(unit int) uint64 { return s.units[unit].size }

// Rank returns the rank of a position within a unit that has its numbers of men, and how many
// symmetries keep it.
func (s *Sides[M]) Rank(unit int, mine, theirs M) (i uint64, syms int) {
	return s.Next(new(First[M]), unit, mine, theirs)
}

// Next is Rank for one of several positions, which is faster if the player to move has the men of the
// last one. The first of these has the zero First.
func (s *Sides[M]) Next(f *First[M], unit int, mine, theirs M) (i uint64, syms int) {
	u := &s.units[unit]
	p := &u.pairs[u.at[bits.OnesCount64(uint64(mine))*(s.most+1)+bits.OnesCount64(uint64(theirs))]]
	i, syms = p.sets.Next(f, mine, theirs)
	return p.begin + i, syms
}

// Unrank returns the position with a rank within a unit, and whether there is one.
func (s *Sides[M]) Unrank(unit int, i uint64) (mine, theirs M, ok bool) {
	u := &s.units[unit]
	if i >= u.size {
		return 0, 0, false
	}
	p := &u.pairs[sort.Search(len(u.pairs), func(j int) bool { return u.pairs[j].begin > i })-1]
	var sets [2]M
	ok = p.sets.Unrank(sets[:], i-p.begin)
	return sets[0], sets[1], ok
}
