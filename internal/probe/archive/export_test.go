package archive

import (
	"slices"

	"backsolve/internal/bitslice"
)

// DeriveByWords has an archive derive its steps word by word, as those of long slices are derived
// part by part.
func (a *Archive) DeriveByWords() {
	for _, c := range a.classes {
		if c != nil {
			c.part = bitslice.Whole(min(c.IndexBits, bitslice.WordBits))
		}
	}
}

// HeldSlices returns the bytes of the slices that an archive holds, and what it counts of them.
func (a *Archive) HeldSlices() (bytes, counted int64) {
	for _, c := range a.classes {
		if c == nil {
			continue
		}
		for block := range c.Blocks {
			h := a.held(c, block)
			length := int64(0)
			for _, plane := range slices.Concat([][]uint64{h.slice.won, h.slice.lost}, h.slice.steps, h.steps) {
				length += int64(len(plane)) * 8
			}
			if bytes += length; length > 0 {
				counted += heldBytes(c)
			}
		}
	}
	return bytes, counted
}

// Interleave is interleave.
var Interleave = interleave
