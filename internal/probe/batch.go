package probe

import (
	"context"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// BatchLookup has lookups for many answers in the order of the file. One by one, a packed table would unpack a
// chunk for nearly each of them.
type BatchLookup struct {
	table *Table
	batch *reader.Batch
	// first is the number in the batch of each position's own state, which those after its
	// moves follow; and, at the end, the number of all states.
	first []uint32
}

// StateBytes is the memory of a batch while it is prefetched, for each position and each move.
const StateBytes = 20

const prefetchPiece = 128

// Prefetch looks up what the answers to n texts need, or their values alone. It fails with ctx; AppendAsk and
// Values report what is wrong with a text or in the table.
func (t *Table) Prefetch(ctx context.Context, pool reader.WorkerPool, n int, text func(i int) string, valuesAlone bool) (*BatchLookup, error) {
	return t.PrefetchAll(ctx, pool, n, func(i int) (game.Position, error) { return t.Parse(text(i)) }, valuesAlone)
}

// PrefetchAll is Prefetch for positions. What has an error is left out.
func (t *Table) PrefetchAll(ctx context.Context, pool reader.WorkerPool, n int, position func(i int) (game.Position, error), valuesAlone bool) (*BatchLookup, error) {
	b := &BatchLookup{table: t, first: make([]uint32, n+1)}
	each := func(work func(r *ranking, i int, p game.Position, moves []Ranked)) error {
		return pool.Each(ctx, n, prefetchPiece, func(from, to int) {
			r := t.newRanking()
			defer r.release()
			for i := from; i < to; i++ {
				if p, err := position(i); err == nil {
					stored := 0
					if !valuesAlone {
						stored = r.expand(p)
					}
					work(r, i, p, r.moves[:stored])
				}
			}
		})
	}
	err := each(func(_ *ranking, i int, _ game.Position, moves []Ranked) { b.first[i+1] = uint32(1 + len(moves)) })
	if err != nil {
		return nil, err
	}
	for i := range n {
		b.first[i+1] += b.first[i]
	}
	err = t.stored.WithRevalidation(func() error {
		b.batch = t.stored.NewBatch(int(b.first[n]))
		err := each(func(r *ranking, i int, p game.Position, moves []Ranked) {
			if r.find(t.States, p, moves) != nil {
				return
			}
			for j, place := range r.places {
				b.batch.Set(int(b.first[i])+j, place) // cannot fail: the place was found
			}
		})
		if err != nil {
			return err
		}
		return b.batch.Read(ctx, pool)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// AppendAsk appends the answer to text i, as it was prefetched; see Answerer.
func (b *BatchLookup) AppendAsk(dst []byte, i int, text string) ([]byte, int, error) {
	p, err := b.table.Parse(text)
	if err != nil {
		return dst, 0, err
	}
	return b.table.appendAnswer(dst, p, batched{b, i})
}

// Values is the function Values for the texts from number first on, as they were prefetched.
func (b *BatchLookup) Values(first int, texts []string, values []Value, errs []error) {
	for i := range texts {
		if e, ok := b.Entry(first+i, 0); ok {
			values[i], errs[i] = Value{e.Outcome, e.Steps}, nil
		} else {
			b.table.textValues(texts[i:i+1], values[i:i+1], errs[i:i+1])
		}
	}
}

// Entry returns what was read of position i, for j = 0, and then of its stored moves, in the order of the rules.
func (b *BatchLookup) Entry(i, j int) (e tablebase.Entry, ok bool) {
	at := int(b.first[i]) + j
	if at >= int(b.first[i+1]) {
		return e, false
	}
	return b.batch.Entry(at)
}

// batched is a position of a batch; the zero value is one that was not prefetched.
type batched struct {
	*BatchLookup
	number int
}

// entries reads the position and those after its moves into buf; ok is false unless all were read.
func (b batched) entries(buf []tablebase.Entry, moves int) (all []tablebase.Entry, ok bool) {
	all = buf[:0]
	for j := 0; b.BatchLookup != nil && j <= moves; j++ {
		e, ok := b.Entry(b.number, j)
		if !ok {
			break
		}
		all = append(all, e)
	}
	return all, len(all) == moves+1
}
