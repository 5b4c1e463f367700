package retro

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// errSection is the cause if a section does not fit its class.
var errSection = errors.New("it is no section of the class")

// Shards are the shards of a class for a ShardScheduler.
type Shards struct {
	job    *job
	taken  []bool // sections
	units  work.Units
	buffer plylog.Buffer
}

// ShardScheduler is a Scheduler that has shards of classes solved in other processes.
type ShardScheduler interface {
	Scheduler
	// SolveShards returns when every section of the class was given to Take.
	SolveShards(ctx context.Context, s *Shards) error
}

// Class returns the class.
func (s *Shards) Class() int { return s.job.class.Class.Class }

// Sections returns the number of sections of the class.
func (s *Shards) Sections() int { return len(s.taken) }

// Take takes a section that another process has solved, and counts it. Taking one twice is no
// error. The error wraps ErrMiscounted where it cannot be solved so. It is not safe for concurrent
// use.
func (s *Shards) Take(of *SolvedSection) error {
	j := s.job
	first, end := j.level.file.bounds(max(0, min(of.Section, len(s.taken)-1)))
	if of.Section < 0 || of.Section >= len(s.taken) || len(of.Win) != len(of.Lose) || len(of.Win) != end-first {
		return fmt.Errorf("%w: %w", ErrMiscounted, errSection)
	}
	if s.taken[of.Section] {
		return nil
	}
	valid := bitslice.Valid(j.class.IndexBits)
	for i, x := range of.Win {
		if x&of.Lose[i]|(x|of.Lose[i])&^valid != 0 {
			return fmt.Errorf("%w: section %d of class %d", ErrMiscounted, of.Section, s.Class())
		}
	}
	if err := j.level.takeSection(of, &s.buffer); err != nil {
		return err
	}
	if j.o.Steps {
		if err := s.countSteps(of, first); err != nil {
			return err
		}
	}
	block, words := first/j.level.words, j.level.words
	err := j.class.Pool.Run(len(of.Win)/words, func(w *work.Worker, i int) {
		t := j.class.Terminals(w, block+i, w.Buffer(work.WonBuffer, words), bitslice.Whole(s.units.K))
		w.Count(s.units, block+i, j.class.Images[block+i], of.Win[i*words:][:words], of.Lose[i*words:][:words], t)
	}, nil)
	s.taken[of.Section] = err == nil
	j.progress.Advance(uint64(len(of.Win)/words) << uint(j.class.IndexBits))
	return err
}

// countSteps counts the states of a section that begins with a word of the class by plies. They must
// be those of the outcomes.
func (s *Shards) countSteps(of *SolvedSection, first int) error {
	j := s.job
	var sum work.StateCounts
	win, lose := slices.Clone(of.Win), slices.Clone(of.Lose)
	for _, p := range of.Plies {
		for _, o := range []struct {
			log    *plylog.Log
			counts *[]uint64
			left   []uint64
		}{{j.level.won, &sum.StepsWins, win}, {j.level.lost, &sum.StepsLosses, lose}} {
			if err := o.log.Read(p.Ply, of.Section, &s.buffer); err != nil {
				return err
			}
			for i, at := range s.buffer.At {
				for len(*o.counts) <= p.Ply {
					*o.counts = append(*o.counts, 0)
				}
				x := s.buffer.Words[i]
				if x&^o.left[at] != 0 {
					return fmt.Errorf("%w: the steps of section %d of class %d", ErrMiscounted, of.Section, s.Class())
				}
				o.left[at] &^= x
				(*o.counts)[p.Ply] += uint64(bits.OnesCount64(x)) * uint64(j.class.Images[(first+int(at))/j.level.words])
			}
		}
	}
	if bitslice.Any(win) || bitslice.Any(lose) {
		return fmt.Errorf("%w: section %d of class %d has states without steps", ErrMiscounted, of.Section, s.Class())
	}
	counts := &j.class.Pool.Workers[0].Counts
	for _, o := range []struct {
		to   *[]uint64
		from []uint64
	}{{&counts.StepsWins, sum.StepsWins}, {&counts.StepsLosses, sum.StepsLosses}} {
		for ply, n := range o.from {
			for len(*o.to) <= ply {
				*o.to = append(*o.to, 0)
			}
			(*o.to)[ply] += n
		}
	}
	return nil
}

// takeSection adds a section to the file and the logs of a level.
func (l *level) takeSection(of *SolvedSection, b *plylog.Buffer) error {
	first, end := l.file.bounds(of.Section)
	if len(of.Win) != end-first || len(of.Lose) != end-first {
		return errSection
	}
	if err := l.write(first, of.Win, of.Lose); err != nil || l.won == nil {
		return err
	}
	for _, p := range of.Plies {
		if err := appendLabels(l.won, l.lost, of.Section, p, b); err != nil {
			return err
		}
	}
	return nil
}

// appendLabels adds labels of a section to logs.
func appendLabels(won, lost *plylog.Log, section int, p PlyLabels, b *plylog.Buffer) error {
	for _, of := range []struct {
		log   *plylog.Log
		chunk []byte
	}{{won, p.Won}, {lost, p.Lost}} {
		if len(of.chunk) == 0 {
			continue
		}
		if !of.log.Any(p.Ply) {
			of.log.Begin(p.Ply)
		}
		if err := of.log.AppendChunk(p.Ply, section, of.chunk, b); err != nil {
			return err
		}
	}
	return nil
}

// solvedSection reads a section from the file and the logs of a level.
func (l *level) solvedSection(section int) (*SolvedSection, error) {
	first, end := l.file.bounds(section)
	of := &SolvedSection{Section: section, Win: make([]uint64, end-first), Lose: make([]uint64, end-first)}
	err := l.readOutcomes([][]uint64{of.Win, of.Lose}, first)
	if err != nil || l.won == nil {
		return of, err
	}
	b := logBuffers.Get().(*plylog.Buffer)
	defer logBuffers.Put(b)
	for ply := range max(l.won.Plies(), l.lost.Plies()) {
		won, err := l.won.Chunk(ply, section, b)
		if err != nil {
			return nil, err
		}
		won = slices.Clone(won)
		lost, err := l.lost.Chunk(ply, section, b)
		if err != nil {
			return nil, err
		}
		if won != nil || lost != nil {
			of.Plies = append(of.Plies, PlyLabels{ply, won, slices.Clone(lost)})
		}
	}
	return of, nil
}

// Above returns the number of sections of the class above, 0 where there is none.
func (s *Shards) Above() int {
	if s.job.above == nil {
		return 0
	}
	return s.job.above.file.sections()
}

// ReadAbove returns a section of the class above, for workers that have lost it. It is safe for
// concurrent use.
func (s *Shards) ReadAbove(section int) (*SolvedSection, error) {
	if section < 0 || section >= s.Above() {
		return nil, fmt.Errorf("above class %d there is no section %d: this is a bug; please report it", s.Class(), section)
	}
	return s.job.above.solvedSection(section)
}

// solveElsewhere has the class solved by other processes.
func (j *job) solveElsewhere(scheduler ShardScheduler) (err error) {
	if j.level.file, err = j.newPlaneFile(j.class.Class, outcomePlanes); err != nil {
		return err
	}
	if j.o.Steps {
		if err = j.newLevelLogs(j.level); err != nil {
			return err
		}
	}
	j.class.ResetCounts(0)
	s := &Shards{job: j, taken: make([]bool, j.level.file.sections()), units: work.WholeBlocks(j.class.Class)}
	err = scheduler.SolveShards(j.class.Pool.Context(), s)
	if err == nil && slices.Contains(s.taken, false) {
		err = fmt.Errorf("not all sections of class %d are solved: this is a bug; please report it", s.Class())
	}
	return err
}

// sharedSection returns the words of a section of a class.
func sharedSection(c *partition.Class, steps bool) int {
	return int(plan.SharedSection(int64(len(c.Masks)), int64(c.Words()), steps))
}
