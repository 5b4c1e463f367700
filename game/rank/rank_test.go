package rank

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/game/custom"
)

// cycle returns the maps of a ring of points: turned, and mirrored.
func cycle(points int) (maps []custom.Map[uint64]) {
	for i := range 2 * points {
		maps = append(maps, custom.NewMap[uint64](points, func(p int) int { return (i/2 + p*(1-2*(i%2)) + points) % points }))
	}
	return maps
}

var boards = map[string]struct {
	points int
	maps   []custom.Map[uint64]
}{
	"square":       {9, custom.SquareMaps[uint64](3)},
	"two bytes":    {12, cycle(12)},
	"ring":         {11, cycle(11)},
	"no symmetry":  {10, custom.SquareMaps[uint64](4)[:1]},
	"one mirrored": {8, []custom.Map[uint64]{cycle(8)[1], cycle(8)[0]}}, // the identity is not the first
}

// tuples calls do with all tuples of sets of so many points.
func tuples(points int, taken uint64, sets []uint64, counts []int, do func([]uint64)) {
	if len(counts) == 0 {
		do(sets)
		return
	}
	for set := range uint64(1) << points {
		if set&taken == 0 && bits.OnesCount64(set) == counts[0] {
			tuples(points, taken|set, append(sets, set), counts[1:], do)
		}
	}
}

// Tuples have the same rank if and only if they are images of one another, each rank is that of
// the tuple that Unrank returns, and as many symmetries keep it as Rank says.
func TestSets(t *testing.T) {
	for name, board := range boards {
		b := NewBoard(board.points, 4, board.maps)
		for _, counts := range [][]int{{1, 1}, {2}, {0, 3}, {3, 0}, {2, 3}, {4, 1}, {1, 1, 1}, {2, 1, 1}, {0}} {
			t.Run(fmt.Sprint(name, counts), func(t *testing.T) {
				s := b.Sets(counts...)
				var first First[uint64]
				orbits := map[uint64]string{} // the least image of what has a rank, by definition
				tuples(board.points, 0, nil, counts, func(sets []uint64) {
					least, keep := slices.Clone(sets), 0
					for _, m := range board.maps {
						image := make([]uint64, len(sets))
						for i := range sets {
							image[i] = m.Apply(sets[i])
						}
						if slices.Equal(image, sets) {
							keep++
						}
						if slices.Compare(image, least) < 0 {
							least = image
						}
					}
					i, syms := s.Rank(sets...)
					if next, same := s.Next(&first, sets...); next != i || same != syms {
						t.Fatalf("%b has the rank %d and %d symmetries, after another tuple %d and %d", sets, i, syms, next, same)
					}
					if before, ok := orbits[i]; ok && before != fmt.Sprint(least) {
						t.Fatalf("%b has the rank %d of %s", sets, i, before)
					}
					orbits[i] = fmt.Sprint(least)
					if i >= s.Size() || syms != keep {
						t.Fatalf("%b has the rank %d of %d, and %d symmetries keep it; want %d", sets, i, s.Size(), syms, keep)
					}
				})
				different, sets := map[string]bool{}, make([]uint64, len(counts))
				for _, least := range orbits {
					different[least] = true
				}
				ranks := 0
				for i := range s.Size() + 2 {
					ok := s.Unrank(sets, i)
					if _, want := orbits[i]; ok != want {
						t.Fatalf("there is a tuple with the rank %d: %v, want %v", i, ok, want)
					}
					if !ok {
						continue
					}
					if own, _ := s.Rank(sets...); own != i {
						t.Fatalf("the rank %d is that of %b, whose rank is %d", i, sets, own)
					}
					ranks++
				}
				if ranks != len(different) {
					t.Errorf("%d ranks of %d orbits", ranks, len(different))
				}
			})
		}
	}
}

// Units of two sides have the ranks of their pairs, one after another.
func TestSides(t *testing.T) {
	board := boards["square"]
	b := NewBoard(board.points, 3, board.maps)
	units := [][][2]int{{{2, 2}}, {{2, 3}, {3, 2}}, {{0, 0}, {0, 1}, {3, 3}}}
	sides := NewSides(b, units)
	for unit, pairs := range units {
		i := uint64(0)
		for _, men := range pairs {
			sets, pair := make([]uint64, 2), b.Sets(men[0], men[1])
			for j := range pair.Size() {
				want := pair.Unrank(sets, j)
				mine, theirs, ok := sides.Unrank(unit, i)
				if ok != want || mine != sets[0] || theirs != sets[1] {
					t.Fatalf("unit %d, rank %d: %b, %b, %v; want %b, %v", unit, i, mine, theirs, ok, sets, want)
				}
				_, keep := pair.Rank(sets...)
				if own, syms := sides.Rank(unit, mine, theirs); ok && (own != i || syms != keep) {
					t.Fatalf("unit %d, rank %d: its rank is %d, and %d symmetries keep it, want %d", unit, i, own, syms, keep)
				}
				i++
			}
		}
		if sides.Size(unit) != i {
			t.Errorf("unit %d has %d ranks, want %d", unit, sides.Size(unit), i)
		}
	}
}

// Ranking allocates nothing.
func TestAllocations(t *testing.T) {
	b := NewBoard(12, 4, boards["two bytes"].maps)
	s := b.Sets(4, 3, 1)
	var sets [3]uint64
	i := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		s.Unrank(sets[:], i%s.Size())
		s.Rank(sets[:]...)
		i += 12345
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRank(b *testing.B) {
	maps := make([]custom.Map[uint32], 16)
	for i := range maps { // as of Nine Men's Morris
		maps[i] = custom.NewMap[uint32](24, func(p int) int { return (p*(1-2*(i&1))+i/4*2)&7 | (p&^7+i&2*(8-p&^7))%24 })
	}
	s := NewBoard(24, 9, maps).Sets(8, 7)
	states := make([][2]uint32, 1<<12)
	for j := range states {
		for !s.Unrank(states[j][:], rand.Uint64N(s.Size())) {
		}
	}
	b.Run("rank", func(b *testing.B) {
		for j := 0; b.Loop(); j++ {
			s.Rank(states[j%len(states)][:]...)
		}
	})
	b.Run("unrank", func(b *testing.B) {
		var sets [2]uint32
		for j := uint64(0); b.Loop(); j++ {
			s.Unrank(sets[:], j%s.Size())
		}
	})
}
