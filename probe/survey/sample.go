package survey

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/tablebase/reader"
)

// batchTasks is the number of tasks of a sample that are looked up together, in the order of
// the file, so that each chunk of a packed table is read once a batch and not once a state.
// A batch takes some 400 MB if positions have forty moves.
const batchTasks = 1 << 6

// deriveSample derives a random sample of states.
func (v *verification) deriveSample(ctx context.Context) error {
	tasks := (v.options.Sample + sampleTask - 1) / sampleTask
	for first := uint64(0); first < tasks; first += batchTasks {
		if err := v.deriveBatch(ctx, first, min(first+batchTasks, tasks)); err != nil {
			return err
		}
	}
	return nil
}

// sampleBatch is what the states of some tasks need, looked up together.
type sampleBatch struct {
	*reader.Batch
	tasks []taskLookups
}

// taskLookups has the lookups of one task, in the order in which deriving asks for them.
type taskLookups struct {
	places []reader.Place
	states []int // the index in places of each state's own lookup
	first  int   // the number in the batch of the first
}

// deriveBatch goes through the states of tasks [first, end) twice: to list the lookups, and
// to compare.
func (v *verification) deriveBatch(ctx context.Context, first, end uint64) error {
	b := &sampleBatch{tasks: make([]taskLookups, end-first)}
	each := func(do func(task uint64, l *taskLookups) error) error {
		return parallel(ctx, v.options.Threads, end-first, func(tasks iter.Seq[uint64]) error {
			for i := range tasks {
				if err := do(first+i, &b.tasks[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := each(v.listLookups); err != nil {
		return err
	}
	n := 0
	for i := range b.tasks {
		b.tasks[i].first = n
		n += len(b.tasks[i].places)
	}
	b.Batch = v.table.Stored().NewBatch(n)
	err := each(func(_ uint64, l *taskLookups) error {
		for i, p := range l.places {
			if p != outOfTable {
				if err := b.Set(l.first+i, p); err != nil {
					return err
				}
			}
		}
		l.places = nil
		return nil
	})
	if err != nil {
		return err
	}
	if err := b.Read(ctx, reader.WorkerPool{Workers: v.options.Threads}); err != nil {
		return err
	}
	return each(func(task uint64, l *taskLookups) error { return v.compare(task, b, l) })
}

// outOfTable is the place of a position that is not in the table.
var outOfTable = reader.Place{Class: -1}

// listLookups lists what the states of a task need.
func (v *verification) listLookups(task uint64, l *taskLookups) error {
	d := newDeriver(v.table, func(p game.Position) (probe.Value, error) {
		place, err := v.table.Place(p)
		if errors.Is(err, probe.ErrOutOfTable) {
			place, err = outOfTable, nil
		}
		l.places = append(l.places, place)
		return probe.Value{}, err
	})
	return v.eachSampled(task, func(p game.Position) error {
		l.states = append(l.states, len(l.places))
		if _, err := d.value(p); err != nil {
			return err
		}
		_, _, err := d.derive(p)
		return err
	})
}

// compare derives the states of a task from what was looked up.
func (v *verification) compare(task uint64, b *sampleBatch, l *taskLookups) error {
	next, nimbers := 0, storesNimbers(v.table)
	d := newDeriver(v.table, func(p game.Position) (probe.Value, error) {
		next++
		if e, ok := b.Entry(next - 1); ok {
			return valueOf(e, nimbers), nil
		}
		return storedValue(v.table, p) // out of the table, or an error
	})
	states := 0
	err := v.eachSampled(task, func(p game.Position) error {
		next = l.first + l.states[states]
		states++
		stored, err := d.value(p)
		if err == nil {
			_, _, err = v.compareState(d, p, stored)
		}
		return err
	})
	v.addDerived(uint64(states), v.options.Sample)
	return err
}

// eachSampled calls do for the states of a task, each uniform over the states of the game.
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

// random returns a state, uniform over those of the table.
func (v *verification) random(r *rand.Rand) game.Position {
	if !v.table.Opening() {
		return probe.RandomPosition(v.table.Rules(), r)
	}
	space, class := v.table.Space(), v.table.Classes()-1
	for n := r.Uint64N(space.StatesOf(v.table.Classes())); class > 0 && n < space.StatesOf(class); {
		class--
	}
	return randomOf(space, class, r)
}

// randomOf returns a state, uniform over those of a class.
func randomOf(space *partition.Space, class int, r *rand.Rand) game.Position {
	return space.Position(partition.State{
		Class: class, Mask: randomMask(space.MaskBits, class, r), Index: uint32(r.Uint64N(1 << uint(space.IndexBits[class]))),
	})
}
