package partition

import (
	"slices"

	"backsolve/game"
	"backsolve/internal/bitslice"
)

// Halves are the two halves of a space with fixed slices, cut along an index bit
// that every symmetry keeps: the middle cell of Notakto with odd n. Both have the
// blocks of the space, in slices half as long. No move leads out of the half where
// the bit is set. A move that sets the bit leads from the other half to the same block
// and index.
type Halves struct {
	// Bit is the index bit, Cells the mask of its cells on the board.
	Bit   int
	Cells uint64
	// Set is the half with the bit set.
	Set, Clear *Space
}

// Halve cuts a space into halves. It returns false where the slices are not fixed or
// every index bit is moved by some symmetry.
func Halve(s *Space) (Halves, bool) {
	if s.Kind != FixedSlice {
		return Halves{}, false
	}
	bit := -1
	for b := s.IndexBits[0] - 1; b >= 0 && bit < 0; b-- {
		bit = b
		for g := range s.Symmetries.Len() {
			if m := s.Map(0, Move{}, 0, g); m.From[b] != uint8(b) {
				bit = -1
			}
		}
	}
	if bit < 0 {
		return Halves{}, false
	}
	h := Halves{Bit: bit, Cells: s.Position(State{Index: 1 << uint(bit)}).X &^ s.Position(State{}).X}
	h.Clear, h.Set = s.half(bit, 0), s.half(bit, 1)
	h.Set.Taken |= h.Cells
	return h, true
}

// half returns the half of a space whose states have the given value of an index bit.
func (s *Space) half(bit int, value uint32) *Space {
	of := &half{Codec: s.Codec, Graph: s.Graph, bit: uint(bit), value: value}
	h := &Space{s.Facts, of, of}
	h.IndexBits = slices.Clone(s.IndexBits)
	for class := range h.IndexBits {
		h.IndexBits[class]--
	}
	return h
}

type half struct {
	Codec
	Graph
	bit   uint
	value uint32
}

func (h *half) removeBit(index uint32) uint32 {
	low := uint32(1)<<h.bit - 1
	return index&low | index>>1&^low
}

func (h *half) insertBit(index uint32) uint32 {
	low := uint32(1)<<h.bit - 1
	return index&low | h.value<<h.bit | index&^low<<1
}

func (h *half) Under(p game.Position, mask uint64, g int) State {
	s := h.Codec.Under(p, mask, g)
	s.Index = h.removeBit(s.Index)
	return s
}

func (h *half) Position(s State) game.Position {
	s.Index = h.insertBit(s.Index)
	return h.Codec.Position(s)
}

func (h *half) Stones(class, weight int) (mover, other int) {
	return h.Codec.Stones(class, weight+int(h.value))
}

func (h *half) Terminals(mask uint64, t *Terminals) {
	win, lose, draw := len(t.Win), len(t.Lose), len(t.Draw)
	h.Graph.Terminals(mask, t)
	t.Win, t.Lose, t.Draw = h.keep(t.Win, win), h.keep(t.Lose, lose), h.keep(t.Draw, draw)
}

// keep keeps those cubes from the given one on that are in the half.
func (h *half) keep(cubes []bitslice.Cube, from int) []bitslice.Cube {
	kept := cubes[:from]
	for _, c := range cubes[from:] {
		if c.Care>>h.bit&1 == 0 || c.Value>>h.bit&1 == h.value {
			kept = append(kept, bitslice.Cube{Care: h.removeBit(c.Care), Value: h.removeBit(c.Value)})
		}
	}
	return kept
}

func (h *half) Map(mask uint64, move Move, canonical uint64, g int) bitslice.IndexMap {
	whole := h.Graph.Map(mask, move, canonical, g)
	m := bitslice.IndexMap{Src: whole.Src - 1, Dst: whole.Dst - 1, One: h.removeBit(whole.One)}
	for b := range m.Src {
		from := whole.From[b+int(h.step(b))]
		m.From[b] = from - h.step(int(from)-1)
	}
	return m
}

// step is 1 for the bits of a half above the removed one, else 0.
func (h *half) step(bit int) uint8 {
	if bit >= int(h.bit) {
		return 1
	}
	return 0
}

// Cuts returns the cuts of the halves, which share their blocks.
// Free of one cut releases the memory of both.
func (h *Halves) Cuts() (set, clear *Cut, err error) {
	if set, err = NewCut(h.Set); err != nil {
		return nil, nil, err
	}
	if err := h.Clear.check(); err != nil {
		set.Free()
		return nil, nil, err
	}
	return set, &Cut{h.Clear, set.numbered}, nil
}
