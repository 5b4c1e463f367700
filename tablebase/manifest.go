package tablebase

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
)

// The manifest says which classes of the partial file are sealed. It begins
// with the preamble that a table's header has, and grows by a frame a class:
// length and checksum, four bytes each, then the class's record as it will stand
// in the footer, and where the table is packed, the entries of its frames as they will
// stand in the seek table. A frame that a power cut tore does not pass its checksum, and
// with it ends what can be resumed.
const frameHead = 8

// frameSum covers a frame's length as well as its payload.
func frameSum(frame []byte) uint32 {
	return crc32.Update(checksum(frame[:4]), castagnoli, frame[frameHead:])
}

// manifestStart returns what the manifest of an empty partial file contains.
func manifestStart(s Shape, magic string) []byte {
	b := make([]byte, preambleSize)
	putPreamble(b, magic, s)
	sealHeader(b)
	return b
}

// frame encodes a record for the manifest, with the entries of its frames if it has
// any.
func (r *record) frame(entries []byte) []byte {
	b := append(r.append(make([]byte, frameHead)), entries...)
	le.PutUint32(b, uint32(len(b)-frameHead))
	le.PutUint32(b[4:], frameSum(b))
	return b
}

// manifestShape reads the start of a manifest: what was being solved.
// ErrForeign or errHeader where it cannot be told, ErrNewer where another
// version of this program wrote it.
func manifestShape(b []byte, magic string) (Shape, error) {
	if len(b) < preambleSize {
		return Shape{}, fmt.Errorf("%w: %d bytes", errHeader, len(b))
	}
	b = b[:preambleSize]
	v, err := headerVersion(b, magic)
	if err != nil {
		return Shape{}, err
	}
	if v < 1 {
		return Shape{}, fmt.Errorf("%w: there is no version %d", errHeader, v)
	}
	if v > Version {
		return Shape{}, fmt.Errorf("%w: version %d, while this program reads %d", ErrNewer, v, Version)
	}
	if le.Uint32(b[60:]) != 0 {
		return Shape{}, fmt.Errorf("%w: what is kept zero is not", errHeader)
	}
	return preambleShape(b)
}

// mostManifest bounds the length of the manifest of a partial file of that length.
func mostManifest(partial int64) int64 {
	return preambleSize + (maxClass+1)*frameHead + mostFooter(partial)
}

// readRecords takes up the classes of a manifest whose data in the partial file, which has
// so many bytes, hold. It returns why they end early, if they do.
func (w *Writer) readRecords(b []byte, size int64, workers int) (broken error) {
	w.listed = preambleSize
	rest := b[w.listed:]
	limit := size
	if w.packer != nil {
		limit = math.MaxInt64 // what it unpacks to is compared with its frames
	}
	d := newDirectory(nil, 0, w.shape, limit)
	for len(rest) > 0 {
		frame, err := nextFrame(rest)
		if err != nil {
			return err
		}
		d.src, d.left = bytes.NewReader(frame[frameHead:]), int64(len(frame)-frameHead)
		r, err := d.next()
		if err != nil {
			return err
		}
		if !w.takeEntries(r, frame[int64(len(frame))-d.left:]) {
			return fmt.Errorf("class %d is recorded wrongly", r.Class)
		}
		w.records = append(w.records, r)
		for i, p := range r.parts {
			if err := p.read(w.written(), &r.sums[i], 0, p.words, nil, workers); err != nil {
				w.records = w.records[:len(w.records)-1]
				w.forgetUnsealed()
				return fmt.Errorf("the %s of class %d: %w", r.names[i], r.Class, err)
			}
		}
		w.listed += int64(len(frame))
		rest = rest[len(frame):]
	}
	return nil
}
