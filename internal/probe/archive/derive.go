package archive

import (
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"backsolve/internal/bitslice"
	"backsolve/internal/parallel"
	"backsolve/partition"
	"backsolve/tablebase/format"
	"backsolve/tablebase/reader"
)

// After appends the places of the states after one, none if that is over; see reader.Deriver.
func (a *Archive) After(p reader.Place, places []reader.Place) ([]reader.Place, error) {
	d := derivations.Get().(*derivation)
	defer derivations.Put(d)
	c := a.classes[p.Class]
	masks, err := a.masksOf(c)
	if err != nil {
		return places, err
	}
	mask, index, all := masks[p.Block], uint32(p.Index), uint32(1)<<uint(c.IndexBits)-1
	d.terminals.Reset()
	a.space.Terminals(mask, &d.terminals)
	for _, t := range d.terminals.Win {
		if (index^t.Value)&t.Care == 0 {
			return places, nil
		}
	}
	reading := ^index & all
	if a.space.Kind == partition.FixedSlice {
		for rest := reading; rest != 0; rest &= rest - 1 {
			places = append(places, reader.Place{Class: p.Class, Block: p.Block, Index: uint64(index | rest&-rest)})
		}
		reading = index
	}
	d.moves = a.space.Moves(mask, d.moves[:0])
	for _, move := range d.moves {
		canonical, g := a.space.Symmetries.Canonical(move.Child)
		child := a.space.Map(mask, move, canonical, g)
		index, is := child.Index(reading)
		if !is {
			continue
		}
		class := a.classes[bits.OnesCount64(canonical)]
		block, err := a.block(class, canonical)
		if err != nil {
			return places, err
		}
		places = append(places, reader.Place{Class: class.Class, Block: block, Index: uint64(index)})
	}
	return places, nil
}

// derive finds all steps of a block; those of lost states are stored. It reads children in the order of their
// slices: by index if slices are fixed, else by its complement.
func (a *Archive) derive(c *archivedClass, block int) (bitslice.Numbers, error) {
	masks, err := a.masksOf(c)
	if err != nil {
		return nil, err
	}
	own, err := a.slice(c, block)
	if err != nil {
		return nil, err
	}
	d := derivations.Get().(*derivation)
	defer derivations.Put(d)
	d.resize(c)
	if err := d.readMoves(a, c, masks[block]); err != nil {
		return nil, err
	}
	fixed := a.space.Kind == partition.FixedSlice
	if fixed {
		d.readInside(own, c.IndexBits)
	}
	d.terminals.Reset()
	a.space.Terminals(masks[block], &d.terminals)
	clear(d.won)
	for _, cube := range d.terminals.Win {
		cube.Fill(d.won, bitslice.Whole(c.IndexBits), c.IndexBits)
	}
	steps := make(bitslice.Numbers, c.Digits)
	for l := range steps {
		steps[l] = make([]uint64, c.Words())
	}
	err = d.eachPart(c, func(_ *part, first int) error {
		for w := first; w < first+1<<uint(c.part.Bits); w++ {
			open, has, least := own.won[w]&^d.won[w], d.has[w], d.least.Load(w)
			if !fixed {
				r := len(d.has) - 1 - w
				has, least = complement(d.has[r], c.IndexBits), d.least.Load(r)
				for l := range c.digits {
					least[l] = complement(least[l], c.IndexBits)
				}
			}
			carry, lacks := open, uint64(0)
			for l := range c.digits {
				sum := least[l]&open ^ carry
				carry &= least[l]
				if l < c.Digits {
					steps[l][w] = own.steps[l][w] | sum
				} else {
					lacks |= sum
				}
			}
			switch {
			case open&^has != 0:
				return fmt.Errorf("%w: a state of block %d of class %d is won, and no state after it is lost", format.ErrUnderivable, block, c.Class)
			case carry|lacks != 0:
				return fmt.Errorf("%w: a state of block %d of class %d needs more digits than its class has", format.ErrUnderivable, block, c.Class)
			}
		}
		return nil
	})
	return steps, err
}

// complement reverses the states of a word of a slice of k index bits.
func complement(word uint64, k int) uint64 {
	return bits.Reverse64(word) >> (64 - min(1<<min(k, bitslice.WordBits), 64))
}

// derivation is memory to list the states after one, and to derive the steps of a slice.
type derivation struct {
	moves     []partition.Move
	terminals partition.Terminals
	won       []uint64         // the terminal wins
	has       []uint64         // whether a state has a lost child
	least     bitslice.Numbers // the least steps of the lost children
}

type part struct {
	folder bitslice.Folder
	lost   []uint64
	steps  bitslice.Numbers
}

var (
	derivations = sync.Pool{New: func() any { return new(derivation) }}
	parts       = sync.Pool{New: func() any { return new(part) }}
)

func (d *derivation) resize(c *archivedClass) {
	d.won, d.has = fit(d.won, c.Words()), fit(d.has, c.Words())
	d.least = fitNumbers(d.least, c.Words(), c.digits)
	clear(d.has)
	for _, plane := range d.least {
		clear(plane)
	}
}

func fit(plane []uint64, words int) []uint64 { return slices.Grow(plane[:0], words)[:words] }

func fitNumbers(n bitslice.Numbers, words, digits int) bitslice.Numbers {
	n = slices.Grow(n[:0], digits)[:digits]
	for l := range n {
		n[l] = fit(n[l], words)
	}
	return n
}

// eachPart has workers share the parts of a slice, each from its first word on.
func (d *derivation) eachPart(c *archivedClass, work func(p *part, first int) error) error {
	words := 1 << uint(c.part.Bits)
	return parallel.Each(c.Words()/words, runtime.GOMAXPROCS(0), func(next func() (int, bool)) error {
		p := parts.Get().(*part)
		defer parts.Put(p)
		for n, more := next(); more; n, more = next() {
			if err := work(p, n*words); err != nil {
				return err
			}
		}
		return nil
	})
}

// readMoves finds the least steps of the lost states after the moves, but for those inside a fixed slice.
func (d *derivation) readMoves(a *Archive, c *archivedClass, mask uint64) error {
	d.moves = a.space.Moves(mask, d.moves[:0])
	for _, m := range d.moves {
		canonical, g := a.space.Symmetries.Canonical(m.Child)
		class := a.classes[bits.OnesCount64(canonical)]
		block, err := a.block(class, canonical)
		if err != nil {
			return err
		}
		child, err := a.slice(class, block)
		if err != nil {
			return err
		}
		if !bitslice.Any(child.lost) {
			continue
		}
		index := a.space.Map(mask, m, canonical, g)
		plan := bitslice.NewPlan(&index)
		err = d.eachPart(c, func(p *part, first int) error {
			d.readChild(c, p, first, &plan, child)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *derivation) readChild(c *archivedClass, p *part, first int, plan *bitslice.Plan, child *slice) {
	words := 1 << uint(c.part.Bits)
	segment := c.part
	segment.Value = uint32(first / words)
	p.lost = fit(p.lost, words)
	clear(p.lost)
	p.folder.Fold(bitslice.Or, plan, p.lost, segment, child.lost, nil)
	if !bitslice.Any(p.lost) {
		return
	}
	p.steps = fitNumbers(p.steps, words, len(child.steps))
	for l, plane := range child.steps {
		p.folder.Fold(bitslice.Set, plan, p.steps[l], segment, plane, nil)
	}
	for i, lost := range p.lost {
		d.least.KeepLeast(first+i, &d.has[first+i], lost, p.steps, i)
	}
}

func (d *derivation) readInside(own *slice, k int) {
	var shifted [bitslice.MaxDigits][1]uint64
	steps := make(bitslice.Numbers, len(own.steps))
	for l := range steps {
		steps[l] = shifted[l][:]
	}
	for w := range d.has {
		for b := range min(k, bitslice.WordBits) {
			shift := 1 << b
			clear := ^uint64(0) / (1<<shift + 1) // the states whose bit is clear
			for l, plane := range own.steps {
				shifted[l][0] = plane[w] >> shift
			}
			d.least.KeepLeast(w, &d.has[w], own.lost[w]>>shift&clear, steps, 0)
		}
		for b := bitslice.WordBits; b < k; b++ {
			if child := w | 1<<(b-bitslice.WordBits); child != w {
				d.least.KeepLeast(w, &d.has[w], own.lost[child], own.steps, child)
			}
		}
	}
}
