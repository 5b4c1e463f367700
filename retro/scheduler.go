package retro

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/plylog"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Scheduler has a class solved by other processes. These have the planes; this one has the counts of
// the states and the checksums of the table alone. It returns when the class is solved, written into
// the table and given to c.Written, or when ctx ends, with its cause. Its error ends the whole solve.
type Scheduler func(ctx context.Context, c *SharedClass) error

// SharedClass is a class for a Scheduler to have solved. It is not safe for concurrent use.
type SharedClass struct {
	job    *job
	solved int           // blocks that were reported
	parts  []format.Part // where the class is written
}

// Class returns the number of the class.
func (c *SharedClass) Class() int { return c.job.class.Class.Class }

// Progress reports how many blocks of the class are solved.
func (c *SharedClass) Progress(blocks int) {
	c.job.progress.Advance(uint64(blocks-c.solved) << uint(c.job.class.IndexBits))
	c.solved = blocks
}

// Layout returns where the outcomes and numbers of the class are to be written, and in which file.
// Its steps, or nimbers, are below this number.
func (c *SharedClass) Layout(numbers int) (parts []format.Part, file string, err error) {
	var counts tablebase.Counts
	if c.job.o.numbered() {
		counts.BySteps = make([]tablebase.StepCounts, numbers)
	}
	if err := c.job.sealed(); err != nil { // the class above, which comes before it
		return nil, "", err
	}
	c.parts, file, err = c.job.table.Layout(c.job.level.table(), counts)
	return c.parts, file, err
}

// Written takes the class when it is written: the counts of its states, and of both parts of the layout
// the checksums of the pieces of successive stretches, whose lengths in words are given (see format.Part.JoinSums).
func (c *SharedClass) Written(counts *StateCounts, words []int64, pieces [][]uint32) error {
	j := c.job
	j.class.ResetCounts(0)
	j.class.Pool.Workers[0].Counts.Add(counts)
	sums, err := j.class.Counts(counts, j.shape())
	if err != nil {
		return err
	}
	parts, _, err := j.table.Layout(j.level.table(), sums)
	if err != nil {
		return err
	}
	if !slices.Equal(parts, c.parts) {
		return fmt.Errorf("class %d has other numbers than were written: this is a bug; please report it", c.Class())
	}
	for i, p := range parts {
		joined := p.JoinSums(words, pieces[i])
		if joined == nil {
			return fmt.Errorf("what was written of class %d does not fit together: this is a bug; please report it", c.Class())
		}
		j.level.sums = append(j.level.sums, joined)
	}
	c.Progress(len(j.class.Masks))
	return nil
}

func (c *SharedClass) loadAbove(first, blocks int, planes *tablebase.Planes) error {
	if above := c.job.above; above == nil || first < 0 || blocks < 1 || first+blocks > len(above.class.Masks) {
		return fmt.Errorf("above class %d there are no blocks %d to %d: this is a bug; please report it", c.Class(), first, first+blocks-1)
	}
	if err := c.job.sealed(); err != nil {
		return err
	}
	return c.job.table.LoadRun(len(c.job.table.Sealed())-1, first, blocks, planes)
}

// AboveBlocks reads blocks of the class above from the table, for workers that have lost them.
func (c *SharedClass) AboveBlocks(first, blocks int) (*SolvedBlocks, error) {
	var planes tablebase.Planes
	if err := c.loadAbove(first, blocks, &planes); err != nil {
		return nil, err
	}
	for n := len(planes.Steps); n > 0 && !bitslice.Any(planes.Steps[n-1]); n-- {
		planes.Steps = planes.Steps[:n-1]
	}
	above := c.job.above
	return &SolvedBlocks{Class: above.class.Class, First: first, Words: above.words, Win: planes.Win, Digits: planes.Steps}, nil
}

// AboveSection is AboveBlocks for a section of a class that is solved in shards.
func (c *SharedClass) AboveSection(section int) (*SolvedSection, error) {
	j, above, r := c.job, c.job.above, new(logReplay)
	if above == nil {
		return nil, c.loadAbove(0, 0, nil)
	}
	cut := j.sectioning(above.class)
	first, end := cut.bounds(section)
	if err := c.loadAbove(first/above.words, (end-first)/above.words, &r.planes); err != nil {
		return nil, err
	}
	solved := &SolvedSection{Section: section, Win: r.planes.Win, Lose: r.planes.Lose}
	if !j.o.Steps {
		return solved, nil
	}
	held := level{class: above.class, win: make([]uint64, end-first), lose: make([]uint64, end-first)}
	for _, log := range []**plylog.Log{&held.won, &held.lost} {
		*log = plylog.New(plylog.NewMemory(), end-first, bits.Len(uint(cut.section))-1)
	}
	sealed := j.table.Sealed()
	held.beginPlies(sealed[len(sealed)-1].Counts)
	err := r.take(&held, 0, new(plylog.Buffer))
	if err == nil {
		solved.Plies, err = held.plies(0)
	}
	return solved, err
}

func (j *job) solveElsewhere() error {
	err := j.o.Scheduler(j.class.Pool.Context, &SharedClass{job: j})
	if err == nil && j.level.sums == nil {
		err = fmt.Errorf("class %d is not solved: this is a bug; please report it", j.class.Class.Class)
	}
	return err
}
