package sparse

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"

	"backsolve/internal/durable"
	"backsolve/tablebase/format"
)

// Write writes a table, over another one, and reads it back before it gets its name. states, called twice for each tier,
// returns its states by ascending key. Of the header, Write takes Game, Program, Start, StartTier, Rules, Fingerprint and
// Outcomes, and the Ranks of Tiers, which may be nil. The bytes depend on nothing else.
func Write(path string, h Header, tiers int, states func(tier int) iter.Seq2[uint64, Value]) error {
	return durable.Write(path, func(f *os.File) error {
		w := &writer{out: bufio.NewWriterSize(f, 1<<20)}
		given := h.Tiers
		h.Tiers = make([]Tier, tiers)
		for t := range given {
			h.Tiers[t].Ranks = given[t].Ranks
		}
		h.Version = h.versionOf()
		w.Write([]byte(magic))
		for t := range tiers {
			if err := w.tier(&h.Tiers[t], states(t)); err != nil {
				return fmt.Errorf("tier %d: %w", t, err)
			}
		}
		if err := w.finish(&h); err != nil {
			return err
		}
		return readBack(f.Name(), w.identity)
	})
}

// readBack compares a table that was written with its checksums and its identity.
func readBack(path string, identity [sha256.Size]byte) error {
	t, err := Open(path)
	if err == nil {
		defer t.Close()
		err = t.Verify(context.Background(), runtime.GOMAXPROCS(0), nil)
	}
	if err == nil && t.identity != identity {
		err = t.failed(damaged("it is another table than was written"))
	}
	return err
}

// writer sums what it writes. Its first error sticks in out.
type writer struct {
	out  *bufio.Writer
	n    int64
	sum  uint32
	sums []byte // of whole chunks

	identity [sha256.Size]byte
}

func (w *writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part := p[:min(int64(len(p)), format.ChunkSize-w.n%format.ChunkSize)]
		w.sum = format.UpdateChecksum(w.sum, part)
		if w.n += int64(len(part)); w.n%format.ChunkSize == 0 {
			w.sums, w.sum = le.AppendUint32(w.sums, w.sum), 0
		}
		w.out.Write(part)
		p = p[len(part):]
	}
	return n, nil
}

// pad writes zeros up to a multiple of to bytes, a power of two.
func (w *writer) pad(to int64) { w.Write(make([]byte, -w.n&(to-1))) }

func (w *writer) tier(t *Tier, states iter.Seq2[uint64, Value]) error {
	t.Differences = w.n
	tally := Tally{}
	var index, buffer []byte
	last := uint64(0)
	for key, value := range states {
		switch {
		case t.States > 0 && key <= last:
			return fmt.Errorf("key %d comes behind %d", key, last)
		case t.Ranks > 0:
			if key >= uint64(t.Ranks) {
				return fmt.Errorf("rank %d is not below %d", key, t.Ranks)
			}
			t.fence(key)
		case t.States%BlockStates == 0:
			if t.States/BlockStates%fenceBlocks == 0 {
				t.fences = append(t.fences, key)
			}
			index = le.AppendUint64(index, key)
			index = le.AppendUint64(index, uint64(w.n)+uint64(len(buffer)))
		default:
			buffer = binary.AppendUvarint(buffer, key-last)
		}
		if len(buffer) >= format.ChunkSize {
			w.Write(buffer)
			buffer = buffer[:0]
		}
		tally.Add(key, value)
		last = key
		t.States++
	}
	if t.Ranks > 0 {
		t.fence(uint64(t.Ranks - 1))
	}
	w.Write(buffer)
	w.pad(8)
	t.Index = w.n
	w.Write(index)
	t.Codes = w.n
	t.Values = tally.Counts()
	t.ValueCount = len(t.Values)
	t.setWidth()
	w.codes(t, states)
	t.End = w.n
	return nil
}

// fence notes the number of states before each fence up to a rank.
func (t *Tier) fence(rank uint64) {
	for uint64(len(t.fences))*fenceBlocks*BlockStates <= rank {
		t.fences = append(t.fences, uint64(t.States))
	}
}

func (w *writer) codes(t *Tier, states iter.Seq2[uint64, Value]) {
	if t.bits == 0 {
		return
	}
	code := map[Value]uint64{}
	for i, c := range t.Values {
		code[c.Value] = uint64(i)
	}
	var buffer []byte
	word, filled := uint64(0), int64(0)
	put := func(c uint64) {
		word |= c << filled
		if filled += t.bits; filled >= 64 {
			buffer = le.AppendUint64(buffer, word)
			filled -= 64
			word = c >> (t.bits - filled)
		}
		if len(buffer) >= format.ChunkSize {
			w.Write(buffer)
			buffer = buffer[:0]
		}
	}
	rank := uint64(0) // the next
	skip := func(to uint64) {
		for ; rank < to; rank++ {
			put(uint64(len(t.Values)))
		}
	}
	for key, value := range states {
		if t.Ranks > 0 {
			skip(key)
			rank++
		}
		put(code[value])
	}
	skip(uint64(t.Ranks))
	if filled > 0 {
		buffer = le.AppendUint64(buffer, word)
	}
	w.Write(buffer)
}

func (w *writer) finish(h *Header) error {
	w.pad(format.PageSize)
	directory := w.sums
	if w.n%format.ChunkSize > 0 {
		directory = le.AppendUint32(directory, w.sum)
	}
	for i := range h.Tiers {
		directory = h.Tiers[i].appendTier(directory)
	}
	sum := sha256.Sum256(directory)
	h.Directory = hex.EncodeToString(sum[:])
	footer, err := json.Marshal(h)
	if err != nil {
		return err
	}
	w.identity = h.identity(footer)
	end := le.AppendUint64(nil, uint64(len(footer)))
	end = le.AppendUint32(end, format.Checksum(footer))
	for _, part := range [][]byte{directory, footer, end, []byte(endMagic)} {
		w.out.Write(part)
	}
	return w.out.Flush()
}

// Tally counts states by their values.
type Tally struct {
	all  map[Value]*Count
	near [128][3]*Count // those of all with few steps, by these, a draw has −1, and by outcome
}

// Add counts a state. Keys ascend.
func (t *Tally) Add(key uint64, v Value) {
	if uint(v.Steps+1) >= uint(len(t.near)) {
		t.count(key, v).States++
		return
	}
	c := &t.near[v.Steps+1][(v.Outcome+1)%3]
	if *c == nil {
		*c = t.count(key, v)
	}
	(*c).States++
}

// count returns the count of a value, whose first state has the key if there is none.
func (t *Tally) count(key uint64, v Value) *Count {
	if t.all == nil {
		t.all = map[Value]*Count{}
	}
	c := t.all[v]
	if c == nil {
		c = &Count{v, 0, key}
		t.all[v] = c
	}
	return c
}

// Counts returns the counts by outcome and steps.
func (t *Tally) Counts() (counts []Count) {
	for _, c := range t.all {
		counts = append(counts, *c)
	}
	slices.SortFunc(counts, byValue)
	return counts
}
