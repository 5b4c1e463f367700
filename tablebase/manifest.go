package tablebase

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
)

// The manifest says which classes of the partial file are sealed. It begins
// with the preamble that a table's header has, and grows by a frame a class:
// length and checksum, four bytes each, then the class's record as it will stand
// in the footer. A frame that a power cut tore does not pass its checksum, and
// with it ends what can be resumed.
const frameHead = 8

// frameSum covers a frame's length as well as its payload.
func frameSum(frame []byte) uint32 {
	return crc32.Update(checksum(frame[:4]), castagnoli, frame[frameHead:])
}

// manifestStart returns what the manifest of an empty partial file contains.
func manifestStart(s Shape) []byte {
	b := make([]byte, preambleSize)
	putPreamble(b, manifestMagic, s)
	sealHeader(b)
	return b
}

// frame encodes a record for the manifest.
func (r *record) frame() []byte {
	b := r.append(make([]byte, frameHead))
	le.PutUint32(b, uint32(len(b)-frameHead))
	le.PutUint32(b[4:], frameSum(b))
	return b
}

// manifestShape reads the start of a manifest: what was being solved.
// ErrForeign or errHeader where it cannot be told, ErrNewer where another
// version of this program wrote it.
func manifestShape(b []byte) (Shape, error) {
	if len(b) < preambleSize {
		return Shape{}, fmt.Errorf("%w: %d bytes", errHeader, len(b))
	}
	b = b[:preambleSize]
	v, err := headerVersion(b, manifestMagic)
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

// manifestRecords reads the classes of a manifest and checks their data in the
// partial file, which has so many bytes. It returns the longest run from the first
// on that holds, the bytes of the manifest up to there, and why it ends early, if
// it does.
func manifestRecords(b []byte, s Shape, partial io.ReaderAt, size int64, workers int) (records []*record, length int64, broken error) {
	length = preambleSize
	rest := b[length:]
	d := newDirectory(nil, 0, s, size)
	for len(rest) > 0 {
		if len(rest) < frameHead || int64(le.Uint32(rest)) > int64(len(rest)-frameHead) {
			return records, length, fmt.Errorf("the manifest ends within a class")
		}
		frame := rest[:frameHead+int(le.Uint32(rest))]
		if frameSum(frame) != le.Uint32(frame[4:]) {
			return records, length, fmt.Errorf("a checksum in the manifest does not hold")
		}
		d.src, d.left = bytes.NewReader(frame[frameHead:]), int64(len(frame)-frameHead)
		r, err := d.next()
		if err == nil && d.left > 0 {
			err = fmt.Errorf("class %d is recorded wrongly", r.Class)
		}
		if err != nil {
			return records, length, err
		}
		for i, p := range r.parts {
			if err := p.read(partial, r.sums[i], 0, p.words, nil, workers); err != nil {
				return records, length, fmt.Errorf("the %s of class %d: %w", partNames[i], r.Class, err)
			}
		}
		records = append(records, r)
		length += int64(len(frame))
		rest = rest[len(frame):]
	}
	return records, length, nil
}
