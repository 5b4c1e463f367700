package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/klauspost/compress/huff0"

	"backsolve/internal/bitslice"
	"backsolve/partition"
)

// OutOfCore is the cost of a solve through work files, which keeps at most the table of the emptiest classes. If the
// space has halves, it solves those of a class one after the other.
type OutOfCore struct {
	*Plan
	// WorkPacked says that the work files are packed, Opening how many classes the table has.
	WorkPacked bool
	Opening    int
	// Spare says that one more finished class is kept, to make lost slices again.
	Spare  bool
	halves int
	k      int // index bits of a slice as it is solved
}

// NewOutOfCore plans a solve of a space through work files: the outcomes of all classes.
func NewOutOfCore(space *partition.Space, threads int, packed bool, opening int) *OutOfCore {
	p := &OutOfCore{Plan: New(space, Options{Threads: threads}), WorkPacked: packed, Opening: opening, halves: 1, k: space.IndexBits[0]}
	if _, ok := partition.Halve(space); ok {
		p.halves, p.k = 2, p.k-1
	}
	return p
}

// Memory returns the memory in bytes with which the solve is fastest.
func (p *OutOfCore) Memory() int64 { return p.WorkerMemory(p.MostBlocks) }

// Least returns the least memory in bytes that the solve can do with.
func (p *OutOfCore) Least() int64 { return p.WorkerMemory(int64(p.Threads)) }

// Fixed returns the memory in bytes of the runtime, the cut and the threads' scratch.
func (p *OutOfCore) Fixed() int64 {
	const packerBytes = 1 << 20 // of its tables
	bytes := p.fixed(p.k)
	if p.WorkPacked {
		bytes += int64(p.Threads) * (PackedBytes(p.slice()) + packerBytes)
	}
	if p.Opening > 0 {
		bytes += 2 * p.wholeSlice()
	}
	return bytes
}

// WorkerMemory returns the estimated memory in bytes for solving groups of the given number of blocks.
func (p *OutOfCore) WorkerMemory(blocks int64) int64 { return p.base() + blocks*p.BlockMemory() }

// WorkerBlocks returns how many blocks a group can have in the given bytes of memory, 0 for no
// limit: at most those of the largest class.
func (p *OutOfCore) WorkerBlocks(bytes int64) int64 {
	if bytes == 0 {
		return p.MostBlocks
	}
	return min(p.MostBlocks, max(0, bytes-p.base())/p.BlockMemory())
}

// CoordinatorMemory returns the memory in bytes of a process that solves no blocks itself.
func (p *OutOfCore) CoordinatorMemory() int64 { return p.cutBytes() + 2*p.wholeSlice() }

// ChildSlices returns how many slices of the class above are in memory at once.
func (p *OutOfCore) ChildSlices() int { return p.Threads + ReadAhead }

// base is the memory that does not depend on the number of blocks in a group.
func (p *OutOfCore) base() int64 { return p.Fixed() + int64(p.ChildSlices()+p.Threads)*p.slice() }

// BlockMemory returns the memory in bytes of a block in a group.
func (p *OutOfCore) BlockMemory() int64 { return p.slice() + p.BlockOverhead() }

// BlockOverhead returns the memory in bytes of a block in a group without its slice: its
// links, listed twice, with what the garbage collector leaves.
func (p *OutOfCore) BlockOverhead() int64 { return 512 + 128*int64(p.space.MaskBits) }

// slice and wholeSlice return the bytes of a slice as it is solved and as the table has it.
func (p *OutOfCore) slice() int64      { return 8 * int64(bitslice.Words(p.k)) }
func (p *OutOfCore) wholeSlice() int64 { return 8 * int64(bitslice.Words(p.space.IndexBits[0])) }

// Work is what work files take.
type Work struct {
	// Files is the most bytes that work files take on the disk at any moment, Disk with the opening table.
	Files, Disk int64
	// Written and Read are the bytes written to and read from them. Read depends on the memory.
	Written, Read int64
	// Seconds is the time for packing and unpacking.
	Seconds float64
}

// Work estimates what the work files take in the given bytes of memory, 0 for no limit. If they
// are packed it measures the speed of that for some milliseconds.
func (p *OutOfCore) Work(memory int64) Work {
	blocks := p.MostBlocks
	if memory > 0 {
		blocks = min(blocks, int64(p.Threads)+max(0, memory-p.Least())/p.BlockMemory())
	}
	return p.GroupWork(func(int64) int64 { return blocks })
}

// GroupWork is Work where group returns how many of the blocks of a class its groups have.
func (p *OutOfCore) GroupWork(group func(blocks int64) int64) Work {
	// What is left of a packed slice: 0.54 to 0.60 in the widest classes of Notakto 7×7.
	share := 1.0
	if p.WorkPacked {
		share = 0.63
	}
	opening := openingBytes(p.Plan)
	var w Work
	var files, above, spare, read, written float64
	for _, c := range p.Classes {
		bytes := float64(c.Blocks) * float64(p.slice()) * share
		sealed := int64(0) // of the opening table
		if c.Class < p.Opening-1 {
			sealed = opening[p.Opening] - opening[c.Class+1]
		}
		passes := (c.Blocks-1)/group(c.Blocks) + 1
		for half := range p.halves {
			files = float64(p.halves-half)*above + float64(half+1)*bytes
			if p.Spare {
				files += float64(half)*above + float64(p.halves-half)*spare
			}
			w.Files, w.Disk = max(w.Files, int64(math.Ceil(files))), max(w.Disk, int64(math.Ceil(files))+sealed)
			written += bytes
			read += float64(passes) * above
		}
		read += float64(p.halves-1) * bytes
		spare, above = above, bytes
	}
	w.Disk = max(w.Disk, int64(float64(p.halves)*above)+opening[p.Opening])
	w.Written, w.Read = int64(written), int64(read)
	if p.WorkPacked {
		pack, unpack := packingSpeed()
		w.Seconds = (written/share/pack + read/share/unpack) / float64(p.Threads)
	}
	return w
}

// openingBytes returns the lengths of the tables of the emptiest classes, by their number, but for some pages.
func openingBytes(p *Plan) []int64 {
	bytes := []int64{0}
	for _, c := range slices.Backward(p.Classes) {
		bytes = append(bytes, bytes[len(bytes)-1]+p.tableBytes(c))
	}
	return bytes
}

// OpeningBytes returns the length of the table of that many of the emptiest classes, but for some pages.
func OpeningBytes(space *partition.Space, classes int) int64 {
	return openingBytes(New(space, Options{}))[classes]
}

// OpeningClasses returns how many of the emptiest classes make a table of at most the given bytes.
func OpeningClasses(space *partition.Space, bytes int64) (classes int) {
	classes, _ = slices.BinarySearch(openingBytes(New(space, Options{}))[1:], bytes+1)
	return classes
}

// packingSpeed measures the bytes a second that a thread packs and unpacks, of a slice in
// which three of four states are won.
func packingSpeed() (pack, unpack float64) {
	slice := make([]uint64, PackedChunk/8)
	for i := range slice {
		slice[i] = rand.Uint64() | rand.Uint64()
	}
	chunk := bitslice.Bytes(slice)
	packer, unpacker := huff0.Scratch{Reuse: huff0.ReusePolicyNone}, &huff0.Scratch{}
	for range 20 {
		began := time.Now()
		packed, _, err := huff0.Compress4X(chunk, &packer)
		pack = max(pack, float64(len(chunk))/time.Since(began).Seconds())
		began = time.Now()
		var codes []byte
		if err == nil {
			unpacker, codes, err = huff0.ReadTable(packed, unpacker)
		}
		if err == nil {
			_, err = unpacker.Decoder().Decompress4X(chunk[:0:len(chunk)], codes)
		}
		if err != nil {
			panic(err) // such a slice can always be packed
		}
		unpack = max(unpack, float64(len(chunk))/time.Since(began).Seconds())
	}
	return pack, unpack
}
