package retro

import (
	"math/bits"

	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// newLogs makes empty logs for a class, in files if the class is large, in sections of at most 2^sectionBits
// words. There is a section for each task, but none is shorter than a unit or a group.
func (e *engine) newLogs(c *partition.Class, sectionBits int, logs ...**plylog.Log) error {
	words, unit := len(c.Masks)*c.Words(), e.unitsOf(c).Words
	for sectionBits > 0 && words>>sectionBits < e.tasks() {
		sectionBits--
	}
	return e.newLogsOf(words, max(sectionBits, bits.Len(uint(unit))-1, bitslice.GroupBits), words < e.heldWords, logs)
}

func (e *engine) newFileLogs(f *planeFile, logs ...**plylog.Log) error {
	return e.newLogsOf(f.words, bits.Len(uint(f.section))-1, false, logs)
}

// newLogsOf makes logs of planes with the given number of words, in sections of 2^sectionBits, held in
// memory or in files.
func (e *engine) newLogsOf(words, sectionBits int, held bool, logs []**plylog.Log) (err error) {
	for _, log := range logs {
		store := plylog.NewMemory()
		if e.o.LogPath != "" && !held {
			if store, err = newWorkFile(e.o.LogPath); err != nil {
				return err
			}
		}
		*log = plylog.New(store, words, sectionBits)
	}
	return nil
}

type logs struct{ won, lost *plylog.Log }

func (l *logs) both() [2]*plylog.Log { return [...]*plylog.Log{l.won, l.lost} }

// labels returns what the logs have of a section in a ply, in the memory of the buffers.
func (l *logs) labels(ply, section int, b *[2]plylog.Buffer) (p PlyLabels, err error) {
	p.Ply = ply
	if p.Won, err = l.won.Chunk(ply, section, &b[0]); err == nil {
		p.Lost, err = l.lost.Chunk(ply, section, &b[1])
	}
	return p, err
}

// count adds what was written to and read from work files to the result. The file may be nil.
func (e *engine) count(f *planeFile, logs ...*plylog.Log) {
	if f != nil {
		e.result.WorkWritten += f.written.Load()
		e.result.WorkRead += f.read.Load()
	}
	for _, log := range logs {
		written, read := log.Bytes()
		e.result.WorkWritten += written
		e.result.WorkRead += read
	}
}

// sections returns the sections of a log that have the units in work.
func (f *fixpoint) sections(log *plylog.Log) (first, end int) {
	words := log.SectionWords()
	return f.firstUnit * f.units.Words / words, (f.endUnit*f.units.Words + words - 1) / words
}

// retire writes a frontier to a log of the class as the labels of a ply, counts it, and empties it.
func (s *bySteps) retire(n *frontier, log *plylog.Log, ply int) {
	if !n.any.Load() {
		return
	}
	log.Begin(ply)
	first, end := s.sections(log)
	s.forEach(first, end, func(w *work.Worker, section int) {
		from, end := log.Section(section)
		marks := w.FreshMarks(end - from)
		if !n.take(from, end, marks) {
			return
		}
		plane := n.plane[from-n.first*n.words : end-n.first*n.words]
		counts := &w.Counts.StepsLosses
		if log == s.level.won {
			counts = &w.Counts.StepsWins
		}
		s.countPly(w, from, plane, marks, ply, counts)
		s.class.Pool.Fail(log.Append(ply, section, plane, marks, &w.Log))
		for from, end := range groups(marks, len(plane)) {
			clear(plane[from:end])
		}
	})
	n.empty()
}

// countPly counts the states of a plane that begins with word first of the class.
func (s *bySteps) countPly(w *work.Worker, first int, plane, marks []uint64, ply int, counts *[]uint64) {
	*counts = append(*counts, make([]uint64, max(ply+1-len(*counts), 0))...)
	images, words := s.class.Images, s.level.words
	var stored uint64
	for from, end := range groups(marks, len(plane)) {
		// A group lies in one block, or has several whole blocks.
		for from < end {
			block := (first + from) / words
			next := min(end, (block+1)*words-first)
			n := countStates(plane[from:next])
			from = next
			stored += uint64(n)
			(*counts)[ply] += uint64(n) * uint64(images[block])
		}
	}
	s.progress.Advance(stored)
}

// load reads the labels of a ply in sections first..end−1 into an empty frontier.
func (f *fixpoint) load(n *frontier, log *plylog.Log, ply, first, end int) {
	if !log.Any(ply) {
		return
	}
	f.forEach(first, end, func(w *work.Worker, section int) {
		f.class.Pool.Fail(log.Read(ply, section, &w.Log))
		first, _ := log.Section(section)
		n.add(w, first, w.Log.At, w.Log.Words)
	})
}
