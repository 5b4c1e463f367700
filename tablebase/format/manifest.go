package format

import (
	"errors"
	"fmt"

	"backsolve/tablebase"
)

// The manifest lists the sealed classes of the partial file. After the preamble of a table's
// header it has a frame for each class: length and checksum, four bytes each, the class's
// record as in the footer, and in a packed table the entries of its frames as in the seek
// table. A frame that was torn by a power cut fails its checksum and ends what can be resumed.
const frameHead = 8

func frameSum(frame []byte) uint32 {
	return UpdateChecksum(Checksum(frame[:4]), frame[frameHead:])
}

// ManifestStart returns the manifest of an empty partial file.
func ManifestStart(s tablebase.Shape, magic string) []byte {
	b := make([]byte, PreambleSize)
	putPreamble(b, magic, s)
	SealHeader(b)
	return b
}

// ManifestFrame encodes a record for the manifest, with the entries of its frames if it is packed.
func (r *Record) ManifestFrame(entries []byte) []byte {
	b := append(r.Append(make([]byte, frameHead)), entries...)
	le.PutUint32(b, uint32(len(b)-frameHead))
	le.PutUint32(b[4:], frameSum(b))
	return b
}

// ManifestShape reads from a manifest what is being solved; ErrForeign, ErrHeader or ErrNewer.
func ManifestShape(b []byte, magic string) (tablebase.Shape, error) {
	if len(b) < PreambleSize {
		return tablebase.Shape{}, fmt.Errorf("%w: %d bytes", ErrHeader, len(b))
	}
	s, err := readPreamble(b[:PreambleSize], magic)
	if err == nil && le.Uint32(b[60:]) != 0 {
		return tablebase.Shape{}, fmt.Errorf("%w: what is kept zero is not", ErrHeader)
	}
	s.Archive = err == nil && magic == ArchiveMagic
	return s, err
}

// MaxManifest bounds the length of the manifest of a partial file of that length.
func MaxManifest(partial int64) int64 {
	return PreambleSize + (MaxClass+1)*frameHead + MaxFooter(partial)
}

var (
	errFrameCut  = errors.New("the manifest ends within a class")
	errFrameTorn = errors.New("a checksum in the manifest does not hold")
)

// NextFrame returns the frame at the start of b, nil at the end of the manifest.
func NextFrame(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if len(b) < frameHead || int64(le.Uint32(b)) > int64(len(b)-frameHead) {
		return nil, errFrameCut
	}
	frame := b[:frameHead+int(le.Uint32(b))]
	if frameSum(frame) != le.Uint32(frame[4:]) {
		return nil, errFrameTorn
	}
	return frame, nil
}

// EachRecord calls use with the records of a manifest whose preamble was checked, the entries of their
// frames in the seek table, and how many bytes of the manifest they take. No data may lie beyond limit.
func EachRecord(b []byte, s tablebase.Shape, limit int64, use func(r *Record, entries []byte, length int) error) error {
	d := newDirectory(nil, s, limit)
	for rest := b[PreambleSize:]; ; {
		frame, err := NextFrame(rest)
		if frame == nil || err != nil {
			return err
		}
		rest, d.rest = rest[len(frame):], frame[frameHead:]
		r, err := d.next()
		if err == nil {
			err = use(r, d.rest, len(frame))
		}
		if err != nil {
			return err
		}
	}
}
