package retro

import (
	"unsafe"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// FixedBytes is the memory that does not depend on the class: the runtime's
// own, and the scratch buffers of each thread.
func FixedBytes(space partition.Space, o Options) int64 {
	return runtimeBytes + int64(o.Threads)*scratchBytes(space, o)
}

const runtimeBytes = 24 << 20

func scratchBytes(space partition.Space, o Options) int64 {
	k := space.IndexBits[space.MaskBits]
	words := int64(bitslice.Words(k))
	if !space.FixedSlice {
		words = min(words, 1<<uint(o.partBits))
	}
	buffers := int64(digitBuffers)
	if o.Steps {
		buffers += 3 * assumedDigits
	}
	return words * 8 * buffers
}

// assumedDigits is how many binary digits of steps an estimate reckons with
// where the solve alone can tell.
const assumedDigits = 6

// StepDigits returns how many binary digits the steps of a class are reckoned to
// have. Where every move marks a cell, there are no more steps than empty cells.
func StepDigits(space partition.Space, class int) int {
	if !space.Within {
		return work.DigitsFor(space.Size*space.Size - class)
	}
	return assumedDigits
}

// Need returns the memory in bytes that a solve is reckoned to take: the cut, the
// planes of two classes and of what the class in work needs beside them, and the
// links inside that class. With steps it is an estimate, since the solve finds
// how many digits they have.
func Need(space partition.Space, o Options) int64 {
	o = o.WithDefaults()
	kept, working := planesOf(space, o.Steps)
	blocks := partition.BlockCounts(space)
	longest := longestPlane(space)
	var most, above int64
	for class := space.MaskBits; class >= o.DownTo; class-- {
		words := int(blocks[class]) * bitslice.Words(space.IndexBits[class])
		plane := int64(min(words+work.SlackWords(words), longest)) * 8
		most = max(most, kept*above+(kept+working)*plane+linksOf(space, blocks[class], class))
		above = plane
	}
	return partition.CutBytes(space) + FixedBytes(space, o) + most
}

// longestPlane returns the words of the longest plane of any class.
func longestPlane(space partition.Space) int {
	longest := 0
	for class, blocks := range partition.BlockCounts(space) {
		longest = max(longest, int(blocks)*bitslice.Words(space.IndexBits[class]))
	}
	return longest
}

// planesOf returns how many planes of a class are kept for the next one, and how
// many more are needed while it is in work.
func planesOf(space partition.Space, steps bool) (kept, working int64) {
	kept = 1
	if !space.FixedSlice {
		kept, working = 2, 3 // outcomes; candidates and two frontiers
	}
	if space.DrawnTerminals {
		working++
	}
	if steps {
		kept += assumedDigits
		if !space.FixedSlice {
			working += 3 + 2*assumedDigits // another frontier, what comes from the class above, and the numbers of the class above
		}
	}
	return kept, working
}

// linksOf returns the bytes of the links inside a class: as many as there are
// moves from an empty board, in the share of cells that are marked.
func linksOf(space partition.Space, blocks int64, class int) int64 {
	if !space.Within {
		return 0
	}
	moves := int64(len(space.Moves(0, nil)))
	perBlock := moves * int64(class) / int64(space.MaskBits)
	return blocks * (perBlock + 1) * int64(unsafe.Sizeof(partition.Link{})+unsafe.Sizeof(parent{}))
}
