package pack

import (
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase/format"
)

// How packed tables are read and written where they have numbers; numbers.go has what is
// in a frame of them.

// asNumbers reports whether the part is packed as numbers.
func asNumbers(p format.Part) bool { return p.Steps && p.Columns >= fewestNumbers }

// digitWords returns the run of the part that has so many bytes from one on.
func newDigitWords(p format.Part, planes int, at, length int64) digitWords {
	return digitWords{p.Columns, planes, p.Words, at / 8, (at + length) / 8}
}

var numberRooms = sync.Pool{New: func() any { return new(numberRoom) }}

// decodeNumbers unpacks a frame of a region, which has numbers, into the digits.
func (f *Frames) decodeNumbers(e packedFrame, region, frame int, digits []byte) error {
	if e.length > mostNumbers {
		return &format.BadFrame{Offset: e.offset, Length: e.packed, Cause: errNumbers}
	}
	room := numberRooms.Get().(*numberRoom)
	defer numberRooms.Put(room)
	d, from := f.digitWords(region, frame)
	if err := f.readOutcomes(room, from, d); err != nil {
		return err
	}
	if err := f.decodeBytes(e, room.numbers[:e.length]); err != nil {
		return err
	}
	if err := room.unpack(d, digits, int(e.length)); err != nil {
		return &format.BadFrame{Offset: e.offset, Length: e.packed, Cause: err}
	}
	return nil
}

// digitWords returns the digits that a frame of the i-th region stands for, and the region of the
// outcomes of the same states, which stand before the steps.
func (f *Frames) digitWords(i, frame int) (digitWords, Region) {
	r, from := f.regions[i], f.regions[i-1]
	return newDigitWords(r.Part, from.Columns, int64(frame-r.first)*format.FrameSize, f.lengthOf(frame)), from
}

// readOutcomes reads the outcomes of a run's words from their region.
func (f *Frames) readOutcomes(room *numberRoom, r Region, d digitWords) error {
	room.outcomes = room.outcomes[:0]
	for at, end := d.outcomes(); at < end; {
		frame, from := r.first+int(at/format.FrameSize), at%format.FrameSize
		to := min(from+end-at, format.FrameSize)
		if err := f.appendOutcomes(room, frame, int(from), int(to)); err != nil {
			return err
		}
		at += to - from
	}
	return nil
}

// appendOutcomes appends bytes of a frame. The caller may have locked any set of the
// cache, so no lock is waited for.
func (f *Frames) appendOutcomes(room *numberRoom, frame, from, to int) error {
	if set, data := f.cache.tryHold(frame); set != nil {
		room.outcomes = append(room.outcomes, data[from:to]...)
		set.lock.Unlock()
		return nil
	}
	e, err := f.table.frame(frame)
	if err != nil {
		return err
	}
	if room.of != f || room.is != e {
		room.of = nil
		if err := f.decodeBytes(e, room.frame[:f.lengthOf(frame)]); err != nil {
			return err
		}
		room.of, room.is = f, e
	}
	room.outcomes = append(room.outcomes, room.frame[from:to]...)
	return nil
}

// outcomeFrames appends those frames that a frame of numbers cannot be unpacked without.
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

// AnyNumbers reports whether a packed table of these classes has numbers.
func AnyNumbers(classes []*format.Record) bool {
	return slices.ContainsFunc(classes, func(r *format.Record) bool { return asNumbers(r.Parts[format.Steps]) })
}

// isNumbers reports whether the frames of a region have numbers.
func (f *Frames) isNumbers(region int) bool { return f.numbers && asNumbers(f.regions[region].Part) }

// numbered is a part that is packed as numbers.
type numbered struct {
	format.Part
	planes   int
	outcomes func(buf []byte, at int64) error // reads bytes of their part from one on
}

// pack appends the frame of the part that begins with byte at to dst, by Huffman's codes
// alone or by the encoder, and returns how many bytes its numbers are.
func (n *numbered) pack(dst, digits []byte, at int64, room *numberRoom, encoder *zstd.Encoder) (packed []byte, content int, err error) {
	d := newDigitWords(n.Part, n.planes, at, int64(len(digits)))
	from, to := d.outcomes()
	room.outcomes = slices.Grow(room.outcomes[:0], int(to-from))[:to-from]
	if err := n.outcomes(room.outcomes, from); err != nil {
		return dst, 0, err
	}
	numbers := room.numbers[:room.pack(d, digits)]
	if n.planes == drawn {
		return appendHuffman(dst, numbers, room.ends, &room.scratch), len(numbers), nil
	}
	return encoder.EncodeAll(numbers, dst), len(numbers), nil
}
