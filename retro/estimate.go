package retro

import (
	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// FixedBytes is the memory that does not depend on the class: the runtime's
// own, and the scratch buffers of each thread.
func FixedBytes(space *partition.Space, o Options) int64 {
	return runtimeBytes + int64(o.Threads)*scratchBytes(space, o)
}

const runtimeBytes = 24 << 20

func scratchBytes(space *partition.Space, o Options) int64 {
	k := space.IndexBits[space.MaskBits]
	words := int64(bitslice.Words(k))
	if space.Kind != partition.FixedSlice {
		words = min(words, 1<<uint(standard.partBits))
	}
	buffers := int64(digitBuffers)
	switch {
	case o.Nimbers:
		digits := int64(StepDigits(space, 0))
		buffers += digits + 1<<uint(digits)
	case o.Steps && space.Kind == partition.FixedSlice:
		buffers += 3 * int64(StepDigits(space, 0))
	}
	return words*8*buffers + bitslice.FolderBytes
}

// StepDigits returns how many binary digits the steps of a class are likely to
// have. Where every move marks a cell, there are no more steps than empty cells; else the
// solve alone can tell, and those of the boards that have been solved are taken.
func StepDigits(space *partition.Space, class int) int {
	switch {
	case space.Kind != partition.Cyclic:
		return work.DigitsFor(space.Size*space.Size - class)
	case space.Size < 5:
		return 6
	}
	return 8
}

// Need returns the memory in bytes that a solve is estimated to take: the cut, the
// planes of two classes and of what the class in work needs beside them, its
// links, and what the table takes while it is written, packed or not.
func Need(space *partition.Space, o Options) int64 {
	o = o.WithDefaults()
	blocks := partition.BlockCounts(space)
	longest := longestDownTo(space, 0)
	var most, above int64
	for class := space.MaskBits; class >= o.DownTo; class-- {
		words := int(blocks[class]) * bitslice.Words(space.IndexBits[class])
		plane := int64(min(words+work.SlackWords(words), longest)) * 8
		most = max(most, needOf(space, o, class, blocks[class], plane, above))
		above = plane
	}
	return partition.CutBytes(space) + FixedBytes(space, o) + writingBytes(space, o) + most
}

// writingBytes is what a table takes while it is written: what the Writer knows of it, and
// where each thread puts steps together, interleaves and packs them. That lies among what the
// garbage collector sees, as the masks of the cut do, and it lets as much garbage pile up there.
func writingBytes(space *partition.Space, o Options) int64 {
	var table, widest int64
	digits := 0
	for class, blocks := range partition.BlockCounts(space) {
		if class < o.DownTo {
			continue
		}
		if o.numbered() {
			digits = max(digits, StepDigits(space, class))
		}
		words := blocks * int64(bitslice.Words(space.IndexBits[class]))
		table += 8 * words * int64(space.Planes()+digits)
		widest = max(widest, words)
	}
	heap := int64(0)
	if o.Steps && space.Kind != partition.FixedSlice {
		section := int64(1) << uint(standard.sectionBits)
		const buffers = 3
		heap += int64(o.Threads) * buffers * 8 * int64(digits) * min(section, widest)
		// Where the chunks of five logs are: those of two classes, and what is ready.
		heap += 5 * plylog.TableBytes(widest, section, 1<<digits)
	}
	masks := partition.CutBytes(space) - 4<<uint(space.MaskBits)
	return tablebase.IndexBytes(table) + 2*heap + masks
}

// needOf returns what a class takes, of whose planes and of those of the class above
// one takes so many bytes.
func needOf(space *partition.Space, o Options, class int, blocks, plane, above int64) int64 {
	if space.Kind == partition.FixedSlice {
		planes := int64(1)
		if o.numbered() {
			planes += int64(StepDigits(space, class))
		}
		return planes * (above + plane)
	}
	within, all := linksOf(space, blocks, class)
	if !o.Steps {
		// Outcomes of both; candidates and two frontiers.
		return 2*above + 5*plane + within + activeListBytes(blocks, plane/8)
	}
	// First outcomes and delta of the class above, candidates and a frontier; then the
	// outcomes, candidates, three frontiers, and the delta.
	listings := activeListBytes(blocks, plane/8) + activeListBytes(blocks, above/8)
	need := max(3*above+2*plane+all-within, 6*plane+above+all) + listings
	if plane < 8*standardHeldWords { // their logs are in memory, with room to grow
		need += int64(2 * loggedBits * float64(plane+above))
	}
	return need
}

// linksOf returns the bytes of the links inside a class and of all its links: as many
// as there are moves from an empty board, inside in the share of cells that are marked.
func linksOf(space *partition.Space, blocks int64, class int) (within, all int64) {
	moves := int64(len(space.Moves(0, nil)))
	if all = linksBytes(blocks * (moves + 1)); space.Kind == partition.Cyclic {
		within = linksBytes(blocks * (moves*int64(class)/int64(space.MaskBits) + 1))
	}
	return within, all
}

// linksBytes is what so many links are estimated to take, with their plans and the table by which
// equal ones are found.
func linksBytes(links int64) int64 {
	plans := min(links, links/plansShared+fewPlans)
	return links*linkBytes + slotsBytes(int(links)) + plans*planBytes
}

// loggedBits is what a state takes in a log: on Quixo 5×5 it is 3.0 to 3.6 bits.
const loggedBits = 3.6

// LogBytes returns the bytes that the logs of a solve with steps take on the disk at
// most: those of two neighbouring classes.
func LogBytes(space *partition.Space, o Options) int64 {
	var most, above int64
	if space.Kind == partition.FixedSlice {
		return 0
	}
	for class := space.MaskBits; class >= o.DownTo; class-- {
		words := partition.BlockCounts(space)[class] * int64(bitslice.Words(space.IndexBits[class]))
		log := int64(loggedBits * 8 * float64(words))
		if words < standardHeldWords {
			log = 0
		}
		most, above = max(most, above+log), log
	}
	return most
}
