package pack

import (
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase/format"
)

func asNumbers(p format.Part) bool { return p.Steps && p.Columns >= minNumberDigits }

func newDigitWords(p format.Part, planes int, at, length int64, level Level) digitWords {
	return digitWords{p.Columns, planes, p.Words, at / 8, (at + length) / 8, level == Archive}
}

var numberBuffers = sync.Pool{New: func() any { return new(numberBuffer) }}

func (f *Frames) decodeNumbers(e packedFrame, region, frame int, digits []byte) error {
	if e.length > maxNumberBytes {
		return &format.BadFrame{Offset: e.offset, Length: e.packed, Cause: errNumbers}
	}
	buffer := numberBuffers.Get().(*numberBuffer)
	defer numberBuffers.Put(buffer)
	d, from := f.digitWords(region, frame)
	buffer.outcomes = buffer.outcomes[:0]
	for at, end := d.outcomes(); at < end; {
		frame, begin := from.first+int(at/format.FrameSize), at%format.FrameSize
		to := min(begin+end-at, format.FrameSize)
		if err := f.appendOutcomes(buffer, from.Part, frame, int(begin), int(to)); err != nil {
			return err
		}
		at += to - begin
	}
	if err := f.decodeBytes(e, buffer.numbers[:e.length]); err != nil {
		return err
	}
	if err := buffer.unpack(d, digits, int(e.length)); err != nil {
		return &format.BadFrame{Offset: e.offset, Length: e.packed, Cause: err}
	}
	return nil
}

// digitWords returns the digits of a frame in the i-th region, and the region of their outcomes.
func (f *Frames) digitWords(i, frame int) (digitWords, Region) {
	r, from := f.regions[i], f.regions[i-1]
	return newDigitWords(r.Part, from.Columns, int64(frame-r.first)*format.FrameSize, f.lengthOf(frame), f.Level), from
}

// appendOutcomes appends bytes of a frame. It waits for no lock, as the caller may hold any set.
func (f *Frames) appendOutcomes(buffer *numberBuffer, of format.Part, frame, from, to int) error {
	if set, data := f.cache.tryHold(frame); set != nil {
		buffer.outcomes = append(buffer.outcomes, data[from:to]...)
		set.lock.Unlock()
		return nil
	}
	e, err := f.table.frame(frame)
	if err != nil {
		return err
	}
	if buffer.of != f || buffer.is != e {
		buffer.of = nil
		if err := f.decodeWords(e, of, buffer.frame[:f.lengthOf(frame)]); err != nil {
			return err
		}
		buffer.of, buffer.is = f, e
	}
	buffer.outcomes = append(buffer.outcomes, buffer.frame[from:to]...)
	return nil
}

func (f *Frames) outcomeFrames(to []int, frame int) []int {
	i := f.regionOf(frame)
	if i < 0 || !f.isNumbers(i) {
		return to
	}
	d, from := f.digitWords(i, frame)
	for at, end := d.outcomes(); at < end; at = (at/format.FrameSize + 1) * format.FrameSize {
		to = append(to, from.first+int(at/format.FrameSize))
	}
	return to
}

func (f *Frames) isNumbers(region int) bool {
	return f.Level > Words && asNumbers(f.regions[region].Part)
}

type numbered struct {
	format.Part
	planes   int
	level    Level
	outcomes func(buf []byte, at int64) error // reads bytes of their part from byte at
}

// pack appends the frame that starts at byte at of the part, and returns the length of its
// numbers. Games with draws are packed by Huffman codes alone, others by the encoder.
func (n *numbered) pack(dst, digits []byte, at int64, buffer *numberBuffer, encoder *zstd.Encoder) (packed []byte, content int, err error) {
	d := newDigitWords(n.Part, n.planes, at, int64(len(digits)), n.level)
	from, to := d.outcomes()
	buffer.outcomes = slices.Grow(buffer.outcomes[:0], int(to-from))[:to-from]
	if err := n.outcomes(buffer.outcomes, from); err != nil {
		return dst, 0, err
	}
	numbers := buffer.numbers[:buffer.pack(d, digits)]
	if n.planes == planesWithDraws {
		return appendHuffman(dst, numbers, buffer.ends, &buffer.scratch), len(numbers), nil
	}
	return encoder.EncodeAll(numbers, dst), len(numbers), nil
}
