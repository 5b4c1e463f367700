package survey

import (
	"context"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/game/rank"
	"backsolve/internal/bitslice"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// grid is the table of a board as a source. Its classes have blocks of 2^k states.
type grid struct{ table *probe.Table }

func (g grid) rules() game.Rules              { return game.Opaque(g.table.Rules()) }
func (g grid) start() game.State              { return g.table.Start() }
func (g grid) classes() []tablebase.ClassInfo { return g.table.Stored().Classes() }
func (g grid) symmetries() int                { return g.table.Space().Symmetries.Len() }

// class returns the number of marked cells of a class.
func (g grid) class(i int) int {
	_, records := g.table.Stored().Layout()
	return records[i].Class
}

func (g grid) value(s game.State) (probe.Value, error) { return g.table.Value(s.(game.Position)) }
func (g grid) place(s game.State) (any, error)         { return g.table.Place(s.(game.Position)) }

func (g grid) weight(index uint32) int      { return bits.OnesCount32(index) }
func (g grid) blockStates(class int) uint64 { return 1 << g.table.Space().IndexBits[g.class(class)] }

func (g grid) marked(class, weight int) int {
	mover, other := g.table.Space().Stones(g.class(class), weight)
	return mover + other
}

func (g grid) first(ctx context.Context, class int, f Filter) (string, error) {
	s, err := pick(ctx, g.table, class, f, 0, 0)
	if err != nil {
		return "", err
	}
	return g.rules().Format(s), nil
}

func (g grid) random(class, weight int, r *rand.Rand) (game.State, error) {
	space, number := g.table.Space(), g.class(class)
	if weight < 0 {
		return randomOf(space, number, r), nil
	}
	mask, index := randomMask(space.MaskBits, number, r), randomMask(space.IndexBits[number], weight, r)
	return space.Position(partition.State{Class: number, Mask: mask, Index: uint32(index)}), nil
}

func (g grid) nth(class, weight int, number uint64) (game.State, error) {
	space, marked := g.table.Space(), g.class(class)
	indexBits := space.IndexBits[marked]
	indices := rank.Choose(indexBits, weight)
	mask, index := nthMask(space.MaskBits, marked, number/indices), nthMask(indexBits, weight, number%indices)
	return space.Position(partition.State{Class: marked, Mask: mask, Index: uint32(index)}), nil
}

func (g grid) describe(s *Stats) error {
	shape := g.table.Stored().Shape()
	s.After, s.Opening, s.Archive, s.Stones = probe.CellNames(g.table.Info(), g.table.Space().Taken), g.table.Opening(), shape.Archive, byStones(g.table)
	if !shape.Nimbers {
		return nil
	}
	s.Nimbers = []NimberStats{}
	n, err := g.table.Nimber(g.table.Start())
	if value, known := n.Value(); known {
		s.Start.Nimber = &value
	}
	return err
}

func (g grid) scan(ctx context.Context, class, threads int, f func(r run) (more bool, err error)) error {
	return eachRun(ctx, g.table, class, threads, g.table.Stored().Planes, func(r *gridRun) (bool, error) { return f(r) })
}

type gridRun struct {
	table   *probe.Table
	class   tablebase.ClassInfo
	first   int      // block
	masks   []uint64 // of the blocks
	planes  tablebase.Planes
	other   tablebase.Planes // of another table
	scratch []uint64
	imaged  int // block, whose images are made by mapping
	mapping []int
}

// runWords of a plane are read at a time: 256 KiB, to stay in the cache. Tests make it small.
var runWords = 1 << 15

func eachRun(ctx context.Context, t *probe.Table, class, threads int,
	read func(i, firstBlock, blocks int, dst *tablebase.Planes) error, f func(r *gridRun) (more bool, err error)) error {
	c := t.Stored().Classes()[class]
	masks, err := t.Stored().Masks(class)
	if err != nil {
		return err
	}
	most := max(1, runWords/c.Words())
	return eachTask(ctx, threads, uint64((c.Blocks+most-1)/most), func(tasks iter.Seq[uint64]) error {
		r := gridRun{table: t, class: c}
		for n := range tasks {
			r.first = int(n) * most
			r.masks, r.mapping = masks[r.first:min(r.first+most, c.Blocks)], nil
			if err := read(class, r.first, len(r.masks), &r.planes); err != nil {
				return err
			}
			if more, err := f(&r); err != nil || !more {
				return err
			}
		}
		return nil
	})
}

func (r *gridRun) blocks() int { return len(r.masks) }

// times is the size of the orbit of a block's mask. A mask that cannot be a block's is
// damage. If none is, the ascending masks are complete, as their number is checked.
func (r *gridRun) times(block int) (uint64, error) {
	space, class, mask := r.table.Space(), r.class.Class, r.masks[block]
	if bits.Len64(mask) > space.MaskBits || bits.OnesCount64(mask) != class {
		return 0, r.table.File().Damaged("class %d has a block of the mask %#x, which is not one of %d marked cells", class, mask, class)
	}
	size := space.Symmetries.Orbit(mask)
	if size == 0 {
		return 0, r.table.File().Damaged("class %d has a block of the mask %#x, whose least image is another", class, mask)
	}
	return uint64(size), nil
}

func (r *gridRun) nth(block int, f Filter, n uint64) (index uint32, passed uint64, found bool) {
	words := r.class.Words()
	for w := range words {
		these := f.word(r, block*words+w)
		here := uint64(bits.OnesCount64(these))
		if n < passed+here {
			for ; passed < n; passed++ {
				these &= these - 1
			}
			return uint32(w*64 + bits.TrailingZeros64(these)), 0, true
		}
		passed += here
	}
	return 0, passed, false
}

func (r *gridRun) matching(block int, f Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		words := r.class.Words()
		for w := range words {
			for these := f.word(r, block*words+w); these != 0; these &= these - 1 {
				if !yield(uint32(w*64 + bits.TrailingZeros64(these))) {
					return
				}
			}
		}
	}
}

func (r *gridRun) value(block int, index uint32) probe.Value {
	return valueIn(r.table, &r.planes, r.class.Words(), block, index)
}

func (r *gridRun) images(block int, _ uint32) []int {
	if r.mapping != nil && r.imaged == block {
		return r.mapping
	}
	group := r.table.Space().Symmetries
	var seen []uint64
	r.imaged, r.mapping = block, nil
	for g := range group.Len() {
		if image := group.Image(g, r.masks[block]); !slices.Contains(seen, image) {
			seen = append(seen, image)
			r.mapping = append(r.mapping, g)
		}
	}
	return r.mapping
}

func (r *gridRun) state(block int, index uint32, symmetry int) (game.State, error) {
	space, mask := r.table.Space(), r.masks[block]
	p := space.Position(partition.State{Class: r.class.Class, Mask: mask, Index: index})
	return space.Position(space.Under(p, mask, symmetry)), nil
}

// valueIn takes the words of a slice. Nimbers take the place of steps; see deriver.
func valueIn(t *probe.Table, planes *tablebase.Planes, words, b int, index uint32) probe.Value {
	w, bit := b*words+int(index/64), index%64
	v := probe.Value{Outcome: game.Draw, Steps: -1}
	switch {
	case planes.Win[w]>>bit&1 == 1:
		v.Outcome = game.Win
	case planes.Lose == nil || planes.Lose[w]>>bit&1 == 1:
		v.Outcome = game.Lose
	}
	if v.Outcome != game.Draw && (t.HasSteps() || storesNimbers(t)) {
		v.Steps = bitslice.Numbers(planes.Steps).At(w, int(bit))
	}
	return v
}

func (r *gridRun) lost(w int) uint64 {
	if r.planes.Lose != nil {
		return r.planes.Lose[w]
	}
	return ^r.planes.Win[w] & bitslice.Valid(r.class.IndexBits)
}

// lostOf returns the lost states of words, which it works out where they are not stored.
func (r *gridRun) lostOf(first, end int) []uint64 {
	if r.planes.Lose != nil {
		return r.planes.Lose[first:end]
	}
	r.scratch = r.scratch[:0]
	for w := first; w < end; w++ {
		r.scratch = append(r.scratch, r.lost(w))
	}
	return r.scratch
}

func storedStates(c tablebase.ClassInfo) uint64 { return uint64(c.Blocks) << uint(c.IndexBits) }

func randomOf(space *partition.Space, class int, r *rand.Rand) game.Position {
	return space.Position(partition.State{
		Class: class, Mask: randomMask(space.MaskBits, class, r), Index: uint32(r.Uint64N(1 << uint(space.IndexBits[class]))),
	})
}
