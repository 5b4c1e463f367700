package plan

import "math/bits"

// Sizes of the engine's data structures. The engine allocates by the same figures, and its
// tests compare them with the structures.
const (
	// PartBits is the binary logarithm of the most words of a slice that are in work at
	// once: 512 KiB, so that what a part reads stays in the second-level cache. Longer slices are
	// cut into parts, so that threads share a block. Parts of 64 KiB take 20 % longer on the
	// largest slices, as more of them read the same words.
	PartBits = 16
	// SectionBits is the binary logarithm of the words of a section of a log.
	SectionBits = 17
	// HeldWords is the length of a plane from which on its log is in a file.
	HeldWords = 1 << 20
	// ScratchBuffers is the number of buffers of a thread, without those for steps and nimbers.
	ScratchBuffers = 9
	// LinkBytes is what a link takes without its index map, which links share.
	LinkBytes = 16
	// ListedBlockBytes is what a block takes in an active list.
	ListedBlockBytes = 8
	// ChunkBytes is what a log takes to find a chunk.
	ChunkBytes = 16
	// ReadAhead is how many slices of the class above are read before they are asked for.
	ReadAhead = 16
	// PackedChunk is the length in bytes of a chunk of a slice that is packed at once,
	// behind a head of PackedHead bytes.
	PackedChunk, PackedHead = 128 << 10, 4
	// RuntimeBytes is what a process takes before it solves anything.
	RuntimeBytes = 24 << 20
)

// SlackWords returns by how many words a reused plane of a length may be too long: giving
// back less is not worth it, nor possible for less than a large page.
func SlackWords(words int64) int64 { return words/8 + 1<<18 }

// LinkageBytes returns the memory that a linkage takes to find the links of blocks, and those to children.
func LinkageBytes(blocks, children int64) int64 { return 4 * (blocks + 1 + children + 2) }

// MapSlots returns the number of slots of the hash table of the index maps of links: a half
// to all of the number of links.
func MapSlots(links int64) int64 { return 1 << max(bits.Len64(uint64(links))-1, 4) }

// The cost of bringing a frontier over a link word by word, in listed states: for each group of 64 words, and
// for laying out a tile, which matters for short slices.
const (
	GroupCost  = 20
	LayoutCost = 60
)

// ListedStates returns how many states an active list has room for, of blocks with the given
// number of words in all. For more, words are cheaper on average. The cost of layout counts only
// where the list is small.
func ListedStates(blocks, words int64) int64 {
	const small = 1 << 20
	return min(words/64*GroupCost+min(blocks*LayoutCost, small), 1<<32-1)
}

// ActiveListBytes returns the memory of an active list of blocks with the given number of words in all.
func ActiveListBytes(blocks, words int64) int64 {
	return ListedBlockBytes*blocks + (blocks+63)/64*8 + 4*ListedStates(blocks, words)
}

// LogIndexBytes returns the memory that a log of planes of the given number of words takes to find its
// chunks. Nearly all states are won in odd plies and lost in even ones.
func LogIndexBytes(words, section int64, plies int) int64 {
	return (words/section + 1) * int64(plies/2+2) * ChunkBytes
}

// PackedBytes returns the most bytes that a slice of that length takes packed.
func PackedBytes(slice int64) int64 {
	return slice + (slice+PackedChunk-1)/PackedChunk*PackedHead
}
