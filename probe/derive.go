package probe

import (
	"context"
	"iter"
	"math/rand/v2"

	"backsolve/game"
)

// deriver derives the values of positions from those of the positions after
// them, one at a time.
type deriver struct {
	*Table
	value func(p game.Position) (Value, error) // as stored
	moves []game.Move
}

// derive returns the value that a position has by the rules, and whether it is
// over.
func (d *deriver) derive(p game.Position) (v Value, over bool, err error) {
	if outcome, over := d.rules.Terminal(p); over {
		return d.terminalValue(outcome), true, nil
	}
	d.moves = d.rules.Moves(d.moves[:0], p)
	for i, m := range d.moves {
		child, err := d.value(d.rules.Play(p, m))
		if err != nil {
			return Value{}, false, err
		}
		if w := child.before(); i == 0 || w.Compare(v) < 0 {
			v = w
		}
		if v == (Value{game.Win, -1}) {
			break // nothing is better where there are no steps
		}
	}
	return v, false, nil
}

// sampleTask is the number of random states of a task, each task with a
// generator of its own, so that the sample does not depend on the threads.
const sampleTask = 1 << 12

// deriveSample derives random states.
func (v *verifier) deriveSample(ctx context.Context) error {
	return share(ctx, v.Threads, (v.Sample+sampleTask-1)/sampleTask, func(tasks iter.Seq[uint64]) error {
		d := deriver{Table: v.Table, value: v.value}
		for task := range tasks {
			if err := v.deriveTask(&d, task); err != nil {
				return err
			}
		}
		return nil
	})
}

// deriveTask derives the random states of a task.
func (v *verifier) deriveTask(d *deriver, task uint64) error {
	r := rand.New(rand.NewPCG(v.Seed, task))
	states := min(sampleTask, v.Sample-task*sampleTask)
	for range states {
		p := RandomPosition(v.rules, r)
		p.X |= v.space.Taken
		stored, err := v.value(p)
		if err != nil {
			return err
		}
		derived, _, err := d.derive(p)
		if err != nil {
			return err
		}
		if stored != derived {
			v.differ(v.rules.Format(p), stored, derived)
		}
	}
	v.derived(states, v.Sample)
	return nil
}
