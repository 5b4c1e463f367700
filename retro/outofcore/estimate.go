package outofcore

import (
	"math"
	"math/rand/v2"
	"time"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro"
)

// Need returns the memory in bytes with which a solve runs well, and the least it
// can do with.
func Need(space *partition.Space, o Options) (good, least int64) {
	o = standard(o)
	fixed, perBlock := workerBytes(space, o)
	return fixed + mostBlocks(space)*perBlock, fixed + int64(o.Threads)*perBlock
}

// fixedBytes is the memory of the cut and of the threads' scratch.
func fixedBytes(space, half *partition.Space, o Options) int64 {
	bytes := partition.CutBytes(space) + retro.FixedBytes(half, o.Options)
	if o.Packed {
		bytes += int64(o.Threads) * (packedBytes(sliceBytes(half)) + packerBytes)
	}
	if o.Opening != nil {
		bytes += 2 * sliceBytes(space)
	}
	return bytes
}

// BlockWorkerNeed estimates the memory in bytes of a BlockWorker that solves so many blocks
// at once.
func BlockWorkerNeed(space *partition.Space, o Options, blocks int) int64 {
	fixed, perBlock := workerBytes(space, standard(o))
	return fixed + int64(blocks)*perBlock
}

// BlockWorkerBlocks returns how many blocks a BlockWorker can solve at once that takes so many bytes, no
// more than a class has; 0 for bytes is no limit.
func BlockWorkerBlocks(space *partition.Space, o Options, bytes int64) int {
	most := mostBlocks(space)
	if bytes == 0 {
		return int(most)
	}
	fixed, perBlock := workerBytes(space, standard(o))
	return int(min(most, max(0, bytes-fixed)/perBlock))
}

// handBytes returns what is taken for solving groups, and for each of their blocks.
func workerBytes(space *partition.Space, o Options) (fixed, perBlock int64) {
	half := newCutting(space).spaces[0]
	fixed = fixedBytes(space, half, o) + (int64(childSlices(o))+int64(o.Threads))*sliceBytes(half)
	return fixed, sliceBytes(half) + blockOverhead(space)
}

// SliceBytes returns the bytes of the slice of a block, as it is solved.
func SliceBytes(space *partition.Space) int64 { return sliceBytes(newCutting(space).spaces[0]) }

// packerBytes is what the tables of a packer take.
const packerBytes = 1 << 20

// childSlices is how many slices are read at once.
func childSlices(o Options) int { return o.Threads + readAhead }

func sliceBytes(space *partition.Space) int64 { return int64(bitslice.Words(space.IndexBits[0])) * 8 }

func mostBlocks(space *partition.Space) (most int64) {
	for _, blocks := range partition.BlockCounts(space) {
		most = max(most, blocks)
	}
	return most
}

// blockOverhead is the memory of a block in work beside its slice: its links,
// listed twice, with what the runtime's collector needs to leave room for.
func blockOverhead(space *partition.Space) int64 {
	return 512 + 128*int64(space.MaskBits)
}

// packedShare is what of a slice is left when it is packed, estimated with a margin:
// measured are 0.54 to 0.60 in the widest classes of Notakto 7×7.
const packedShare = 0.63

// Work is what work files take.
type Work struct {
	// Disk is the most bytes that lie on the disk at any moment, those of an opening
	// table of so many classes included.
	Disk int64
	// Written and Read are the bytes that go through the files. Read depends on the
	// memory.
	Written, Read int64
	// Seconds is the time that packing and unpacking take.
	Seconds float64
}

// EstimateWork estimates what the work files of a solve take, with an opening table of so
// many classes. Packed ones are measured for some milliseconds.
func EstimateWork(space *partition.Space, o Options, opening int) Work {
	group := groupBlocks(space, standard(o))
	return EstimateGroups(space, o, opening, func(int64) int64 { return group })
}

// EstimateGroups is EstimateWork where group says of how many blocks the groups of a class are that has
// so many.
func EstimateGroups(space *partition.Space, o Options, opening int, group func(blocks int64) int64) Work {
	o = standard(o)
	c := newCutting(space)
	share := 1.0
	if o.Packed {
		share = packedShare
	}
	blocks := partition.BlockCounts(space)
	slice := float64(sliceBytes(c.spaces[0])) * share
	var w Work
	var kept []float64 // bytes of the last subclasses, one for each half
	var read, written float64
	for number := range c.subclasses() {
		at := c.subclass(number)
		bytes := float64(blocks[at.Class]) * slice
		kept = append(kept, bytes)
		disk := sum(kept)
		if at.Class < opening-1 {
			disk += float64(OpeningBytes(space, opening) - OpeningBytes(space, at.Class+1))
		}
		w.Disk = max(w.Disk, int64(math.Ceil(disk)))
		written += bytes
		if at.Class < space.MaskBits {
			atOnce := group(blocks[at.Class])
			passes := (blocks[at.Class] + atOnce - 1) / atOnce
			read += float64(passes) * float64(blocks[at.Class+1]) * slice
		}
		if at.Half > 0 {
			read += bytes
		}
		if len(kept) > len(c.spaces) {
			kept = kept[1:]
		}
	}
	w.Disk = max(w.Disk, int64(sum(kept))+OpeningBytes(space, opening))
	w.Written, w.Read = int64(written), int64(read)
	if o.Packed {
		pack, unpack := packingSpeed()
		w.Seconds = (written/share/pack + read/share/unpack) / float64(o.Threads)
	}
	return w
}

func sum(bytes []float64) (total float64) {
	for _, b := range bytes {
		total += b
	}
	return total
}

// groupBlocks is how many blocks of a class fit in memory.
func groupBlocks(space *partition.Space, o Options) int64 {
	most := mostBlocks(space)
	if o.Memory == 0 {
		return most
	}
	_, least := Need(space, o)
	perBlock := sliceBytes(newCutting(space).spaces[0]) + blockOverhead(space)
	return min(most, int64(o.Threads)+max(0, o.Memory-least)/perBlock)
}

// packingSpeed measures the bytes a second that a thread packs and unpacks, of a
// slice in which three states of four are won.
func packingSpeed() (pack, unpack float64) {
	slice := make([]uint64, 4*chunkBytes/8)
	for i := range slice {
		slice[i] = rand.Uint64() | rand.Uint64()
	}
	b := bitslice.Bytes(slice)
	var p packer
	packed := p.pack(nil, b) // what has to be allocated is there then
	for range 5 {
		began := time.Now()
		packed = p.pack(packed[:0], b)
		pack = max(pack, float64(len(b))/time.Since(began).Seconds())
		began = time.Now()
		if p.unpack(b, packed) != nil {
			panic("outofcore: what was packed cannot be unpacked")
		}
		unpack = max(unpack, float64(len(b))/time.Since(began).Seconds())
	}
	return pack, unpack
}

// packedBytes is the most that a slice of so many bytes takes packed.
func packedBytes(bytes int64) int64 {
	return bytes + (bytes+chunkBytes-1)/chunkBytes*headBytes
}
