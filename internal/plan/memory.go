package plan

import (
	"unsafe"

	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/tablebase/writer"
)

// Memory returns the estimated memory in bytes of the solve: what is reserved before the
// first class, the planes of two classes, and what else the neediest class takes.
func (p *Plan) Memory() int64 {
	var most, above int64
	for _, c := range p.Classes {
		most = max(most, p.needs(&c, above))
		above = p.reserved(&c)
	}
	return p.Fixed() + p.Writing() + most
}

func (p *Plan) reserved(c *Class) int64 {
	return 8 * min(c.words()+SlackWords(c.words()), p.LongestPlane)
}

// needs returns the bytes that a class takes. above is the size of a plane of the class above.
func (p *Plan) needs(c *Class, above int64) int64 {
	if c.Shards > 0 {
		return p.shardBytes(c, above, p.section(c))
	}
	return p.classBytes(c, p.reserved(c), above)
}

// Fixed returns the memory in bytes that does not depend on a class: for the runtime, the
// cut, and of the scratch buffers of all threads.
func (p *Plan) Fixed() int64 { return p.fixed(p.space.IndexBits[p.space.MaskBits]) }

// fixed is Fixed with slices of k index bits in the fullest class.
func (p *Plan) fixed(k int) int64 {
	return p.cutBytes() + RuntimeBytes + int64(p.Threads)*p.scratchBytes(k)
}

func (p *Plan) cutBytes() int64 {
	finding, listing := partition.CutBytes(p.space, p.DownTo)
	return finding + listing
}

// listed is the bytes of a word's states by steps, with room to grow.
const listed = 2 * 8 * 12

func (p *Plan) scratchBytes(k int) int64 {
	words := int64(bitslice.Words(k))
	if p.space.Kind != partition.FixedSlice {
		words = min(words, 1<<PartBits)
	}
	buffers := int64(ScratchBuffers)
	switch digits := int64(p.digits(0)); {
	case p.Nimbers:
		buffers += digits + 1<<uint(digits)
	case p.Steps && p.space.Kind == partition.FixedSlice:
		buffers += 3 * digits
	case p.Steps: // grades of children and the lowest, and the states of a section by these
		section := min(max(words, 1<<ShardSectionBits(true)), p.LongestPlane)
		return words*8*(buffers+2*digits) + listed*section + bitslice.FolderBytes
	}
	return words*8*buffers + bitslice.FolderBytes
}

// Writing returns the memory in bytes that writing the table takes: the Writer's lists, and the buffers in which
// threads assemble and pack steps. As much garbage may lie beside these and the masks of the cut.
func (p *Plan) Writing() int64 {
	digits := p.digits(p.DownTo) // the emptiest class has most
	var table int64
	for _, c := range p.Classes {
		table += 8 * c.words() * int64(p.space.Planes()+digits)
	}
	heap := int64(0)
	if p.Steps && p.space.Kind != partition.FixedSlice {
		const section, buffers = 1 << SectionBits, 3
		heap += int64(p.Threads) * buffers * 8 * int64(digits) * min(section, p.LongestPlane)
		// The indexes of six logs: those of two classes, and of what the class above decides.
		heap += 6 * LogIndexBytes(p.LongestPlane, section, 1<<digits)
	}
	_, listing := partition.CutBytes(p.space, p.DownTo)
	return writer.IndexBytes(table) + 2*heap + listing
}

// classBytes returns the bytes that a class takes. plane and above are the lengths in bytes of a
// plane of this class and of the one above.
func (p *Plan) classBytes(c *Class, plane, above int64) int64 {
	if p.space.Kind == partition.FixedSlice {
		return int64(1+p.digits(c.Class)) * (above + plane)
	}
	links := p.linkBytes(c) + ActiveListBytes(c.Blocks, plane/8)
	if !p.Steps {
		// Outcomes of both classes and candidates; then two frontiers, in the memory of the
		// class above.
		return max(2*above+3*plane, 5*plane) + links
	}
	// First outcomes and grades of the class above, or grades of a part of both classes; then
	// outcomes, candidates and three frontiers.
	const planes = 6
	digits := int64(p.digits(c.Class))
	need := max((2+digits)*above, planes*plane)
	if parts := int64(c.Parts); parts > 0 {
		longest := 8 * max(int64(bitslice.Words(c.IndexBits+1)), 1<<SectionBits) // a part has whole blocks
		need = max(2*above+digits*((above+plane)/parts+2*longest), planes*plane)
	}
	need += links
	if plane < 8*HeldWords { // their logs are in memory, with room to grow
		need += int64(2 * loggedBits * float64(plane+above))
	}
	return need
}

// linkBytes returns the memory of the links inside a class: of the moves of an empty board, a share in
// proportion to the marked cells.
func (p *Plan) linkBytes(c *Class) (bytes int64) {
	if bytes = LinkageBytes(c.Blocks, c.Blocks); p.space.Kind == partition.Cyclic {
		bytes += linksBytes(c.Blocks * (p.moves*int64(c.Class)/int64(p.space.MaskBits) + 1))
	}
	return bytes
}

// linksBytes returns the memory of links, their index maps, and the hash table that finds equal maps. On
// Quixo 5×5, 5 to 17 links share one; in small classes, fewer do.
func linksBytes(links int64) int64 {
	const shared, few, mapBytes = 4, 1 << 12, int64(unsafe.Sizeof(bitslice.Plan{}))
	return links*LinkBytes + 4*MapSlots(links) + min(links, links/shared+few)*mapBytes
}

// BlockBytes returns the memory of all planes of a block of a class with fixed slices.
func (p *Plan) BlockBytes(class int) int64 {
	return int64(1+p.digits(class)) * 8 * int64(bitslice.Words(p.space.IndexBits[class]))
}

// WorkerMemory returns the estimated memory in bytes of a block worker that solves groups
// of at most groupBytes bytes in all planes, and at least of one block. It includes what is
// read and written for the worker. With more memory the worker keeps what it solves.
func (p *Plan) WorkerMemory(groupBytes int64) int64 {
	const atOnce = 6 // runs of blocks that are read and written, besides what the worker holds
	var most, above int64
	for _, c := range p.Classes {
		block, words := p.BlockBytes(c.Class), int64(bitslice.Words(c.IndexBits))
		group := max(1, min(c.Blocks, groupBytes/block))
		planes := func(blocks int64) int64 {
			n := blocks * words
			return block / words * min(n+SlackWords(n), p.LongestPlane)
		}
		most = max(most, above+planes(group)+atOnce*group*block)
		above = planes(c.Blocks)
	}
	return p.Fixed() + most
}
