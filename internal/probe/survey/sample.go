package survey

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase/reader"
)

// batchTasks is the number of tasks of a sample that are looked up together, in the order of
// the file, so that each chunk of a packed table is read once a batch and not once a state.
// A batch takes some 400 MB if positions have forty moves.
const batchTasks = 1 << 6

// deriveSample derives a random sample of states.
func (g grid) deriveSample(ctx context.Context, v *verification) error {
	tasks := (v.options.Sample + sampleTask - 1) / sampleTask
	for first := uint64(0); first < tasks; first += batchTasks {
		b := &sampleBatch{grid: g, verification: v, first: first, tasks: make([]taskLookups, min(batchTasks, tasks-first))}
		if err := b.derive(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sampleBatch derives the states of some tasks of a sample, with lookups done together.
type sampleBatch struct {
	grid
	verification *verification
	lookups      *reader.Batch
	first        uint64 // task
	tasks        []taskLookups
}

// taskLookups has the lookups of one task, in the order in which deriving asks for them.
type taskLookups struct {
	places []reader.Place
	states []int // the index in places of each state's own lookup
	first  int   // the number in the batch of the first
}

// derive goes through the states of all tasks twice: to list the lookups, and to compare.
func (b *sampleBatch) derive(ctx context.Context) error {
	if err := b.each(ctx, b.list); err != nil {
		return err
	}
	n := 0
	for i := range b.tasks {
		b.tasks[i].first = n
		n += len(b.tasks[i].places)
	}
	b.lookups = b.table.Stored().NewBatch(n)
	if err := b.each(ctx, b.set); err != nil {
		return err
	}
	if err := b.lookups.Read(ctx, reader.WorkerPool{Workers: b.verification.options.Threads}); err != nil {
		return err
	}
	return b.each(ctx, b.compare)
}

// each calls do for each task, in parallel.
func (b *sampleBatch) each(ctx context.Context, do func(task uint64, l *taskLookups) error) error {
	return eachTask(ctx, b.verification.options.Threads, uint64(len(b.tasks)), func(tasks iter.Seq[uint64]) error {
		for i := range tasks {
			if err := do(b.first+i, &b.tasks[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// outOfTable is the place of a position that is not in the table.
var outOfTable = reader.Place{Class: -1}

// list lists the lookups that the states of a task need.
func (b *sampleBatch) list(task uint64, l *taskLookups) error {
	t := b.table
	d := newDeriver(t, func(p game.Position) (probe.Value, error) {
		place, err := t.Place(p)
		if errors.Is(err, probe.ErrOutOfTable) {
			place, err = outOfTable, nil
		}
		l.places = append(l.places, place)
		return probe.Value{}, err
	})
	return b.eachState(task, func(p game.Position) error {
		l.states = append(l.states, len(l.places))
		if _, err := d.value(p); err != nil {
			return err
		}
		_, _, err := d.derive(p)
		return err
	})
}

// set puts the lookups of a task into the batch.
func (b *sampleBatch) set(_ uint64, l *taskLookups) error {
	for i, p := range l.places {
		if p != outOfTable {
			if err := b.lookups.Set(l.first+i, p); err != nil {
				return err
			}
		}
	}
	l.places = nil
	return nil
}

// compare derives the states of a task from the lookups.
func (b *sampleBatch) compare(task uint64, l *taskLookups) error {
	v, next := b.verification, 0
	nimbers := storesNimbers(b.table)
	d := newDeriver(b.table, func(p game.Position) (probe.Value, error) {
		next++
		if e, ok := b.lookups.Entry(next - 1); ok {
			return valueOf(e, nimbers), nil
		}
		return storedValue(b.table, p) // out of the table, or an error
	})
	states := 0
	err := b.eachState(task, func(p game.Position) error {
		next = l.first + l.states[states]
		states++
		stored, err := d.value(p)
		if err == nil {
			_, _, err = v.compareState(d, p, stored)
		}
		return err
	})
	v.addDerived(uint64(states), v.wanted)
	return err
}

// eachState calls do for the states of a task, each uniform over the states of the game.
func (b *sampleBatch) eachState(task uint64, do func(p game.Position) error) error {
	o, t := b.verification.options, b.table
	r := rand.New(rand.NewPCG(o.Seed, task))
	for range min(sampleTask, o.Sample-task*sampleTask) {
		p := randomState(t, r)
		p.X |= t.Space().Taken
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// randomState returns a state, uniform over those of a table.
func randomState(t *probe.Table, r *rand.Rand) game.Position {
	if !t.Opening() {
		return probe.RandomPosition(t.Rules(), r)
	}
	space, class := t.Space(), t.Classes()-1
	for n := r.Uint64N(space.StatesOf(t.Classes())); class > 0 && n < space.StatesOf(class); {
		class--
	}
	return randomOf(space, class, r)
}
