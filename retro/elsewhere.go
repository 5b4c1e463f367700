package retro

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/retro/internal/work"
)

// errSection is the cause if a section does not fit its class.
var errSection = errors.New("it is no section of the class")

// Shards are the shards of a class for a ShardScheduler.
type Shards struct {
	job   *job
	taken []bool // sections
	units work.Units
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

// Words returns the words of a section of this class or the one above.
func (s *Shards) Words(class, section int) int {
	c := s.job.class.Cut.Class(class)
	words := sharedSection(c, s.job.o.Steps)
	return min(len(c.Masks)*c.Words()-section*words, words)
}

// Take takes the outcomes of a section that another process has solved, and counts them. Taking one
// twice is no error. The error wraps ErrMiscounted where they cannot be outcomes. It is not safe for
// concurrent use.
func (s *Shards) Take(section int, win, lose []uint64) error {
	j := s.job
	if section < 0 || section >= len(s.taken) || len(win) != len(lose) || len(win) != s.Words(s.Class(), section) {
		return fmt.Errorf("%w: %w", ErrMiscounted, errSection)
	}
	if s.taken[section] {
		return nil
	}
	valid := bitslice.Valid(j.class.IndexBits)
	for i, x := range win {
		if x&lose[i]|(x|lose[i])&^valid != 0 {
			return fmt.Errorf("%w: section %d of class %d", ErrMiscounted, section, s.Class())
		}
	}
	first, _ := j.level.file.bounds(section)
	if err := j.level.write(first, win, lose); err != nil {
		return err
	}
	block, words := first/j.level.words, j.level.words
	err := j.class.Pool.Run(len(win)/words, func(w *work.Worker, i int) {
		t := j.class.Terminals(w, block+i, w.Buffer(work.WonBuffer, words), bitslice.Whole(s.units.K))
		w.Count(s.units, block+i, j.class.Images[block+i], win[i*words:][:words], lose[i*words:][:words], t)
	}, nil)
	s.taken[section] = err == nil
	j.progress.Advance(uint64(len(win)/words) << uint(j.class.IndexBits))
	return err
}

// Above returns the number of sections of the class above, 0 where there is none.
func (s *Shards) Above() int {
	if s.job.above == nil {
		return 0
	}
	return s.job.above.file.sections()
}

// ReadAbove returns the outcomes of a section of the class above, for workers that have lost them.
// It is safe for concurrent use.
func (s *Shards) ReadAbove(section int) (win, lose []uint64, err error) {
	above := s.job.above
	if above == nil || section < 0 || section >= above.file.sections() {
		return nil, nil, fmt.Errorf("above class %d there is no section %d: this is a bug; please report it", s.Class(), section)
	}
	first, end := above.file.bounds(section)
	win, lose = make([]uint64, end-first), make([]uint64, end-first)
	return win, lose, above.readOutcomes([][]uint64{win, lose}, first)
}

// solveElsewhere has the class solved by other processes.
func (j *job) solveElsewhere(scheduler ShardScheduler) (err error) {
	if j.level.file, err = j.newPlaneFile(j.class.Class, outcomePlanes); err != nil {
		return err
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
