package partition

import (
	"math/bits"

	"backsolve/game"
)

// maxNumbered is the most mask bits of a space with a Numbering: that takes 128 KiB of a core's cache.
const maxNumbered = 16

// Numbering maps each mask of a small space to its block and symmetry, in 2 bytes a mask.
// It saves the lookup of the least image and the search for its block.
type Numbering struct {
	codec     Codec
	sym       *Symmetries
	byMask    []uint16 // block | symmetry << blockBits
	blockBits uint
}

// NewNumbering numbers the blocks of each class in the order of their canonical masks. It
// returns nil for a space with too many masks.
func NewNumbering(s *Space) *Numbering {
	if s.MaskBits > maxNumbered {
		return nil
	}
	n := &Numbering{s.Codec, s.Symmetries, make([]uint16, 1<<uint(s.MaskBits)), uint(16 - bits.Len(uint(s.Symmetries.Len()-1)))}
	var blocks [maxNumbered + 1]int // by class, so far
	for mask := range n.byMask {
		// The least image of a mask comes before it.
		least, g := s.Symmetries.Canonical(uint64(mask))
		block := n.block(n.byMask[least])
		if class := bits.OnesCount64(least); int(least) == mask {
			if block = blocks[class]; block>>n.blockBits != 0 {
				return nil // too many blocks for the bits
			}
			blocks[class]++
		}
		n.byMask[mask] = uint16(block | g<<n.blockBits)
	}
	return n
}

// Locate returns the state of a position and the number of its block in its class.
func (n *Numbering) Locate(p game.Position) (s State, block int) {
	mask := n.codec.Mask(p)
	at := n.byMask[mask]
	return n.codec.Under(p, mask, int(at>>n.blockBits)), n.block(at)
}

// Has reports whether a mask is the canonical mask of a block of a class.
func (n *Numbering) Has(class, block int, mask uint64) bool {
	if mask >= uint64(len(n.byMask)) || bits.OnesCount64(mask) != class {
		return false
	}
	least, _ := n.sym.Canonical(mask)
	return least == mask && n.block(n.byMask[mask]) == block
}

func (n *Numbering) block(at uint16) int { return int(at) & (1<<n.blockBits - 1) }
