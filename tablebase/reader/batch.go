package reader

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

// Batch is many states that are looked up together. They are read in the order of
// their places in the file, by several workers at once, so that a packed table
// unpacks each of its frames at most once for all of them.
type Batch struct {
	table *Table
	// queries are the states still to be read, in the order of their numbers until Read sorts
	// them.
	queries []query
	// known has, by the states' numbers, what was read, see note.
	known []uint32

	adding     sync.Mutex // guards straddling
	straddling []straddler
}

// query is a state to be read from a part.
type query struct {
	// at is the number of the state's word in the first column, counted from the begin of
	// the table, and behind it, in six bits, that of its bit. It is 0 where there is no
	// state, since the table begins with its header.
	at     uint64
	number uint32
}

// offset returns where the word is, in bytes.
func (w query) offset() int64 { return int64(w.at >> 6 << 3) }

// straddler is a state whose columns lie in two chunks.
type straddler struct {
	Place
	number uint32
}

// What is known of a state: in the lowest two bits 1 + its outcome, then 1 + its steps or
// nimber.
const (
	outcomeBits = 2
	unfinished  = 1 << 31 // its number is still to be read
)

// NewBatch returns a batch of n states, numbered from 0 on, which Set tells.
func (t *Table) NewBatch(n int) *Batch {
	return &Batch{table: t, queries: make([]query, n), known: make([]uint32, n)}
}

// Set says where a state of the batch lies. It may be called for different states
// at once, before Read. The error is an ErrInput.
func (b *Batch) Set(number int, p Place) error {
	l, err := b.table.locate(p)
	if err != nil {
		return err
	}
	word, bit := p.word(l)
	b.queries[number] = query{l.at(format.Outcomes, word, bit), uint32(number)}
	return nil
}

// at returns where a state is in a part, as query.at.
func (l *class) at(part int, word, bit uint64) uint64 {
	p := l.Parts[part]
	return (uint64(p.Offset)/8+word*uint64(p.Columns))<<6 | bit
}

// Read looks up the states that were set. What cannot be read, as it is damaged, is
// left out: a lookup of the state alone says why. The error is that of ctx.
func (b *Batch) Read(ctx context.Context, pool WorkerPool) error {
	b.queries = slices.DeleteFunc(b.queries, func(w query) bool { return w.at == 0 })
	slices.SortFunc(b.queries, func(x, y query) int { return cmp.Compare(x.at, y.at) })
	if f := b.table.frames; f == nil || b.table.storage != nil {
		for _, w := range b.queries {
			l := b.class(w)
			b.straddling = append(b.straddling, straddler{l.place(format.Outcomes, w.at), w.number})
		}
	} else if err := b.readFrames(ctx, pool, f); err != nil {
		return err
	}
	b.queries = nil
	err := pool.Each(ctx, len(b.straddling), atOnce, func(from, to int) { b.lookUp(b.straddling[from:to]) })
	b.straddling = nil
	return err
}

// Entry returns what was read of a state; ok is false where it was not.
func (b *Batch) Entry(number int) (e tablebase.Entry, ok bool) {
	known := b.known[number]
	if known == 0 || known&unfinished != 0 {
		return tablebase.Entry{}, false
	}
	outcome, number := game.Outcome(known&(1<<outcomeBits-1)-1), int(known>>outcomeBits)-1
	if number < 0 {
		return tablebase.Entry{Outcome: outcome, Steps: -1, Nimber: -1}, true
	}
	return newEntry(b.table.header.Shape, outcome, number), true
}

// atOnce is how many states a worker takes at once. Most of those read from frames need a
// frame of their own.
const atOnce = 64

// readFrames reads the states from the frames of a packed table, first their outcomes
// and then the steps of those that are not drawn.
func (b *Batch) readFrames(ctx context.Context, pool WorkerPool, f *pack.Frames) error {
	read := func(part int) error {
		return pool.Each(ctx, len(b.queries), atOnce, func(from, to int) {
			b.readStates(f, part, b.queries[b.chunkStart(part, from):b.chunkStart(part, to)])
		})
	}
	if err := read(format.Outcomes); err != nil || !b.table.header.Shape.Numbered() {
		return err
	}
	kept := b.queries[:0]
	for _, w := range b.queries {
		if b.known[w.number]&unfinished != 0 {
			l := b.class(w)
			word, bit := l.place(format.Outcomes, w.at).word(l)
			kept = append(kept, query{l.at(format.Steps, word, bit), w.number})
		}
	}
	b.queries = kept
	return read(format.Steps)
}

// chunkStart returns the first state from i on with which a chunk begins.
func (b *Batch) chunkStart(part, i int) int {
	if i == 0 || i >= len(b.queries) {
		return i
	}
	l, chunk := b.chunk(part, b.queries[i-1])
	offset, length := l.Parts[part].Chunk(chunk)
	rest := b.queries[i:]
	return i + sort.Search(len(rest), func(j int) bool { return rest[j].offset() >= offset+length })
}

// chunk returns in which chunk of a part of which class a state is.
func (b *Batch) chunk(part int, w query) (l *class, chunk int) {
	l = b.class(w)
	return l, int((w.offset() - l.Parts[part].Offset) / format.ChunkSize)
}

// class returns the class that a state is of.
func (b *Batch) class(w query) *class {
	classes := b.table.records
	i := sort.Search(len(classes), func(i int) bool { return classes[i].End() > w.offset() })
	return b.table.class(classes[i].Class)
}

// place is the inverse of at.
func (l *class) place(part int, at uint64) Place {
	p := l.Parts[part]
	word := (at>>6 - uint64(p.Offset)/8) / uint64(p.Columns)
	return Place{Class: l.Class, Block: int(word / l.words), Index: word%l.words*64 + at&63}
}

// readStates reads states, chunk by chunk.
func (b *Batch) readStates(f *pack.Frames, part int, states []query) {
	for len(states) > 0 {
		l, chunk := b.chunk(part, states[0])
		offset, length := l.Parts[part].Chunk(chunk)
		n := 1
		for n < len(states) && states[n].offset() < offset+length {
			n++
		}
		b.readChunk(f, l, part, chunk, states[:n])
		states = states[n:]
	}
}

// readChunk reads the states of one chunk, which is checked unless it was before.
func (b *Batch) readChunk(f *pack.Frames, l *class, part, chunk int, states []query) {
	buffer := format.ChunkBuffers.Get().(*[]byte)
	defer format.ChunkBuffers.Put(buffer)
	p := l.Parts[part]
	offset, length := p.Chunk(chunk)
	c := unpackedChunk{Frames: f, first: l.firstFrame[part] + chunk*len(unpackedChunk{}.has), bytes: (*buffer)[:length]}
	if !b.table.isChecked(l, part, chunk) {
		if c.unpack(0, len(c.bytes)) != nil || l.Sums[part].Check(chunk, format.Checksum(c.bytes)) != nil || !p.IsPadded(c.bytes, offset-p.Offset) {
			return
		}
		b.table.setChecked(l, part, chunk)
	}
	for _, w := range states {
		from := int(w.offset() - offset)
		to := from + p.Columns*8
		if to > len(c.bytes) {
			b.adding.Lock()
			b.straddling = append(b.straddling, straddler{l.place(part, w.at), w.number})
			b.adding.Unlock()
			continue
		}
		if c.unpack(from, to) != nil {
			return
		}
		digits := uint64(0)
		for column := range p.Columns {
			digits |= le.Uint64(c.bytes[from+8*column:]) >> (w.at & 63) & 1 << column
		}
		b.note(l, part, w.number, digits)
	}
}

// unpackedChunk is a chunk of a packed table, of which frames are unpacked when they
// are needed.
type unpackedChunk struct {
	*pack.Frames
	first int // frame
	bytes []byte
	has   [format.ChunkSize / format.FrameSize]bool
}

// unpack unpacks the frames that have the bytes from one to before another.
func (c *unpackedChunk) unpack(from, to int) error {
	for i := from / format.FrameSize; i <= (to-1)/format.FrameSize; i++ {
		if c.has[i] {
			continue
		}
		if err := c.Decode(c.first+i, c.bytes[i*format.FrameSize:min((i+1)*format.FrameSize, len(c.bytes))]); err != nil {
			return err
		}
		c.has[i] = true
	}
	return nil
}

// note notes what was read of a state in a part. A code that no state has is left out.
func (b *Batch) note(l *class, part int, number uint32, digits uint64) {
	if part == format.Steps {
		b.known[number] = b.known[number]&^unfinished | uint32(digits+1)<<outcomeBits
		return
	}
	outcome := outcomeOf(digits, l.Parts[format.Outcomes].Columns)
	if outcome > game.Lose {
		return
	}
	b.known[number] = known(outcome, -1)
	switch {
	case !b.table.header.Shape.Numbered() || outcome == game.Draw:
	case l.Digits == 0:
		b.known[number] = known(outcome, 0)
	default:
		b.known[number] |= unfinished
	}
}

// known is what is kept of a state: number is -1 where it has none.
func known(outcome game.Outcome, number int) uint32 {
	return uint32(outcome) + 1 | uint32(number+1)<<outcomeBits
}

// lookUp looks states up without the batch: all at once, or where one cannot be read
// one by one.
func (b *Batch) lookUp(states []straddler) {
	places, entries := make([]Place, len(states)), make([]tablebase.Entry, len(states))
	for i, s := range states {
		places[i] = s.Place
	}
	together := b.table.LookupAll(places, entries) == nil
	for i, s := range states {
		e, err := entries[i], error(nil)
		if !together {
			e, err = b.table.Lookup(s.Class, s.Block, s.Index)
		}
		if err == nil {
			b.known[s.number] = known(e.Outcome, max(e.Steps, e.Nimber))
		}
	}
}
