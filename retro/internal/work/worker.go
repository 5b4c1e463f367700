package work

import (
	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
)

// Worker is the scratch memory of one thread. Except for Counts, nothing outlives a task.
type Worker struct {
	bitslice.Folder
	Number  int // in the pool
	Links   []partition.Link
	Active  []uint32 // numbers of links
	Needs   []uint32 // by link: the index bits that a state must have set
	Moves   []partition.Move
	Cubes   partition.Terminals
	buffers [][]uint64 // each of the length of the unit in work
	Sets    [NumberSets]bitslice.Numbers
	From    [][]uint64 // planes of a gather
	To      [][]uint64
	summary []uint64
	marks   []uint64 // a summary too
	States  []uint32 // of a block or a part of one
	Parents []uint32 // of the states
	Ends    []int    // of the parents of each link
	Route   bitslice.Route
	Counts  StateCounts
	Log     plylog.Buffer
	ByGrade []plylog.Sparse // states of a section, none between two of them
}

// Scratch buffers by number, each as long as a unit.
const (
	// WonBuffer is for won terminal states.
	WonBuffer = iota
	lostBuffer
	drawnBuffer
	scratchBuffer
	// FreeBuffers is the first buffer that this package does not use.
	FreeBuffers
)

// NumberSets is the number of sets of bit-sliced numbers of a worker.
const NumberSets = 4

// Buffer returns the i-th scratch buffer with the given number of words, zeroed.
func (w *Worker) Buffer(i, words int) []uint64 {
	b := w.DirtyBuffer(i, words)
	clear(b)
	return b
}

// DirtyBuffer is Buffer without zeroing.
func (w *Worker) DirtyBuffer(i, words int) []uint64 {
	for len(w.buffers) <= i {
		w.buffers = append(w.buffers, nil)
	}
	if cap(w.buffers[i]) < words {
		w.buffers[i] = make([]uint64, words)
	}
	return w.buffers[i][:words]
}

// FreshSummary returns a zeroed summary of a unit of the given number of words.
func (w *Worker) FreshSummary(words int) []uint64 { return fresh(&w.summary, words) }

// FreshMarks returns a second zeroed summary.
func (w *Worker) FreshMarks(words int) []uint64 { return fresh(&w.marks, words) }

func fresh(summary *[]uint64, words int) []uint64 {
	n := bitslice.SummaryWords(words)
	if cap(*summary) < n {
		*summary = make([]uint64, n)
	}
	s := (*summary)[:n]
	clear(s)
	return s
}

// FullSummary returns a summary with all bits set.
func (w *Worker) FullSummary(words int) []uint64 {
	s := w.FreshSummary(words)
	for g := range max(words>>bitslice.GroupBits, 1) {
		s[g>>6] |= 1 << (uint(g) & 63)
	}
	return s
}
