package sparse

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"slices"

	"backsolve/internal/durable"
)

// Write writes a table over what is at path, or nothing. tiers returns the states of a
// tier, their keys ascending; each tier is read twice. Bytes depend on nothing but the
// header's Game, Program, Start and StartTier and the states.
func Write(path string, h Header, tiers int, states func(tier int) iter.Seq2[uint64, Value]) error {
	return durable.Write(path, func(f *os.File) error {
		w := &writer{out: bufio.NewWriterSize(f, 1<<20)}
		h.Version, h.Tiers = version, make([]Tier, tiers)
		w.Write([]byte(magic))
		for t := range tiers {
			if err := w.tier(&h.Tiers[t], states(t)); err != nil {
				return fmt.Errorf("tier %d: %w", t, err)
			}
		}
		return w.finish(&h)
	})
}

// writer sums what it writes. Its first error sticks in out.
type writer struct {
	out  *bufio.Writer
	n    int64
	sum  uint32
	sums []byte // of whole chunks
}

func (w *writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part := p[:min(int64(len(p)), chunkBytes-w.n%chunkBytes)]
		w.sum = crc32.Update(w.sum, castagnoli, part)
		if w.n += int64(len(part)); w.n%chunkBytes == 0 {
			w.sums, w.sum = binary.LittleEndian.AppendUint32(w.sums, w.sum), 0
		}
		w.out.Write(part)
		p = p[len(part):]
	}
	return n, nil
}

// pad writes zeros up to a multiple of 8 bytes.
func (w *writer) pad() { w.Write(make([]byte, -w.n&7)) }

// tier writes the states of a tier and describes it.
func (w *writer) tier(t *Tier, states iter.Seq2[uint64, Value]) error {
	t.Differences = w.n
	counts := map[Value]int64{}
	var index, buffer []byte
	last := uint64(0)
	for key, value := range states {
		switch {
		case t.States > 0 && key <= last:
			return fmt.Errorf("key %d comes behind %d", key, last)
		case t.States%blockKeys == 0:
			index = binary.LittleEndian.AppendUint64(index, key)
			index = binary.LittleEndian.AppendUint64(index, uint64(w.n)+uint64(len(buffer)))
		default:
			buffer = binary.AppendUvarint(buffer, key-last)
		}
		if len(buffer) >= chunkBytes {
			w.Write(buffer)
			buffer = buffer[:0]
		}
		counts[value]++
		last = key
		t.States++
	}
	w.Write(buffer)
	w.pad()
	t.Index = w.n
	w.Write(index)
	t.Codes = w.n
	for value, n := range counts {
		t.Values = append(t.Values, Count{value.Outcome, value.Steps, n})
	}
	slices.SortFunc(t.Values, func(a, b Count) int {
		if less(a, b) {
			return -1
		}
		return 1
	})
	t.Bits = width(len(t.Values))
	w.codes(t, states)
	t.End = w.n
	return nil
}

// codes writes the numbers of the values.
func (w *writer) codes(t *Tier, states iter.Seq2[uint64, Value]) {
	if t.Bits == 0 {
		return
	}
	code := map[Value]uint64{}
	for i, c := range t.Values {
		code[Value{c.Outcome, c.Steps}] = uint64(i)
	}
	var buffer []byte
	word, filled := uint64(0), 0
	for _, value := range states {
		c := code[value]
		word |= c << filled
		if filled += t.Bits; filled >= 64 {
			buffer = binary.LittleEndian.AppendUint64(buffer, word)
			filled -= 64
			word = c >> (t.Bits - filled)
		}
		if len(buffer) >= chunkBytes {
			w.Write(buffer)
			buffer = buffer[:0]
		}
	}
	if filled > 0 {
		buffer = binary.LittleEndian.AppendUint64(buffer, word)
	}
	w.Write(buffer)
}

// finish writes checksums, footer and trailer.
func (w *writer) finish(h *Header) error {
	if w.n%chunkBytes > 0 {
		w.sums = binary.LittleEndian.AppendUint32(w.sums, w.sum)
	}
	sum := sha256.Sum256(w.sums)
	h.Sums = hex.EncodeToString(sum[:])
	footer, err := json.Marshal(h)
	if err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint64(nil, uint64(len(footer)))
	end = binary.LittleEndian.AppendUint32(end, crc32.Checksum(footer, castagnoli))
	for _, part := range [][]byte{w.sums, footer, end, []byte(endMagic)} {
		w.out.Write(part)
	}
	return w.out.Flush()
}
