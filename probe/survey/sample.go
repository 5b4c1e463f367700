package survey

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
)

// batchTasks is how many tasks of a sample are looked up together, in the order of the
// file: of a table that is packed or larger than memory a stretch is then read once a
// batch, and not once a state. A batch takes some 400 MB where positions have forty moves.
const batchTasks = 1 << 6

// deriveSample derives a random sample of states again.
func (v *verification) deriveSample(ctx context.Context) error {
	tasks := (v.options.Sample + sampleTask - 1) / sampleTask
	for first := uint64(0); first < tasks; first += batchTasks {
		if err := v.deriveBatch(ctx, first, min(first+batchTasks, tasks)); err != nil {
			return err
		}
	}
	return nil
}

// deriveBatch goes through the states of tasks [first, end) twice: to list which values
// are asked for, and when these are known, to compare.
func (v *verification) deriveBatch(ctx context.Context, first, end uint64) error {
	asked := make([]ask, end-first)
	err := share(ctx, v.options.Threads, end-first, func(tasks iter.Seq[uint64]) error {
		for task := range tasks {
			a := &asked[task]
			d := newDeriver(v.table, a.note(v.table))
			err := v.eachSampled(first+task, func(p game.Position) error { return a.list(d, p) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := lookUp(ctx, v.table, v.options.Threads, asked); err != nil {
		return err
	}
	return share(ctx, v.options.Threads, end-first, func(tasks iter.Seq[uint64]) error {
		for task := range tasks {
			if err := v.compare(first+task, &asked[task]); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachSampled calls do for the states of a task, each state of the whole game with the
// same probability.
func (v *verification) eachSampled(task uint64, do func(p game.Position) error) error {
	r := rand.New(rand.NewPCG(v.options.Seed, task))
	taken := v.table.Space().Taken
	for range min(sampleTask, v.options.Sample-task*sampleTask) {
		p := v.random(r)
		p.X |= taken
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// compare derives the states of a task from what was looked up.
func (v *verification) compare(task uint64, a *ask) error {
	at := 0
	d := newDeriver(v.table, func(game.Position) (probe.Value, error) {
		at++
		if v := a.values[at-1]; v != beyond {
			return v, nil
		}
		return beyond, probe.ErrOutOfTable
	})
	states := 0
	err := v.eachSampled(task, func(p game.Position) error {
		at = int(a.first[states])
		states++
		stored, err := d.value(p)
		if err != nil {
			return err
		}
		derived, _, err := d.derive(p)
		if errors.Is(err, probe.ErrOutOfTable) {
			v.passOver()
			return nil
		}
		if err == nil && stored != derived {
			v.differValues(d.rules.Format(p), stored, derived)
		}
		return err
	})
	v.derived(uint64(states), v.options.Sample)
	return err
}

// random returns a state of the table, each with the same probability.
func (v *verification) random(r *rand.Rand) game.Position {
	if !v.table.Opening() {
		return probe.RandomPosition(v.table.Rules(), r)
	}
	space, class := v.table.Space(), v.table.Classes()-1
	for n := r.Uint64N(space.StatesOf(v.table.Classes())); class > 0 && n < space.StatesOf(class); {
		class--
	}
	return space.Position(partition.State{
		Class: class, Mask: randomMask(space.MaskBits, class, r), Index: uint32(r.Uint64N(1 << uint(space.IndexBits[class]))),
	})
}
