package reader

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"backsolve/game"
	"backsolve/internal/parallel"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Batch is many states that are looked up together. Several workers read them in the order
// of the file, so that a packed table unpacks each of its frames about once.
type Batch struct {
	table   *Table
	queries []query // by number until Read sorts them
	results []uint32
}

type query struct {
	// at is the number of the state's first word of outcomes, from the start of the table, times 64,
	// plus the number of its bit. It is 0 where Set was not called: a table begins with its header.
	at     uint64
	number uint32
}

// A result is 0 for a state that was not read, or has 1 + the outcome in the lowest two bits, and
// above them 1 + the steps or the nimber, 0 for none.
const outcomeBits = 2

// Set says where a state of the batch lies. Call it before Read; calls for different states
// may be concurrent. The error is an ErrInput.
func (b *Batch) Set(number int, p Place) error {
	l, err := b.table.locate(p)
	if err != nil {
		return err
	}
	word, bit := p.word(l)
	b.queries[number] = query{l.Parts[format.Outcomes].WordOffset(word)*8 | bit, uint32(number)}
	return nil
}

// place is the inverse of Set.
func (b *Batch) place(q query) Place {
	offset := int64(q.at / 64 * 8)
	records := b.table.records
	r := records[sort.Search(len(records), func(i int) bool { return records[i].End() > offset })]
	p := r.Parts[format.Outcomes]
	word := uint64(offset-p.Offset) / 8 / uint64(p.Columns)
	words := uint64(r.Words())
	return Place{Class: r.Class, Block: int(word / words), Index: word%words*64 + q.at%64}
}

// Read looks up the states that were set. It leaves out what cannot be read because it is
// damaged: a lookup of the state alone says why. The error is ctx's.
func (b *Batch) Read(ctx context.Context, pool WorkerPool) error {
	const atOnce = 64 // states
	b.queries = slices.DeleteFunc(b.queries, func(q query) bool { return q.at == 0 })
	slices.SortFunc(b.queries, func(x, y query) int { return cmp.Compare(x.at, y.at) })
	err := pool.Each(ctx, len(b.queries), atOnce, func(from, to int) { b.lookUp(b.queries[from:to]) })
	b.queries = nil
	return err
}

// lookUp looks states up together, or one by one where one cannot be read.
func (b *Batch) lookUp(queries []query) {
	places, entries := make([]Place, len(queries)), make([]tablebase.Entry, len(queries))
	for i, q := range queries {
		places[i] = b.place(q)
	}
	together := b.table.lookupAll(places, entries, false) == nil
	for i, q := range queries {
		if together || b.table.lookupAll(places[i:i+1], entries[i:i+1], false) == nil {
			e := entries[i]
			b.results[q.number] = uint32(e.Outcome) + 1 | uint32(max(e.Steps, e.Nimber)+1)<<outcomeBits
		}
	}
}

// Entry returns what was read of a state; ok is false where it was not.
func (b *Batch) Entry(number int) (e tablebase.Entry, ok bool) {
	result := b.results[number]
	if result == 0 {
		return tablebase.Entry{}, false
	}
	outcome, number := game.Outcome(result&(1<<outcomeBits-1)-1), int(result>>outcomeBits)-1
	if number < 0 {
		return tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: -1}, true
	}
	return newEntry(b.table.header.Shape, outcome, number), true
}

// WorkerPool runs the work of many lookups.
type WorkerPool struct {
	// Workers is how many goroutines work at once, at least 1.
	Workers int
	// Turns, unless nil, is a semaphore shared with other work. A worker holds a place in
	// it for some milliseconds at a time.
	Turns chan struct{}
}

// Each runs work on the numbers 0 to n−1, piece at a time, until all are done or ctx ends;
// then it returns the error of ctx. A panic of a worker is the caller's.
func (p WorkerPool) Each(ctx context.Context, n, piece int, work func(from, to int)) error {
	return parallel.Each((n+piece-1)/piece, max(p.Workers, 1), func(next func() (int, bool)) error {
		for i, more := next(); more && ctx.Err() == nil; i, more = next() {
			p.acquire(func() { work(i*piece, min((i+1)*piece, n)) })
		}
		return ctx.Err()
	})
}

func (p WorkerPool) acquire(work func()) {
	if p.Turns != nil {
		p.Turns <- struct{}{}
		defer func() { <-p.Turns }()
	}
	work()
}
