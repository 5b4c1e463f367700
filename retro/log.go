package retro

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// sectionBits is the binary logarithm of the words of a section of the class's logs: no
// section is shorter than a unit.
func (j *job) sectionBits() int { return j.o.sectionBitsOf(j.class.Class) }

func (o *Options) sectionBitsOf(c *partition.Class) int {
	return max(o.sectionBits, bits.Len(uint(work.UnitsOf(c, o.partBits).Words))-1)
}

// standardHeldWords is how long the planes of a class are whose log is not kept in
// memory.
const standardHeldWords = 1 << 20

// newLog begins a log of the class in work: in memory, or where that is large, in a file.
func (j *job) newLog() (*plylog.Log, error) {
	bits := j.sectionBits()
	words := len(j.class.Masks) * j.class.Words()
	if j.o.LogPath == "" || words < j.o.heldWords {
		return plylog.New(plylog.NewMemory(), words, bits), nil
	}
	store, err := plylog.NewFile(j.o.LogPath)
	if err != nil {
		return nil, fmt.Errorf("cannot write the log of a class: %w; see to the disk and solve again: the finished classes are kept", err)
	}
	return plylog.New(store, words, bits), nil
}

// countsBy tells which counts by steps the states of a frontier belong to.
type countsBy func(t *work.StateCounts) *[]uint64

func winsOf(t *work.StateCounts) *[]uint64   { return &t.StepsWins }
func lossesOf(t *work.StateCounts) *[]uint64 { return &t.StepsLosses }

// retire writes a frontier to a log as what a ply has labelled, counts it unless to is nil, and
// empties it, at the cost of what is in it.
func (f *fixpoint) retire(n *frontier, log *plylog.Log, ply int, to countsBy) error {
	if !n.any.Load() {
		return nil
	}
	log.Begin(ply)
	err := f.job.class.Pool.Run(log.Sections(), func(w *work.Worker, section int) {
		from, end := log.Section(section)
		marks := w.FreshMarks(end - from)
		if !n.take(from, end, marks) {
			return
		}
		plane := n.plane[from:end]
		if to != nil {
			f.countPly(w, from, plane, marks, ply, to(&w.Counts))
		}
		f.job.class.Pool.Fail(log.Append(ply, section, plane, marks, &w.Log))
		for from, end := range groups(marks, len(plane)) {
			clear(plane[from:end])
		}
	}, nil)
	n.empty()
	return err
}

// countPly counts the states of a stretch of the class that begins with word first.
func (f *fixpoint) countPly(w *work.Worker, first int, plane, marks []uint64, ply int, counts *[]uint64) {
	for len(*counts) <= ply {
		*counts = append(*counts, 0)
	}
	images, words := f.job.class.Images, f.job.level.words
	var stored uint64
	for from, end := range groups(marks, len(plane)) {
		// A group is of one block, or of several that are shorter than it.
		for from < end {
			block := (first + from) / words
			next := min(end, (block+1)*words-first)
			n := countStates(plane[from:next])
			from = next
			stored += uint64(n)
			(*counts)[ply] += uint64(n) * uint64(images[block])
		}
	}
	f.job.progress.Advance(stored)
}

// countStates counts the states of at most a group of words.
func countStates(words []uint64) (n int) {
	for mask := bitslice.NonZero(words); mask != 0; mask &= mask - 1 {
		n += bits.OnesCount64(words[bits.TrailingZeros64(mask)])
	}
	return n
}

// take moves the summary of words [from, end) to marks, which has a bit for each group
// of these words, and reports whether there are any.
func (n *frontier) take(from, end int, marks []uint64) (any bool) {
	for block := from / n.words; block*n.words < end; block++ {
		first := max(from-block*n.words, 0) >> bitslice.GroupBits // groups of the block
		last := (min(end-block*n.words, n.words) - 1) >> bitslice.GroupBits
		for i := first >> 6; i <= last>>6; i++ {
			at := &n.summary[block*n.perSum+i]
			here := ^uint64(0)
			if low := first - i<<6; low > 0 {
				here <<= uint(low)
			}
			if high := last - i<<6; high < 63 {
				here &= 1<<uint(high+1) - 1
			}
			taken := atomic.LoadUint64(at) & here
			if taken == 0 {
				continue
			}
			any = true
			atomic.AndUint64(at, ^taken) // another section may have a part of the block
			for ; taken != 0; taken &= taken - 1 {
				group := i<<6 | bits.TrailingZeros64(taken)
				mark(marks, block*n.words+group<<bitslice.GroupBits-from)
			}
		}
	}
	return any
}

// load puts what a ply has labelled in the class above into that class's delta
// frontier.
func (f *fixpoint) load(log *plylog.Log, ply int) error {
	if !log.Any(ply) {
		return nil
	}
	n := f.bySteps.delta
	err := f.job.class.Pool.Run(log.Sections(), func(w *work.Worker, section int) {
		f.job.class.Pool.Fail(log.Read(ply, section, &w.Log))
		first, _ := log.Section(section)
		plane := n.plane[first:]
		last, count := -1, 0
		for i, at := range w.Log.At {
			plane[at] = w.Log.Words[i]
			count += bits.OnesCount64(w.Log.Words[i])
			word := first + int(at)
			block := word / n.words
			if group := word % n.words >> bitslice.GroupBits; block*n.words+group != last {
				last = block*n.words + group
				atomic.OrUint64(&n.summary[block*n.perSum+group>>6], 1<<(uint(group)&63))
			}
		}
		n.states.Add(int64(count))
	}, nil)
	n.any.Store(true)
	return err
}
