package survey

import (
	"context"
	"iter"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase/reader"
)

// batchTasks is how many tasks of a sample are looked up together, so that each chunk of a packed table is read once a
// batch and not once a state. A batch takes some 400 MB if positions have forty moves.
const batchTasks = 1 << 6

func (g grid) deriveSample(ctx context.Context, v *verification) error {
	for first := uint64(0); first < v.options.Sample; first += batchTasks * sampleTask {
		if err := g.deriveBatch(ctx, v, g.draw(v.options, first)); err != nil {
			return err
		}
	}
	return nil
}

// draw returns the states of a batch, each uniform over the states of the game.
func (g grid) draw(o VerifyOptions, first uint64) (states []game.Position) {
	var r *rand.Rand
	for i := first; i < min(o.Sample, first+batchTasks*sampleTask); i++ {
		if i%sampleTask == 0 {
			r = rand.New(rand.NewPCG(o.Seed, i/sampleTask))
		}
		p := randomState(g.table, r)
		p.X |= g.table.Space().Taken
		states = append(states, p)
	}
	return states
}

func (g grid) deriveBatch(ctx context.Context, v *verification, states []game.Position) error {
	pool := reader.WorkerPool{Workers: v.options.Threads}
	lookups, err := g.table.PrefetchAll(ctx, pool, len(states), func(i int) (game.Position, error) { return states[i], nil }, false)
	if err != nil {
		return err
	}
	nimbers, n := storesNimbers(g.table), uint64(len(states))
	return eachTask(ctx, v.options.Threads, (n+sampleTask-1)/sampleTask, func(tasks iter.Seq[uint64]) error {
		i, next := 0, 0 // the state, and its next lookup
		d := newDeriver(g.table, func(p game.Position) (probe.Value, error) {
			if !g.table.Opening() || g.table.Space().Locate(p).Class < g.table.Classes() {
				next++
				if e, ok := lookups.Entry(i, next-1); ok {
					return valueOf(e, nimbers), nil
				}
			}
			e, err := g.table.Entry(p) // the error
			return valueOf(e, nimbers), err
		})
		for task := range tasks {
			first, end := task*sampleTask, min((task+1)*sampleTask, n)
			for s := first; s < end; s++ {
				i, next = int(s), 0
				stored, err := d.value(states[s])
				if err == nil {
					_, _, err = v.compareState(d, states[s], stored)
				}
				if err != nil {
					return err
				}
			}
			v.addDerived(end-first, v.wanted)
		}
		return nil
	})
}

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
