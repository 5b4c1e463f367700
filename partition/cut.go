package partition

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
)

// Cut is a space with its blocks numbered: it knows the block of each mask and the
// symmetry that leads there, in 4 bytes a mask. Its methods are safe for concurrent use.
type Cut struct {
	*Space
	classes []Class
	byMask  []uint32 // block | symmetry << blockBits, plus one
	plans   []bitslice.Plan
	threads int
	inverse []int
	placed  *sync.Once // fills byMask
}

// Class is the blocks of one class in ascending order of their canonical masks.
type Class struct {
	Class     int
	IndexBits int
	Masks     []uint64
	// Images is the number of masks that share each block: a state of the block stands
	// for as many states of the game.
	Images []uint32
}

// Words returns the words of one block's slice.
func (c *Class) Words() int { return bitslice.Words(c.IndexBits) }

// States returns the number of states stored for the class.
func (c *Class) States() uint64 { return uint64(len(c.Masks)) << uint(c.IndexBits) }

const blockBits = 24

// CutBytes returns the memory of a cut in bytes.
func CutBytes(s *Space) int64 {
	return 4<<uint(s.MaskBits) + 12<<uint(s.MaskBits)/int64(s.Symmetries.Len())
}

// NewCut numbers the blocks of a space with the given number of threads. Free releases
// its memory.
func NewCut(s *Space, threads int) (*Cut, error) {
	c, err := emptyCut(s, threads)
	if err != nil {
		return nil, err
	}
	c.placed.Do(func() { c.eachClass(func() func(int) { return c.number }) })
	return c, nil
}

// NewListedCut is faster than NewCut. It lists the blocks and leaves the index of masks to
// the first call that follows a move, which then takes longer.
func NewListedCut(s *Space, threads int) (*Cut, error) {
	c, err := emptyCut(s, threads)
	if err != nil {
		return nil, err
	}
	c.eachClass(func() func(int) {
		seen := make([]uint64, max(1, 1<<uint(c.MaskBits)>>6)) // fits a cache, unlike byMask
		return func(class int) { c.list(class, seen) }
	})
	return c, nil
}

func emptyCut(s *Space, threads int) (*Cut, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	byMask, err := memory.NewArray[uint32](1 << uint(s.MaskBits))
	if err != nil {
		return nil, err
	}
	c := &Cut{Space: s, byMask: byMask, classes: make([]Class, s.MaskBits+1), threads: threads, inverse: s.Symmetries.inverses(), placed: new(sync.Once)}
	if s.Kind == FixedSlice {
		for g := range s.Symmetries.Len() {
			m := s.Map(0, Move{}, 0, g)
			c.plans = append(c.plans, bitslice.NewPlan(&m))
		}
	}
	return c, nil
}

// eachClass calls a function for every class, on the threads of the cut. prepare returns
// the function for one thread.
func (c *Cut) eachClass(prepare func() (do func(class int))) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(c.threads, 1), len(c.classes)) {
		wg.Go(func() {
			do := prepare()
			for class := int(next.Add(1)) - 1; class < len(c.classes); class = int(next.Add(1)) - 1 {
				do(class)
			}
		})
	}
	wg.Wait()
}

// Free releases the memory of the cut, which must not be used again.
func (c *Cut) Free() {
	memory.FreeArray(c.byMask)
	c.byMask = nil
}

// number finds the canonical masks of a class and places their images. In ascending order,
// the first mask without a block is the least of its images.
func (c *Cut) number(class int) {
	k, images := c.begin(class), new([maxSymmetries]uint32)
	for mask := range c.ofWeight(class) {
		if c.byMask[mask] == 0 {
			k.Images = append(k.Images, c.place(len(k.Masks), mask, images))
			k.Masks = append(k.Masks, mask)
		}
	}
}

// list finds the same masks with one bit a mask.
func (c *Cut) list(class int, seen []uint64) {
	k, sym := c.begin(class), c.Symmetries
	var images [maxSymmetries]uint32
	for mask := range c.ofWeight(class) {
		if seen[mask>>6]>>(mask&63)&1 == 1 {
			continue
		}
		sym.images(mask, images[:])
		distinct := uint32(0)
		for _, image := range images[:sym.Len()] {
			at, bit := &seen[image>>6], uint64(1)<<(image&63)
			if *at&bit == 0 {
				*at |= bit
				distinct++
			}
		}
		k.Images = append(k.Images, distinct)
		k.Masks = append(k.Masks, mask)
	}
}

// begin returns a class without blocks.
func (c *Cut) begin(class int) *Class {
	k := &c.classes[class]
	k.Class, k.IndexBits = class, c.IndexBits[class]
	return k
}

// ofWeight yields the masks of a class in ascending order.
func (c *Cut) ofWeight(class int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		end := uint64(1) << uint(c.MaskBits)
		for mask := uint64(1)<<uint(class) - 1; mask < end; mask = nextSameWeight(mask) {
			if !yield(mask) || mask == 0 {
				return
			}
		}
	}
}

// place records the block of all images of its canonical mask, and returns their number.
// images is scratch memory.
func (c *Cut) place(block int, mask uint64, images *[maxSymmetries]uint32) (distinct uint32) {
	c.Symmetries.images(mask, images[:])
	for g, image := range images[:c.Symmetries.Len()] {
		if at := &c.byMask[image]; *at == 0 {
			*at = (uint32(block) | uint32(c.inverse[g])<<blockBits) + 1
			distinct++
		}
	}
	return distinct
}

// nextSameWeight returns the next larger number with as many one-bits (Gosper).
func nextSameWeight(v uint64) uint64 {
	low := v & -v
	ripple := v + low
	return ripple | (v^ripple)>>2>>uint(bits.TrailingZeros64(low))
}

// Class returns the blocks of a class, 0..MaskBits.
func (c *Cut) Class(class int) *Class { return &c.classes[class] }

// Stored returns the number of states stored for all classes.
func (c *Cut) Stored() (states uint64) {
	for i := range c.classes {
		states += c.classes[i].States()
	}
	return states
}

// Find returns a position's class, block and index.
func (c *Cut) Find(p game.Position) (class, block int, index uint32) {
	mask, index := c.Raw(p)
	block, g := c.at(mask)
	return bits.OnesCount64(mask), block, c.Carry(mask, index, g)
}

// Block returns the block of a mask in its class.
func (c *Cut) Block(mask uint64) int {
	block, _ := c.at(mask)
	return block
}

// at returns the block of a mask and the symmetry that takes the mask to the canonical one.
func (c *Cut) at(mask uint64) (block, g int) {
	c.placed.Do(func() {
		c.eachClass(func() func(int) {
			images := new([maxSymmetries]uint32)
			return func(class int) {
				for block, mask := range c.classes[class].Masks {
					c.place(block, mask, images)
				}
			}
		})
	})
	p := c.byMask[mask] - 1
	return int(p & (1<<blockBits - 1)), int(p >> blockBits)
}

// Link is a move of a space with fixed slices, as the parent reads it. Its plan is shared
// with all moves of the same symmetry.
type Link struct {
	Block uint32 // the child, by its number in the next class
	Plan  *bitslice.Plan
}

// Links appends the links out of a block to the next class, in a space with fixed slices.
// moves is scratch memory, returned for reuse.
func (c *Cut) Links(class, block int, links []Link, moves []Move) ([]Link, []Move, error) {
	moves, err := c.movesOf(class, block, moves)
	for _, m := range moves {
		child, g := c.at(m.Child)
		links = append(links, Link{uint32(child), &c.plans[g]})
	}
	return links, moves, err
}

// EachMap calls each with the child and the index map of every move out of a block that
// leads to the next class (within false) or stays in its own (within true). The map is
// valid during the call. moves is scratch memory, returned for reuse.
func (c *Cut) EachMap(class, block int, within bool, moves []Move, each func(child uint32, m *bitslice.IndexMap)) ([]Move, error) {
	return c.EachMapTo(class, block, within, 0, math.MaxUint32, moves, each)
}

// EachMapTo is EachMap for the children first to end−1.
func (c *Cut) EachMapTo(class, block int, within bool, first, end uint32, moves []Move, each func(child uint32, m *bitslice.IndexMap)) ([]Move, error) {
	mask := c.classes[class].Masks[block]
	moves, err := c.movesOf(class, block, moves)
	var m bitslice.IndexMap
	for _, move := range moves {
		if move.Within == within {
			child, g := c.at(move.Child)
			if uint32(child) < first || uint32(child) >= end {
				continue
			}
			m = c.Map(mask, move, c.classes[bits.OnesCount64(move.Child)].Masks[child], g)
			each(uint32(child), &m)
		}
	}
	return moves, err
}

// movesOf returns the moves out of a block, or none and an error where one contradicts the
// facts of the space.
func (c *Cut) movesOf(class, block int, moves []Move) ([]Move, error) {
	mask := c.classes[class].Masks[block]
	moves = c.Moves(mask, moves[:0])
	for _, m := range moves {
		if err := c.checkMove(class, m); err != nil {
			return moves[:0], fmt.Errorf("the space of %s, mask %#x: %w", c.Game, mask, err)
		}
	}
	return moves, nil
}
