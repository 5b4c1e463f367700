package probe

import (
	"context"

	"backsolve/game"
	"backsolve/tablebase"
)

// BatchLookup is many positions whose states, and those after their moves, were looked up
// together, as tablebase.Batch does it: for packed tables, which would unpack a
// stretch of the file for nearly each of them, and again for the next one there.
type BatchLookup struct {
	table *Table
	batch *tablebase.Batch
	// first has the number of each position's own state in the batch, behind which those
	// after its moves come; and, at its end, how many states there are.
	first []uint32
}

// StateBytes is what a batch takes of memory for each state while it is gathered: a
// position has one and another one for each move.
const StateBytes = 20

// gathered is how many positions a worker takes at once.
const gathered = 128

// Prefetch looks up what the answers to n texts need. The error is that of ctx: what is
// wrong with a text, or in the table, AppendAsk says.
func (t *Table) Prefetch(ctx context.Context, pool tablebase.WorkerPool, n int, text func(i int) string) (*BatchLookup, error) {
	s := &BatchLookup{table: t, first: make([]uint32, n+1)}
	each := func(work func(w *ranking, i int, p game.Position, moves []Ranked)) error {
		return pool.Each(ctx, n, gathered, func(from, to int) {
			w := rankings.Get().(*ranking)
			defer rankings.Put(w)
			var buf []Ranked
			for i := from; i < to; i++ {
				if p, err := t.rules.Parse(text(i)); err == nil {
					all, known := w.expand(t, p, buf[:0])
					work(w, i, p, all[:known])
					buf = all
				}
			}
		})
	}
	err := each(func(_ *ranking, i int, _ game.Position, moves []Ranked) { s.first[i+1] = uint32(1 + len(moves)) })
	if err != nil {
		return nil, err
	}
	for i := range n {
		s.first[i+1] += s.first[i]
	}
	err = t.stored.WithRevalidation(func() error {
		s.batch = t.stored.NewBatch(int(s.first[n]))
		err := each(func(w *ranking, i int, p game.Position, moves []Ranked) {
			if w.find(t, p, moves) != nil {
				return
			}
			for j, place := range w.places {
				s.batch.Set(int(s.first[i])+j, place) // it was found, so that it is one
			}
		})
		if err != nil {
			return err
		}
		return s.batch.Read(ctx, pool)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// AppendAsk appends to dst the JSON of the answer to the position of a number, whose
// text must be the one that was gathered, as Answerer says.
func (s *BatchLookup) AppendAsk(dst []byte, i int, text string) ([]byte, error) {
	p, err := s.table.rules.Parse(text)
	if err != nil {
		return dst, err
	}
	return s.table.appendAnswer(dst, p, batched{s, i})
}

// batched is a position in a batch, or with none a position that has to be looked up.
type batched struct {
	*BatchLookup
	number int
}

// values returns the value of the position and fills in those of its moves; ok is false
// where not all of them were read.
func (s batched) values(moves []Ranked) (value Value, ok bool) {
	if s.BatchLookup == nil {
		return Value{}, false
	}
	first := int(s.first[s.number])
	if int(s.first[s.number+1])-first != 1+len(moves) {
		return Value{}, false
	}
	e, ok := s.batch.Entry(first)
	if !ok {
		return Value{}, false
	}
	value = Value{e.Outcome, e.Steps}
	for i := range moves {
		if e, ok = s.batch.Entry(first + 1 + i); !ok {
			return Value{}, false
		}
		moves[i].Value = Value{e.Outcome, e.Steps}.Before()
	}
	return value, true
}
