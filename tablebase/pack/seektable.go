package pack

import (
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"backsolve/tablebase/format"
)

const (
	zstdMagic     = "\x28\xb5\x2f\xfd" // a file of zstd frames begins with it
	seekableMagic = 0x8f92eab1         // and a seekable one ends with it

	// The seek table: a head, an entry for each frame; the number of frames, flags and the magic.
	seekTableSkip      = 0x184d2a5e // zstd skips a frame that begins with it
	seekTableHead      = 8
	SeekEntrySize      = 12 // bytes of an entry
	seekTableEnd       = 9
	seekTableFixed     = seekTableHead + seekTableEnd
	seekTableChecksums = 0x80 // the only flag: each entry has a checksum

	// The index before the seek table spares a lookup reading all of that: a head; for each piece
	// of the seek table the offset of its first frame and a checksum of its entries; and an end.
	indexSkip      = 0x184d2a5d
	indexHead      = 8
	indexEntrySize = 12
	indexEnd       = 8 + 4 + 8

	// pieceFrames is how many entries of the seek table are read at once.
	pieceFrames = 4096
	pieceBytes  = pieceFrames * SeekEntrySize
)

// Level says what the frames of a packed table have.
type Level uint8

// The levels.
const (
	Words   Level = iota // the bytes of the parts
	Numbers              // numbers instead of digits, where a class has enough of these
	Archive              // as Numbers, but of lost states alone, and outcomes bit by bit
)

// levelMagics end the index, by level.
var levelMagics = [...]string{"bsindex\n", "bsindx2\n", "bsindx3\n"}

// levelOf returns the level of a packed table: without numbers old programs can read it.
func levelOf(classes []*format.Record, most Level) Level {
	if most == Numbers && !slices.ContainsFunc(classes, func(r *format.Record) bool { return asNumbers(r.Parts[format.Steps]) }) {
		return Words
	}
	return most
}

type packedFrame struct {
	offset         int64
	packed, length int64 // bytes in the file, and unpacked
	checksum       uint32
}

// seekTable knows where the frames of a packed file are. It compares what it reads with the
// length of the file before it allocates, and reads its pieces when they are needed.
type seekTable struct {
	file    io.ReaderAt
	start   int64 // of its entries in the file
	frames  int   // how many there are
	end     int64 // of the frames
	total   int64 // bytes that they unpack to
	offsets []int64
	sums    []uint32 // CRC-32C of the entries of each piece
	pieces  []atomic.Pointer[seekPiece]
	indexed bool
	level   Level
}

type seekPiece struct {
	entries []byte
	starts  []uint32 // of each frame, from the piece's first
}

func readSeekTable(file io.ReaderAt, fileSize, frames int64) (*seekTable, error) {
	length := frames*SeekEntrySize + seekTableFixed
	if frames == 0 || length > fileSize || int64(int(frames)) != frames { // an int may have 32 bits
		return nil, fmt.Errorf("%w: it has %d frames in %d bytes", format.ErrSeekTable, frames, fileSize)
	}
	s := &seekTable{file: file, frames: int(frames), start: fileSize - length + seekTableHead, end: fileSize - length}
	s.pieces = make([]atomic.Pointer[seekPiece], (frames+pieceFrames-1)/pieceFrames)
	if err := s.readIndex(); err != nil || s.indexed {
		return s, err
	}
	return s, s.readAll()
}

func (s *seekTable) readIndex() error {
	length := int64(indexHead + len(s.pieces)*indexEntrySize + indexEnd)
	if length > s.end {
		return nil
	}
	b := make([]byte, length)
	if err := format.ReadFull(s.file, b, s.end-length); err != nil {
		return err
	}
	end := b[len(b)-indexEnd:]
	level := slices.Index(levelMagics[:], string(end[12:]))
	if level < 0 {
		return nil
	}
	s.level = Level(level)
	if le.Uint32(b) != indexSkip || int64(le.Uint32(b[4:])) != length-indexHead || format.Checksum(b[:len(b)-indexEnd+8]) != le.Uint32(end[8:]) {
		return fmt.Errorf("%w: the checksum of its index does not hold", format.ErrSeekTable)
	}
	s.indexed, s.end, s.total = true, s.end-length, int64(le.Uint64(end))
	last := int64(-1)
	for e := b[indexHead : len(b)-indexEnd]; len(e) > 0; e = e[indexEntrySize:] {
		offset := int64(le.Uint64(e))
		if offset <= last || offset >= s.end || last < 0 && offset != 0 {
			return fmt.Errorf("%w: a piece of it is said to begin at %d", format.ErrSeekTable, offset)
		}
		last = offset
		s.offsets, s.sums = append(s.offsets, offset), append(s.sums, le.Uint32(e[8:]))
	}
	if s.total < 1 || s.total > int64(s.frames)*format.FrameSize {
		return fmt.Errorf("%w: its %d frames are said to have %d bytes", format.ErrSeekTable, s.frames, s.total)
	}
	return nil
}

// readAll reads a whole seek table that has no index, and keeps what an index would say.
func (s *seekTable) readAll() error {
	offset := int64(0)
	for i := range s.pieces {
		p, packed, total, err := s.readPiece(i)
		if err != nil {
			return err
		}
		s.offsets, s.sums = append(s.offsets, offset), append(s.sums, format.Checksum(p.entries))
		offset += packed
		s.total += total
	}
	if offset != s.end {
		return fmt.Errorf("%w: its frames and itself have %d bytes, and the file %d", format.ErrSeekTable, offset, s.end)
	}
	return nil
}

// readPiece reads and checks a piece. It returns the length of its frames, packed and unpacked.
func (s *seekTable) readPiece(piece int) (p *seekPiece, packed, total int64, err error) {
	at := s.extent(piece)
	p = &seekPiece{entries: make([]byte, at.Length)}
	if err = format.ReadFull(s.file, p.entries, at.Offset); err == nil {
		packed, total, err = p.check()
	}
	return p, packed, total, err
}

func (s *seekTable) extent(piece int) format.Extent {
	return format.Extent{Offset: s.start + int64(piece)*pieceBytes, Length: int64(min(pieceFrames, s.frames-piece*pieceFrames) * SeekEntrySize)}
}

// unread returns where the pieces are that have these frames and have not been read.
func (s *seekTable) unread(frames []int) (pieces []format.Extent) {
	last := -1
	for _, frame := range frames {
		piece := frame / pieceFrames
		if piece != last && uint(frame) < uint(s.frames) && s.pieces[piece].Load() == nil {
			pieces = append(pieces, s.extent(piece))
		}
		last = piece
	}
	return pieces
}

// check returns the length of the frames, packed and unpacked. After it each fits the buffers.
func (p *seekPiece) check() (packed, total int64, err error) {
	p.starts = make([]uint32, 0, len(p.entries)/SeekEntrySize)
	for e := p.entries; len(e) > 0; e = e[SeekEntrySize:] {
		in, out := le.Uint32(e), le.Uint32(e[4:])
		if in < 1 || in > maxPackedBytes || out < 1 || out > maxNumberBytes {
			return 0, 0, fmt.Errorf("%w: a frame has %d bytes, packed %d, as in no packed table", format.ErrSeekTable, out, in)
		}
		p.starts = append(p.starts, uint32(packed))
		packed += int64(in)
		total += int64(out)
	}
	return packed, total, nil
}

func (s *seekTable) frame(i int) (packedFrame, error) {
	piece := i / pieceFrames
	p := s.pieces[piece].Load()
	if p == nil {
		var err error
		if p, err = s.load(piece); err != nil {
			return packedFrame{}, err
		}
	}
	i %= pieceFrames
	return frameAt(s.offsets[piece]+int64(p.starts[i]), p.entries[i*SeekEntrySize:]), nil
}

func frameAt(offset int64, entry []byte) packedFrame {
	return packedFrame{offset, int64(le.Uint32(entry)), int64(le.Uint32(entry[4:])), le.Uint32(entry[8:])}
}

func (s *seekTable) load(piece int) (*seekPiece, error) {
	p, packed, _, err := s.readPiece(piece)
	if err != nil {
		return nil, err
	}
	end := s.end
	if piece+1 < len(s.pieces) {
		end = s.offsets[piece+1]
	}
	switch {
	case format.Checksum(p.entries) != s.sums[piece]:
		return nil, fmt.Errorf("%w: the checksum of a piece of it does not hold", format.ErrSeekTable)
	case s.offsets[piece]+packed != end:
		return nil, fmt.Errorf("%w: the frames of a piece end at %d, and the next begin at %d", format.ErrSeekTable, s.offsets[piece]+packed, end)
	}
	s.pieces[piece].Store(p)
	return p, nil
}

// appendSeekTable appends index and seek table for frames that unpack to total bytes.
func appendSeekTable(b, entries []byte, total int64, level Level) []byte {
	frames := len(entries) / SeekEntrySize
	pieces := (frames + pieceFrames - 1) / pieceFrames
	start, offset := len(b), int64(0)
	b = le.AppendUint32(b, indexSkip)
	b = le.AppendUint32(b, uint32(pieces*indexEntrySize+indexEnd))
	for rest := entries; len(rest) > 0; {
		piece := rest[:min(len(rest), pieceBytes)]
		rest = rest[len(piece):]
		b = le.AppendUint64(b, uint64(offset))
		b = le.AppendUint32(b, format.Checksum(piece))
		for e := piece; len(e) > 0; e = e[SeekEntrySize:] {
			offset += int64(le.Uint32(e))
		}
	}
	b = le.AppendUint64(b, uint64(total))
	b = le.AppendUint32(b, format.Checksum(b[start:]))
	b = append(b, levelMagics[level]...)

	b = le.AppendUint32(b, seekTableSkip)
	b = le.AppendUint32(b, uint32(len(entries)+seekTableEnd))
	b = append(b, entries...)
	b = le.AppendUint32(b, uint32(frames))
	b = append(b, seekTableChecksums)
	return le.AppendUint32(b, seekableMagic)
}
