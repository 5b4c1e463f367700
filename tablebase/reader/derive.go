package reader

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"backsolve/bitslice"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// deriveEntries sets the steps of the won states among the entries that are not stored.
func (d *directReader) deriveEntries(places []Place, entries []tablebase.Entry) error {
	s := successorLists.Get().(*successors)
	defer successorLists.Put(s)
	s.list = s.list[:0]
	for i, p := range places {
		l := d.class(p.Class)
		if entries[i].Outcome != game.Win || !l.derived {
			continue
		}
		if err := s.add(d.archive, l, p, i); err != nil {
			return d.classError(l.Record, err)
		}
		entries[i].Steps = 0 // if it is terminal
	}
	// In the order of the file each frame is unpacked once.
	slices.SortFunc(s.list, func(x, y successor) int {
		return cmp.Or(y.Class-x.Class, x.Block-y.Block, cmp.Compare(x.Index, y.Index))
	})
	after, values := make([]Place, len(s.list)), make([]tablebase.Entry, len(s.list))
	for i := range s.list {
		after[i] = s.list[i].Place
	}
	atOnce := maxCold
	if d.storage != nil {
		atOnce = max(1, len(after))
	}
	for from := 0; from < len(after); from += atOnce {
		end := min(from+atOnce, len(after))
		if err := d.readEntries(after[from:end], values[from:end]); err != nil {
			return err
		}
	}
	for i, v := range values {
		if e := &entries[s.list[i].of]; v.Outcome == game.Lose && (e.Steps == 0 || v.Steps < e.Steps) {
			e.Steps = v.Steps + 1
		}
	}
	for _, of := range s.list {
		if p := places[of.of]; entries[of.of].Steps == 0 {
			return d.damaged("class %d, block %d, state %d is won, and no state after it is lost", p.Class, p.Block, p.Index)
		}
	}
	return nil
}

// successor is a state that a move leads to from the state with a number.
type successor struct {
	Place
	of int
}

// successors is memory to list states.
type successors struct {
	list      []successor
	moves     []partition.Move
	terminals partition.Terminals
}

var successorLists = sync.Pool{New: func() any { return new(successors) }}

// add lists the states after the one at a place, unless it is won already.
func (s *successors) add(a *Archive, l *class, p Place, of int) error {
	c := a.classes[p.Class]
	masks, err := a.masksOf(c)
	if err != nil {
		return err
	}
	mask, index, all := masks[p.Block], uint32(p.Index), uint32(1)<<uint(l.IndexBits)-1
	s.terminals.Reset()
	a.space.Terminals(mask, &s.terminals)
	for _, t := range s.terminals.Win {
		if (index^t.Value)&t.Care == 0 {
			return nil
		}
	}
	reading := ^index & all
	if a.space.Kind == partition.FixedSlice {
		for rest := reading; rest != 0; rest &= rest - 1 {
			s.list = append(s.list, successor{Place{p.Class, p.Block, uint64(index | rest&-rest)}, of})
		}
		reading = index
	}
	s.moves = a.space.Moves(mask, s.moves[:0])
	for _, m := range s.moves {
		canonical, g := a.space.Symmetries.Canonical(m.Child)
		child := a.space.Map(mask, m, canonical, g)
		index, is := child.Index(reading)
		if !is {
			continue
		}
		class := bits.OnesCount64(canonical)
		block, err := a.block(class, canonical)
		if err != nil {
			return err
		}
		s.list = append(s.list, successor{Place{class, block, uint64(index)}, of})
	}
	return nil
}

// derivation is memory to derive the steps of a part of a slice. Children are read in the order
// of a child's slice, which of fixed slices is that of the index and else the complement.
type derivation struct {
	folder    bitslice.Folder
	moves     []partition.Move
	terminals partition.Terminals
	has, lost []uint64         // whether a state has a lost child; whether that of a move is lost
	least     bitslice.Numbers // the least steps of the lost children
	child     bitslice.Numbers // those of the child of a move
	won       []uint64         // scratch
	steps     bitslice.Numbers // the result
}

var derivations = sync.Pool{New: func() any { return new(derivation) }}

// resize makes room for the words of a part.
func (d *derivation) resize(words, digits int) {
	for _, plane := range []*[]uint64{&d.has, &d.lost, &d.won} {
		*plane = fit(*plane, words)
	}
	for _, numbers := range []*bitslice.Numbers{&d.least, &d.child, &d.steps} {
		for len(*numbers) < digits {
			*numbers = append(*numbers, nil)
		}
		*numbers = (*numbers)[:digits]
		for i, plane := range *numbers {
			(*numbers)[i] = fit(plane, words)
		}
	}
	clear(d.has)
	for _, plane := range d.least {
		clear(plane)
	}
}

func fit(plane []uint64, words int) []uint64 {
	if cap(plane) < words {
		return make([]uint64, words)
	}
	return plane[:words]
}

// derive sets the steps of a part of a slice, which begins with a word of the class.
func (d *derivation) derive(a *Archive, c *archivedClass, word int) error {
	block, first := word/c.Words(), word%c.Words()
	masks, err := a.masksOf(c)
	if err != nil {
		return err
	}
	own, err := a.slice(c.Class, block)
	if err != nil {
		return err
	}
	words := 1 << uint(c.part.Bits)
	d.resize(words, c.digits)
	home := c.part
	home.Value = uint32(first / words)
	part, fixed := home, a.space.Kind == partition.FixedSlice
	if !fixed {
		part.Value = uint32(c.Words()/words-1) - home.Value
	}
	if err := d.readMoves(a, c, masks[block], part); err != nil {
		return err
	}
	if fixed {
		d.readInside(own, first, c.IndexBits)
	} else {
		d.reverse(c.IndexBits)
	}
	clear(d.won)
	d.terminals.Reset()
	a.space.Terminals(masks[block], &d.terminals)
	for _, cube := range d.terminals.Win {
		cube.Fill(d.won, home, c.IndexBits)
	}
	for i := range d.won {
		open := own.won[first+i] &^ d.won[i]
		if open&^d.has[i] != 0 {
			return fmt.Errorf("%w: a state of block %d of class %d is won, and no state after it is lost", format.ErrUnderivable, block, c.Class)
		}
		carry, lacks := open, uint64(0)
		for l, plane := range d.least {
			sum := plane[i]&open ^ carry
			carry &= plane[i]
			if l < c.Digits {
				d.steps[l][i] = own.steps[l][first+i] | sum
			} else {
				lacks |= sum
			}
		}
		if carry|lacks != 0 {
			return fmt.Errorf("%w: a state of block %d of class %d needs more digits than its class has", format.ErrUnderivable, block, c.Class)
		}
	}
	return nil
}

// readMoves finds the least steps of the lost states that the moves of a block lead to, but for
// those inside of a fixed slice.
func (d *derivation) readMoves(a *Archive, c *archivedClass, mask uint64, part bitslice.Segment) error {
	d.moves = a.space.Moves(mask, d.moves[:0])
	for _, m := range d.moves {
		canonical, g := a.space.Symmetries.Canonical(m.Child)
		class := bits.OnesCount64(canonical)
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
		clear(d.lost)
		d.folder.Fold(bitslice.Or, &plan, d.lost, part, child.lost, nil)
		if !bitslice.Any(d.lost) {
			continue
		}
		steps := d.child[:len(child.steps)]
		for l, plane := range child.steps {
			d.folder.Fold(bitslice.Set, &plan, steps[l], part, plane, nil)
		}
		for i, lost := range d.lost {
			d.least.KeepLeast(i, &d.has[i], lost, steps, i)
		}
	}
	return nil
}

// readInside adds the moves inside of a fixed slice, which set an index bit, for the words from
// first on.
func (d *derivation) readInside(own *slice, first, k int) {
	var shifted [bitslice.MaxDigits][1]uint64
	steps := make(bitslice.Numbers, len(own.steps))
	for l := range steps {
		steps[l] = shifted[l][:]
	}
	for i := range d.has {
		word := first + i
		for b := range min(k, bitslice.WordBits) {
			shift := 1 << b
			clear := ^uint64(0) / (1<<shift + 1) // the states whose bit is clear
			for l, plane := range own.steps {
				shifted[l][0] = plane[word] >> shift
			}
			d.least.KeepLeast(i, &d.has[i], own.lost[word]>>shift&clear, steps, 0)
		}
		for b := bitslice.WordBits; b < k; b++ {
			if child := word | 1<<(b-bitslice.WordBits); child != word {
				d.least.KeepLeast(i, &d.has[i], own.lost[child], own.steps, child)
			}
		}
	}
}

// reverse brings what was found into the order of the index.
func (d *derivation) reverse(k int) {
	for _, plane := range append([][]uint64{d.has}, d.least...) {
		bitslice.Reverse(d.won, plane, k)
		copy(plane, d.won)
	}
}

// interleave writes the steps as they are in their part, from a byte on.
func (d *derivation) interleave(buf []byte, from int64, columns int) {
	var word [8]byte
	i, column := int(from/8)/columns, int(from/8)%columns
	for len(buf) > 0 {
		le.PutUint64(word[:], d.steps[column][i])
		n := copy(buf, word[from%8:])
		buf, from = buf[n:], 0
		if column++; column == columns {
			i, column = i+1, 0
		}
	}
}
