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

// deriveSample derives random states.
func (v *verification) deriveSample(ctx context.Context) error {
	tasks := (v.options.Sample + sampleTask - 1) / sampleTask
	return share(ctx, v.options.Threads, tasks, func(tasks iter.Seq[uint64]) error {
		d := newDeriver(v.table, v.table.Value)
		for task := range tasks {
			if err := v.deriveTask(d, task); err != nil {
				return err
			}
		}
		return nil
	})
}

// deriveTask derives the random states of a task.
func (v *verification) deriveTask(d *deriver, task uint64) error {
	r := rand.New(rand.NewPCG(v.options.Seed, task))
	states := min(sampleTask, v.options.Sample-task*sampleTask)
	taken := v.table.Space().Taken
	for range states {
		p := v.random(d.rules, r)
		p.X |= taken
		stored, err := d.value(p)
		if err != nil {
			return err
		}
		derived, _, err := d.derive(p)
		if errors.Is(err, probe.ErrNotInTable) {
			v.passOver()
			continue
		}
		if err != nil {
			return err
		}
		if stored != derived {
			v.differ(d.rules.Format(p), stored, derived)
		}
	}
	v.derived(states, v.options.Sample)
	return nil
}

// random returns a state of the table, each with the same probability.
func (v *verification) random(rules game.Grid, r *rand.Rand) game.Position {
	if !v.table.Opening() {
		return probe.RandomPosition(rules, r)
	}
	space, class := v.table.Space(), v.table.Classes()-1
	for n := r.Uint64N(space.StatesOf(v.table.Classes())); class > 0 && n < space.StatesOf(class); {
		class--
	}
	return space.Position(partition.State{
		Class: class, Mask: randomMask(space.MaskBits, class, r), Index: uint32(r.Uint64N(1 << uint(space.IndexBits[class]))),
	})
}
