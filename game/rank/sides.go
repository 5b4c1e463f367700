package rank

import (
	"math/bits"
	"sort"

	"backsolve/game/custom"
)

// Sides numbers positions of two sides that differ in the number of their men. A unit has the
// positions with some pairs of numbers, those with 4 men against 3 and 3 against 4, say.
type Sides[M custom.Mask] struct {
	units [][]pair[M] // by the numbers of men
	most  int
}

// pair has the positions of a unit with one pair of numbers. Where there are none, its ranks
// begin where the next ones do.
type pair[M custom.Mask] struct {
	sets  *Sets[M]
	begin uint64
}

// NewSides returns the numbers of positions on a board whose units have the pairs of numbers
// given, in order: of men of the player to move, and of the other one.
func NewSides[M custom.Mask](b *Board[M], units [][][2]int) *Sides[M] {
	s := &Sides[M]{most: b.most}
	for _, counts := range units {
		pairs := make([]pair[M], (b.most+1)*(b.most+1)+1)
		for _, men := range counts {
			pairs[men[0]*(b.most+1)+men[1]].sets = b.Sets(men[0], men[1])
		}
		for i := range pairs[1:] {
			if pairs[i+1].begin = pairs[i].begin; pairs[i].sets != nil {
				pairs[i+1].begin += pairs[i].sets.Size()
			}
		}
		s.units = append(s.units, pairs)
	}
	return s
}

// Size returns the number of ranks in a unit.
func (s *Sides[M]) Size(unit int) uint64 { return s.units[unit][len(s.units[unit])-1].begin }

// Rank returns the rank of a position within a unit that has its numbers of men, and how many
// symmetries keep it.
func (s *Sides[M]) Rank(unit int, mine, theirs M) (i uint64, syms int) {
	p := &s.units[unit][bits.OnesCount64(uint64(mine))*(s.most+1)+bits.OnesCount64(uint64(theirs))]
	i, syms = p.sets.Rank(mine, theirs)
	return p.begin + i, syms
}

// Unrank returns the position with a rank within a unit, and whether there is one.
func (s *Sides[M]) Unrank(unit int, i uint64) (mine, theirs M, ok bool) {
	pairs := s.units[unit]
	if i >= s.Size(unit) {
		return 0, 0, false
	}
	p := &pairs[sort.Search(len(pairs), func(j int) bool { return pairs[j].begin > i })-1]
	var sets [2]M
	ok = p.sets.Unrank(sets[:], i-p.begin)
	return sets[0], sets[1], ok
}
