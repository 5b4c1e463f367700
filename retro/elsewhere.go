package retro

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// errSection is the cause if a section does not fit its class.
var errSection = errors.New("it is no section of the class")

// Shards are the shards of a class for a ShardScheduler.
type Shards struct {
	job     *job
	taken   []bool // sections
	counts  StateCounts
	parts   []format.Part // where other processes write the class
	buffer  plylog.Buffer
	reading sync.Mutex // of the class above from the table
}

// ShardScheduler is a Scheduler that has shards of classes solved in other processes.
type ShardScheduler interface {
	Scheduler
	// SolveShards returns when every section of the class was given to Take. With
	// Options.WrittenElsewhere the class is given to Written instead.
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
	if of.Section >= 0 && of.Section < len(s.taken) && s.taken[of.Section] {
		return nil
	}
	digits := 0
	if n := len(of.Plies); n > 0 {
		digits = work.DigitsFor(of.Plies[n-1].Ply)
	}
	steps, err := j.level.stepPlanes(of, digits, &s.buffer)
	if err != nil {
		return err
	}
	counts, err := j.countSection(j.class, of.Section, of.Win, of.Lose, steps)
	if err == nil {
		err = j.level.takeSection(of, &s.buffer)
	}
	if err != nil {
		return err
	}
	s.counts.Add(counts)
	s.taken[of.Section] = true
	j.progress.Advance(uint64(len(of.Win)/j.level.words) << uint(j.class.IndexBits))
	return nil
}

// Layout returns where the outcomes and steps of the class are to be in the table, for processes that
// write them there. The last states are decided in ply plies−1.
func (s *Shards) Layout(plies int) (parts []format.Part, err error) {
	var counts tablebase.Counts
	if s.job.o.Steps {
		counts.BySteps = make([]tablebase.StepCounts, plies)
	}
	s.parts, err = s.job.table.Layout(s.job.level.table(), counts)
	return s.parts, err
}

// Written takes the class from the processes that have solved it and written it into the table: the
// counts of its states, and of both parts of the layout the checksums of the pieces of its sections,
// in their order (see format.Part.JoinSums).
func (s *Shards) Written(counts *StateCounts, pieces [][]uint32) error {
	j := s.job
	j.class.ResetCounts(0)
	j.class.Pool.Workers[0].Counts.Add(counts)
	sums, err := j.counts()
	if err != nil {
		return err
	}
	parts, err := j.table.Layout(j.level.table(), sums)
	if err == nil && !slices.Equal(parts, s.parts) {
		err = fmt.Errorf("class %d has other steps than were written: this is a bug; please report it", s.Class())
	}
	if err != nil {
		return err
	}
	var words []int64
	cut := j.sectioning(j.class.Class)
	for section := range s.taken {
		first, end := cut.bounds(section)
		words = append(words, int64(end-first))
		s.taken[section] = true
	}
	if j.level.sums, err = joinSums(s.Class(), parts, words, pieces); err == nil {
		s.counts = *counts
		j.progress.Advance(j.class.States())
	}
	return err
}

// stepPlanes returns the binary digits of the steps of a section's states, so many, none without
// steps. The error wraps ErrMiscounted unless each state that is won or lost is in one ply.
func (l *level) stepPlanes(of *SolvedSection, digits int, b *plylog.Buffer) (bitslice.Numbers, error) {
	if l.won == nil {
		return nil, nil
	}
	wrong := fmt.Errorf("%w: the steps of section %d of class %d", ErrMiscounted, of.Section, l.class.Class)
	steps := make(bitslice.Numbers, digits)
	for i := range steps {
		steps[i] = make([]uint64, len(of.Win))
	}
	left := [...][]uint64{slices.Clone(of.Win), slices.Clone(of.Lose)}
	for _, p := range of.Plies {
		for i, chunk := range [][]byte{p.Won, p.Lost} {
			if len(chunk) == 0 {
				continue
			}
			if err := l.won.Unpack(of.Section, chunk, b); err != nil {
				return nil, err
			}
			for k, at := range b.At {
				x := b.Words[k]
				if int(at) >= len(left[i]) || x&^left[i][at] != 0 || p.Ply>>uint(digits) != 0 {
					return nil, wrong
				}
				left[i][at] &^= x
				for d := range steps {
					if p.Ply>>uint(d)&1 == 1 {
						steps[d][at] |= x
					}
				}
			}
		}
	}
	if bitslice.Any(left[0]) || bitslice.Any(left[1]) {
		return nil, wrong
	}
	return steps, nil
}

// countSection counts the states of a section of a class. The error wraps ErrMiscounted where they
// cannot be those of one.
func (e *engine) countSection(class *work.Class, section int, win, lose []uint64, steps bitslice.Numbers) (*StateCounts, error) {
	words := class.Words()
	first, end := e.sectioning(class.Class).bounds(section)
	if section < 0 || first >= end || len(win) != end-first || len(lose) != end-first {
		return nil, fmt.Errorf("%w: %w", ErrMiscounted, errSection)
	}
	valid := bitslice.Valid(class.IndexBits)
	for i, x := range win {
		if x&lose[i]|(x|lose[i])&^valid != 0 {
			return nil, fmt.Errorf("%w: section %d of class %d", ErrMiscounted, section, class.Class.Class)
		}
	}
	class.ResetCounts(len(steps))
	u, block := work.WholeBlocks(class.Class), first/words
	err := class.Pool.Run(len(win)/words, func(w *work.Worker, i int) {
		win, lose, images := win[i*words:][:words], lose[i*words:][:words], class.Images[block+i]
		t := class.Terminals(w, block+i, w.Buffer(work.WonBuffer, words), bitslice.Whole(u.K))
		w.Count(u, block+i, images, win, lose, t)
		if e.o.Steps {
			of := make(bitslice.Numbers, len(steps))
			for d, plane := range steps {
				of[d] = plane[i*words:][:words]
			}
			of.CountNumbers(w.Counts.StepsWins, w.Counts.StepsLosses, win, lose, uint64(images))
		}
	}, nil)
	return class.Sum(), err
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
	j := s.job
	if j.above == nil {
		return 0
	}
	return j.sectioning(j.above.class).sections()
}

// ReadAbove returns a section of the class above, for workers that have lost it. It is safe for
// concurrent use.
func (s *Shards) ReadAbove(section int) (*SolvedSection, error) {
	j := s.job
	if section < 0 || section >= s.Above() {
		return nil, fmt.Errorf("above class %d there is no section %d: this is a bug; please report it", s.Class(), section)
	}
	s.reading.Lock()
	if j.above.file == nil { // others have written it
		if err := j.readPrevious(len(j.table.Sealed()) - 1); err != nil {
			s.reading.Unlock()
			return nil, err
		}
		j.above = j.previous
	}
	s.reading.Unlock()
	return j.above.solvedSection(section)
}

// solveElsewhere has the class solved by other processes.
func (j *job) solveElsewhere(scheduler ShardScheduler) (err error) {
	c := j.class.Class
	if !j.o.WrittenElsewhere {
		if j.level.file, err = j.newPlaneFile(c, outcomePlanes); err != nil {
			return err
		}
		if j.o.Steps {
			if err = j.newLevelLogs(j.level); err != nil {
				return err
			}
		}
	}
	s := &Shards{job: j, taken: make([]bool, j.sectioning(c).sections())}
	err = scheduler.SolveShards(j.class.Pool.Context(), s)
	if err == nil && slices.Contains(s.taken, false) {
		err = fmt.Errorf("not all sections of class %d are solved: this is a bug; please report it", s.Class())
	}
	j.class.ResetCounts(0)
	j.class.Pool.Workers[0].Counts.Add(&s.counts)
	return err
}

// sharedSection returns the words of a section of a class.
func sharedSection(c *partition.Class, steps bool) int {
	return int(plan.SharedSection(int64(len(c.Masks)), int64(c.Words()), steps))
}
