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
	// wanted are the states that are still to be read, by number until Read sorts them.
	wanted []wanted
	// known has, by the states' numbers, what was read, see note.
	known []uint32

	// apart are states that have to be looked up one by one.
	adding sync.Mutex
	apart  []apart
}

// wanted is a state to be read from a part.
type wanted struct {
	// at is the number of the state's word in the first column, counted from the begin of
	// the table, and behind it, in six bits, that of its bit. It is 0 where there is no
	// state, since the table begins with its header.
	at     uint64
	number uint32
}

// offset returns where the word is, in bytes.
func (w wanted) offset() int64 { return int64(w.at >> 6 << 3) }

// apart is a state whose columns lie in two chunks.
type apart struct {
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
	return &Batch{table: t, wanted: make([]wanted, n), known: make([]uint32, n)}
}

// Set says where a state of the batch lies. It may be called for different states
// at once, before Read. The error is an ErrInput.
func (b *Batch) Set(number int, p Place) error {
	l, err := b.table.locate(p)
	if err != nil {
		return err
	}
	word, bit := p.word(l)
	b.wanted[number] = wanted{l.at(format.Outcomes, word, bit), uint32(number)}
	return nil
}

// at returns where a state is in a part, as wanted.at.
func (l *located) at(part int, word, bit uint64) uint64 {
	p := l.Parts[part]
	return (uint64(p.Offset)/8+word*uint64(p.Columns))<<6 | bit
}

// Read looks up the states that were set. What cannot be read, as it is damaged, is
// left out: a lookup of the state alone says why. The error is that of ctx.
func (b *Batch) Read(ctx context.Context, pool WorkerPool) error {
	b.wanted = slices.DeleteFunc(b.wanted, func(w wanted) bool { return w.at == 0 })
	slices.SortFunc(b.wanted, func(x, y wanted) int { return cmp.Compare(x.at, y.at) })
	if f := b.table.packed.Load(); f == nil || b.table.far {
		for _, w := range b.wanted {
			l := b.class(w)
			b.apart = append(b.apart, apart{l.place(format.Outcomes, w.at), w.number})
		}
	} else if err := b.readFrames(ctx, pool, f); err != nil {
		return err
	}
	b.wanted = nil
	err := pool.Each(ctx, len(b.apart), lookedUp, func(from, to int) { b.lookUp(b.apart[from:to]) })
	b.apart = nil
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

// How many states a worker takes at once: to be read from frames, of which most take
// one of their own, and to be looked up.
const (
	readAtOnce = 64
	lookedUp   = 64
)

// readFrames reads the states from the frames of a packed table, first their outcomes
// and then the steps of those that are not drawn.
func (b *Batch) readFrames(ctx context.Context, pool WorkerPool, f *pack.Frames) error {
	read := func(part int) error {
		return pool.Each(ctx, len(b.wanted), readAtOnce, func(from, to int) {
			b.readStates(f, part, b.wanted[b.chunkStart(part, from):b.chunkStart(part, to)])
		})
	}
	if err := read(format.Outcomes); err != nil || !b.table.header.Shape.Numbered() {
		return err
	}
	kept := b.wanted[:0]
	for _, w := range b.wanted {
		if b.known[w.number]&unfinished != 0 {
			l := b.class(w)
			word, bit := l.place(format.Outcomes, w.at).word(l)
			kept = append(kept, wanted{l.at(format.Steps, word, bit), w.number})
		}
	}
	b.wanted = kept
	return read(format.Steps)
}

// chunkStart returns the first state from i on with which a chunk begins.
func (b *Batch) chunkStart(part, i int) int {
	if i == 0 || i >= len(b.wanted) {
		return i
	}
	l, chunk := b.chunk(part, b.wanted[i-1])
	offset, length := l.Parts[part].Chunk(chunk)
	rest := b.wanted[i:]
	return i + sort.Search(len(rest), func(j int) bool { return rest[j].offset() >= offset+length })
}

// chunk returns in which chunk of a part of which class a state is.
func (b *Batch) chunk(part int, w wanted) (l *located, chunk int) {
	l = b.class(w)
	return l, int((w.offset() - l.Parts[part].Offset) / format.ChunkSize)
}

// class returns the class that a state is of.
func (b *Batch) class(w wanted) *located {
	classes := b.table.classes
	i := sort.Search(len(classes), func(i int) bool { return classes[i].End() > w.offset() })
	return b.table.located(classes[i].Class)
}

// place is the inverse of at.
func (l *located) place(part int, at uint64) Place {
	p := l.Parts[part]
	word := (at>>6 - uint64(p.Offset)/8) / uint64(p.Columns)
	return Place{Class: l.Class, Block: int(word / l.words), Index: word%l.words*64 + at&63}
}

// readStates reads states, chunk by chunk.
func (b *Batch) readStates(f *pack.Frames, part int, states []wanted) {
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
func (b *Batch) readChunk(f *pack.Frames, l *located, part, chunk int, states []wanted) {
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
			b.apart = append(b.apart, apart{l.place(part, w.at), w.number})
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
func (b *Batch) note(l *located, part int, number uint32, digits uint64) {
	if part == format.Steps {
		b.known[number] = b.known[number]&^unfinished | uint32(digits+1)<<outcomeBits
		return
	}
	outcome := game.Outcome(digits)
	if l.Parts[format.Outcomes].Columns == 1 {
		outcome = game.Lose - outcome
	}
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
func (b *Batch) lookUp(states []apart) {
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
