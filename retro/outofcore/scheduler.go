package outofcore

import (
	"context"
	"fmt"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Scheduler has other processes solve the subclasses of a space, and keeps their slices.
type Scheduler interface {
	// Sealed returns what a subclass has come to that was sealed before, nil where it was not.
	Sealed(ctx context.Context, s Subclass) (*Sum, error)
	// Solve returns when every block of a subclass has been solved once and delivered to
	// r.Take. The slices of the class above, and of the other half, are with the scheduler. When
	// ctx ends it returns its cause. Its error ends the solve.
	Solve(ctx context.Context, r *Round) error
	// Slices returns what reads the slices of a finished subclass, as they were stored, block
	// after block, each good until the next one. Its error wraps ErrGone where they are gone.
	Slices(ctx context.Context, s Subclass) func(block int) ([]byte, error)
	// Seal keeps what a subclass has come to.
	Seal(ctx context.Context, s Subclass, of *Sum) error
	// Drop lets go of the slices of a subclass, which nothing is read from any more. A second
	// time it does nothing.
	Drop(ctx context.Context, s Subclass) error
}

// Sum is what the blocks of a subclass add up to.
type Sum struct {
	Counts retro.StateCounts `json:"Tally"`
	// First are the values of those positions that are noted.
	First []FirstValue
}

// Round is the work of a scheduler on one subclass.
type Round struct {
	Subclass
	// Blocks is how many there are.
	Blocks   int
	class    *work.Class
	noted    []first
	solved   []bool
	left     int
	unpacker codec
	progress *work.Progress
}

// Wants reports whether the slice of a block is to be delivered with it.
func (r *Round) Wants(block int) bool {
	for i := range r.noted {
		if r.noted[i].block == block { // and nothing else of it: its value may just be taken
			return true
		}
	}
	return false
}

// Take takes what blocks add up to that are solved, and those of their slices that are
// wanted, as they were stored. It is not safe for concurrent use. Its error says why
// they are refused.
func (r *Round) Take(first, blocks int, t *retro.StateCounts, stored map[int][]byte) error {
	if first < 0 || blocks < 1 || first+blocks > r.Blocks {
		return fmt.Errorf("class %d has no %d blocks from %d on", r.Class, blocks, first)
	}
	for _, by := range [][]uint64{t.Wins, t.Losses, t.TerminalWins, t.TerminalLosses} {
		if len(by) != r.class.IndexBits+1 {
			return fmt.Errorf("%d weights of class %d are counted, not %d", len(by), r.Class, r.class.IndexBits+1)
		}
	}
	if slices.Contains(r.solved[first:first+blocks], true) {
		return fmt.Errorf("blocks %d to %d of class %d are solved twice; this is a mistake in the program, please report it", first, first+blocks-1, r.Class)
	}
	for i := range r.noted {
		if v := &r.noted[i]; v.block >= first && v.block < first+blocks {
			if err := r.note(v, stored[v.block]); err != nil {
				return err
			}
		}
	}
	for i := range blocks {
		r.solved[first+i] = true
	}
	r.left -= blocks
	r.class.Pool.Workers[0].Counts.Add(t)
	r.progress.Advance(uint64(blocks) << uint(r.class.IndexBits))
	return nil
}

// Drop takes back blocks that Take has taken, with what they add up to. They must be solved and
// delivered again. It is not safe for concurrent use with Take.
func (r *Round) Drop(first, blocks int, t *retro.StateCounts) {
	for i := range blocks {
		r.solved[first+i] = false
	}
	r.left += blocks
	r.class.Pool.Workers[0].Counts.Sub(t)
	r.progress.Advance(-(uint64(blocks) << uint(r.class.IndexBits)))
}

// note takes the value of a position out of the slice that has it.
func (r *Round) note(v *first, stored []byte) error {
	slice := r.unpacker.slice
	if !r.restore(slice, stored) {
		return fmt.Errorf("block %d of class %d is delivered without its slice; this is a mistake in the program, please report it", v.block, r.Class)
	}
	v.Won = slice[v.index/64]>>(v.index%64)&1 == 1
	return nil
}

// restore writes a slice as it was before it was stored. It reports false where the bytes are
// none of a slice.
func (r *Round) restore(slice []uint64, stored []byte) bool {
	b := bitslice.Bytes(slice)
	if len(stored) == len(b) {
		copy(b, stored)
		return true
	}
	return r.unpacker.unpack(b, stored) == nil
}

// sum is what all blocks have come to.
func (r *Round) sum() (*Sum, error) {
	if r.left > 0 {
		return nil, fmt.Errorf("%d blocks of class %d are not solved; this is a mistake in the program, please report it", r.left, r.Class)
	}
	sum := &Sum{Counts: *r.class.Sum()}
	for _, v := range r.noted {
		sum.First = append(sum.First, v.FirstValue)
	}
	return sum, nil
}

// driver has a scheduler solve a space.
type driver struct {
	cutting
	o         Options
	scheduler Scheduler
	cuts      []*partition.Cut
	progress  *work.Progress
	sealed    []ClassCounts
	values    []FirstValue
	before    uint64 // states of the subclasses that are finished
	resumed   int
	readers   map[int]func(block int) ([]byte, error) // of slices, by subclass
}

// SolveBy has a scheduler solve a space, from where an earlier one has left off. Of the options,
// threads and memory are those that it takes to cut the space. The error wraps ErrGone where the
// opening table lacks classes whose slices are gone.
func SolveBy(ctx context.Context, space *partition.Space, o Options, scheduler Scheduler) (*Result, error) {
	d := &driver{cutting: newCutting(space), o: standard(o), scheduler: scheduler, readers: map[int]func(int) ([]byte, error){}}
	var err error
	if d.cuts, err = d.cutting.cuts(d.o.Threads); err != nil {
		return nil, err
	}
	defer d.cuts[0].Free()
	d.progress = work.NewProgress(d.o.Progress, d.cuts[0].Stored()*uint64(len(d.cuts)))
	for number := range d.subclasses() {
		if err := d.solveSubclass(ctx, d.subclass(number)); err != nil {
			return nil, err
		}
	}
	r, err := d.result(d.sealed, d.values)
	if err == nil {
		r.Resumed = d.resumed / len(d.spaces)
	}
	return r, err
}

// solveStage has a subclass solved and sealed, unless it is.
func (d *driver) solveSubclass(ctx context.Context, at Subclass) error {
	sum, err := d.scheduler.Sealed(ctx, at)
	if err != nil {
		return err
	}
	r := d.round(at)
	fresh := sum == nil
	if fresh {
		d.progress.Begin(at.Class, d.before)
		if err = d.scheduler.Solve(ctx, r); err == nil {
			sum, err = r.sum()
		}
	} else {
		d.resumed++
		r.class.Pool.Workers[0].Counts.Add(&sum.Counts)
	}
	if err != nil {
		return err
	}
	if err := d.take(ctx, r, sum); err != nil {
		return err
	}
	if fresh {
		if err := d.scheduler.Seal(ctx, at, sum); err != nil {
			return err
		}
	}
	if gone := at.Number - len(d.spaces); gone >= 0 {
		delete(d.readers, gone)
		if err := d.scheduler.Drop(ctx, d.subclass(gone)); err != nil {
			return err
		}
	}
	if fresh && at.Last {
		d.progress.Sealed(at.Class)
	}
	return nil
}

// round is the work on a subclass.
func (d *driver) round(at Subclass) *Round {
	pool := work.NewPool(context.Background(), 1, 1)
	c := work.NewClass(d.cuts[at.Half], at.Class, pool)
	c.ResetCounts(0)
	blocks := len(c.Masks)
	r := &Round{Subclass: at, Blocks: blocks, class: c, solved: make([]bool, blocks), left: blocks, progress: d.progress}
	r.noted = d.notedIn(at, c.Class)
	r.unpacker.slice = make([]uint64, c.Words())
	return r
}

// take counts a subclass, and seals its class into the opening table.
func (d *driver) take(ctx context.Context, r *Round, sum *Sum) error {
	counts, err := r.class.Counts(tablebase.Shape{})
	if err != nil {
		return err
	}
	d.sealed = append(d.sealed, ClassCounts{r.Class, r.class.IndexBits, r.Blocks, counts})
	d.values = append(d.values, sum.First...)
	d.before += r.class.States()
	if !r.Last || !d.o.Opening.has(r.Class) {
		return nil
	}
	whole := d.whole(d.sealed[len(d.sealed)-len(d.spaces):])
	return d.o.Opening.seal(whole, r.class.Masks, d.wholeSlices(r.Subclass, func(number, block int, dst []uint64) ([]uint64, error) {
		return d.readSlice(ctx, r, number, block, dst)
	}))
}

// readSlice reads the slice of a block of a finished subclass, into dst unless that is nil.
func (d *driver) readSlice(ctx context.Context, r *Round, number, block int, dst []uint64) ([]uint64, error) {
	if d.readers[number] == nil {
		d.readers[number] = d.scheduler.Slices(ctx, d.subclass(number))
	}
	stored, err := d.readers[number](block)
	if err != nil {
		return nil, err
	}
	if dst == nil {
		dst = make([]uint64, r.class.Words())
	}
	if !r.restore(dst, stored) {
		return nil, noSlice(block, r.Class)
	}
	return dst, nil
}
