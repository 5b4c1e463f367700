package partition

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
)

// Cut is a space with its blocks numbered: it knows the block of each mask and the symmetry that
// leads there, in 4 bytes a mask. It numbers the blocks of a class when they are first asked for, so
// that a large space takes memory only for the classes in work. Its methods are safe for concurrent use.
type Cut struct {
	*Space
	*numbered
}

// numbered are the numbered blocks, which the cuts of halves share.
type numbered struct {
	blocks    []int64 // by class
	classes   []atomic.Pointer[listed]
	byMask    []uint32 // block | symmetry << blockBits, plus one; by mask, or by class and rank of the mask
	first     []uint64 // by class: where its masks begin, if by rank
	blockBits int
	ranks     *ranking // nil if masks are not ranked
	tags      []uint32 // by symmetry: what byMask has of its inverse
	plans     []bitslice.Plan
}

// listed is a class whose blocks are numbered on demand.
type listed struct {
	Class
	once     sync.Once
	numbered atomic.Bool
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

// blockBits returns how many bits of an entry of byMask number the block. The rest number the
// symmetry; not all of its bits are ever set, which leaves a value for none.
func blockBits(symmetries int) int { return 32 - bits.Len(uint(symmetries)) }

// CutBytes returns the memory in bytes of a cut with two neighbouring classes in progress, none
// below the given one: to find the blocks of masks, and to list the blocks.
func CutBytes(s *Space, downTo int) (finding, listing int64) {
	if s.MaskBits <= mostUnranked {
		return 4 << uint(s.MaskBits), 12 << uint(s.MaskBits) / int64(s.Symmetries.Len())
	}
	blocks := BlockCounts(s)
	var masks, all int64
	for class := downTo; class <= s.MaskBits; class++ {
		above := min(class+1, s.MaskBits)
		masks = max(masks, int64(s.Masks(class)+s.Masks(above)))
		listing = max(listing, 12*(blocks[class]+blocks[above]))
		all += int64(s.Masks(class))
	}
	if !memory.Releases {
		masks = all
	}
	return 4 * masks, listing
}

// mostUnranked is the most mask bits of a space that finds blocks by the mask, which is faster than by
// its rank, and keeps all classes.
var mostUnranked = 25

// NewCut returns the cut of a space. Free releases its memory.
func NewCut(s *Space) (*Cut, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	byMask, err := memory.NewArray[uint32](1 << uint(s.MaskBits))
	if err != nil {
		return nil, err
	}
	n := &numbered{
		blocks: BlockCounts(s), classes: make([]atomic.Pointer[listed], s.MaskBits+1), byMask: byMask,
		blockBits: blockBits(s.Symmetries.Len()),
	}
	for _, inverse := range s.Symmetries.inverses() {
		n.tags = append(n.tags, uint32(inverse)<<n.blockBits+1)
	}
	if s.MaskBits > mostUnranked {
		n.ranks = ranks()
	}
	c, masks := &Cut{s, n}, uint64(0)
	for class := range n.classes {
		n.first = append(n.first, masks)
		masks += s.Masks(class)
		c.forget(class)
	}
	if s.Kind == FixedSlice {
		for g := range s.Symmetries.Len() {
			m := s.Map(0, Move{}, 0, g)
			n.plans = append(n.plans, bitslice.NewPlan(&m))
		}
	}
	return c, nil
}

// Free releases the memory of the cut, which must not be used again.
func (c *Cut) Free() {
	memory.FreeArray(c.byMask)
	c.byMask = nil
}

// Keep gives back the memory of all classes but the given one and the one above. Nobody may follow
// moves to the others meanwhile. They are listed again where they are asked for.
func (c *Cut) Keep(class int) {
	for other := range c.classes {
		if c.ranks != nil && (other < class || other > class+1) {
			c.forget(other)
		}
	}
}

func (c *Cut) forget(class int) {
	if k := c.classes[class].Load(); k != nil && k.numbered.Load() {
		memory.Clear(c.byMask, int(c.first[class]), int(c.first[class]+c.Masks(class)))
	}
	c.classes[class].Store(&listed{Class: Class{Class: class, IndexBits: c.IndexBits[class]}})
}

// Class returns the blocks of a class, 0..MaskBits.
func (c *Cut) Class(class int) *Class {
	k := c.classes[class].Load()
	k.once.Do(func() { c.number(k) })
	return &k.Class
}

// ListAhead begins to list the classes from first down to last, each in a goroutine of listing. Cuts that rank
// their masks are large, and list a class when it is in work.
func (c *Cut) ListAhead(listing *sync.WaitGroup, first, last int) {
	for class := first; class >= last && c.ranks == nil; class-- {
		listing.Go(func() { c.Class(class) })
	}
}

// Blocks returns the number of blocks of a class, without listing them.
func (c *Cut) Blocks(class int) int { return int(c.blocks[class]) }

// Stored returns the number of stored states of the classes from the given one on. It lists no blocks.
func (c *Cut) Stored(class int) (states uint64) {
	for ; class <= c.MaskBits; class++ {
		states += uint64(c.blocks[class]) << uint(c.IndexBits[class])
	}
	return states
}

// number lists the blocks of a class, and records them for all of their images. In ascending order, the
// first mask without a block is the least of its images.
func (c *Cut) number(k *listed) {
	images, tags, byMask, ranks := make([]uint32, c.Symmetries.Len()), c.tags, c.byMask, c.ranks
	class := k.Class.Class
	k.Masks, k.Images = make([]uint64, 0, c.Blocks(class)), make([]uint32, 0, c.Blocks(class))
	mask := uint64(1)<<uint(class) - 1
	for range c.Space.Masks(class) {
		at := &byMask[mask]
		if ranks != nil {
			at = c.entry(class, uint32(mask))
		}
		if *at == 0 {
			c.Symmetries.images(mask, images)
			distinct, block := uint32(0), uint32(len(k.Masks))
			for g, image := range images {
				if at = &byMask[image]; ranks != nil {
					at = c.entry(class, image)
				}
				if *at == 0 {
					*at = block + tags[g]
					distinct++
				}
			}
			k.Masks, k.Images = append(k.Masks, mask), append(k.Images, distinct)
		}
		mask = nextSameWeight(mask)
	}
	k.numbered.Store(true)
}

func (c *Cut) entry(class int, mask uint32) *uint32 {
	if c.ranks == nil {
		return &c.byMask[mask]
	}
	return &c.byMask[c.first[class]+uint64(c.ranks.rankOf(mask))]
}

// nextSameWeight returns the next larger number with as many one-bits (Gosper).
func nextSameWeight(v uint64) uint64 {
	low := v & -v
	ripple := v + low
	return ripple | (v^ripple)>>2>>uint(bits.TrailingZeros64(low))
}

// Find returns a position's class, block and index.
func (c *Cut) Find(p game.Position) (class, block int, index uint32) {
	mask := c.Mask(p)
	block, g := c.find(mask)
	return bits.OnesCount64(mask), block, c.Under(p, mask, g).Index
}

// Block returns the block of a mask in its class.
func (c *Cut) Block(mask uint64) int {
	block, _ := c.find(mask)
	return block
}

// find returns the block of a mask and the symmetry that takes the mask to the canonical one.
func (c *Cut) find(mask uint64) (block, g int) {
	class := bits.OnesCount64(mask)
	c.Class(class)
	p := *c.entry(class, uint32(mask)) - 1
	return int(p & (1<<c.blockBits - 1)), int(p >> c.blockBits)
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
		child, g := c.find(m.Child)
		links = append(links, Link{uint32(child), &c.plans[g]})
	}
	return links, moves, err
}

// EachMap calls each with the child, one of first to end−1, and the index map of every move out of a
// block that leads to the next class (within false) or stays in its own (within true). The map is
// valid during the call. moves is scratch memory, returned for reuse.
func (c *Cut) EachMap(class, block int, within bool, first, end int, moves []Move, each func(child int, m *bitslice.IndexMap)) ([]Move, error) {
	mask := c.Class(class).Masks[block]
	moves, err := c.movesOf(class, block, moves)
	var m bitslice.IndexMap
	for _, move := range moves {
		if move.Within != within {
			continue
		}
		if child, g := c.find(move.Child); first <= child && child < end {
			m = c.Map(mask, move, c.Class(bits.OnesCount64(move.Child)).Masks[child], g)
			each(child, &m)
		}
	}
	return moves, err
}

// movesOf returns the moves out of a block, or an error where one contradicts the facts of the space.
func (c *Cut) movesOf(class, block int, moves []Move) ([]Move, error) {
	mask := c.Class(class).Masks[block]
	moves = c.Moves(mask, moves[:0])
	for _, m := range moves {
		if err := c.checkMove(class, m); err != nil {
			return moves[:0], fmt.Errorf("the space of %s, mask %#x: %w", c.Game, mask, err)
		}
	}
	return moves, nil
}
