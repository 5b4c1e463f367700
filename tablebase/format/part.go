package format

import (
	"errors"
	"io"
	"runtime"
	"sync"

	"backsolve/internal/parallel"
)

const (
	ChunkSize   = 64 << 10       // bytes under one checksum
	StretchSize = 16 * ChunkSize // bytes read or written at once
	// FrameSize is how many bytes of a table are packed together. Header, parts
	// and footer are cut apart from one another, so that a chunk is two frames.
	// docs/reference/format.md compares other sizes.
	FrameSize = 32 << 10
)

// Part is a page-aligned run of a file that holds some planes interleaved: word
// w of column l is element w·columns+l, eight bytes long. The outcomes, the digits
// of the steps and the masks of a class are a part each. Zeros fill it up to
// the next page, and are covered by the checksums like the rest.
type Part struct {
	Offset  int64
	Columns int
	Words   int64 // of each column
	Steps   bool  // whether they are the digits of the steps, or of the nimbers
}

// Padded is the part's length in the file.
func (p Part) Padded() int64 {
	bytes := int64(p.Columns) * p.Words * 8
	return (bytes + PageSize - 1) / PageSize * PageSize
}

// Chunks is the number of checksums over the part.
func (p Part) Chunks() int { return int((p.Padded() + ChunkSize - 1) / ChunkSize) }

// Frames is the number of frames of the part in a packed table.
func (p Part) Frames() int { return int((p.Padded() + FrameSize - 1) / FrameSize) }

// Chunk returns where a chunk lies in the file, and its length.
func (p Part) Chunk(i int) (offset, length int64) {
	at := int64(i) * ChunkSize
	return p.Offset + at, min(ChunkSize, p.Padded()-at)
}

// WordOffset returns where word n of the first column lies in the file; those of the other
// columns follow it.
func (p *Part) WordOffset(n uint64) uint64 { return uint64(p.Offset) + n*uint64(p.Columns)*8 }

// Write interleaves the columns into the file and returns the checksums.
func (p Part) Write(f io.WriterAt, from Columns) ([]uint32, error) {
	sums := make([]uint32, p.Chunks())
	err := p.EachRun(from, runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		p.Sum(sums, buf, at)
		_, err := f.WriteAt(buf, p.Offset+at)
		return err
	})
	return sums, err
}

// Sum notes the checksums of a stretch of the part, which begins a chunk.
func (p Part) Sum(sums []uint32, buf []byte, at int64) {
	for i := 0; i < len(buf); i += ChunkSize {
		sums[(at+int64(i))/ChunkSize] = Checksum(buf[i:min(i+ChunkSize, len(buf))])
	}
}

// Read checks the chunks that hold words [first, first+count) of each column and
// de-interleaves these into dst, whose columns have count words; with no dst it
// only checks. The error is a *badChunk, errPadding or the reader's or a frame's.
func (p Part) Read(f io.ReaderAt, sums *Sums, first, count int64, dst [][]uint64, workers int) error {
	stride := int64(p.Columns) * 8
	begin := first * stride / ChunkSize * ChunkSize
	end := min(p.Padded(), ((first+count)*stride+ChunkSize-1)/ChunkSize*ChunkSize)
	if first == 0 && count == p.Words {
		end = p.Padded() // the last zeros belong to nobody's words
	}
	return EachStretch(end-begin, workers, func(buf []byte, at int64) error {
		at += begin
		if err := ReadFull(f, buf, p.Offset+at); err != nil {
			return err
		}
		for i := 0; i < len(buf); i += ChunkSize {
			chunk := buf[i:min(i+ChunkSize, len(buf))]
			from := at + int64(i)
			if err := sums.Check(int(from/ChunkSize), Checksum(chunk)); err != nil {
				return err
			}
			if !p.IsPadded(chunk, from) {
				return ErrPadding
			}
			deinterleave(dst, first, chunk, from/8)
		}
		return nil
	})
}

// IsPadded says whether all is zero that lies behind the planes in a piece of the
// part that begins at byte from.
func (p Part) IsPadded(piece []byte, from int64) bool {
	used := int64(p.Columns)*p.Words*8 - from
	return used >= int64(len(piece)) || isZero(piece[max(0, used):])
}

// ReadFull reads len(buf) bytes; io.ErrUnexpectedEOF where the file ends before.
func ReadFull(f io.ReaderAt, buf []byte, offset int64) error {
	n, err := f.ReadAt(buf, offset)
	if n == len(buf) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// deinterleave takes from buf, which holds the elements from the given one on,
// those of the words from first on that dst has room for.
func deinterleave(dst [][]uint64, first int64, buf []byte, from int64) {
	stride := 8 * len(dst)
	for l, column := range dst {
		w, pos := firstWord(from, l, len(dst))
		if w < first {
			pos += int(min(first-w, ChunkSize)) * stride
			w = first
		}
		if w-first >= int64(len(column)) {
			continue
		}
		column = column[w-first:]
		for i := range column {
			if pos >= len(buf) {
				break
			}
			column[i] = le.Uint64(buf[pos:])
			pos += stride
		}
	}
}

// firstWord returns the first word of a column that is element from or a later
// one, and at which byte after that element it begins.
func firstWord(from int64, column, columns int) (word int64, pos int) {
	n := int64(columns)
	word = (from - int64(column) + n - 1) / n
	return word, int(word*n+int64(column)-from) * 8
}

// Buffers, to be used again: a single chunk does not take a whole stretch's, so
// that the first answers of a program are quick.
var (
	ChunkBuffers   = sync.Pool{New: func() any { b := make([]byte, ChunkSize); return &b }}
	stretchBuffers = sync.Pool{New: func() any { b := make([]byte, StretchSize); return &b }}
)

// EachStretch cuts size bytes into stretches and has workers share them, each
// with a buffer of the stretch's length. After an error no more are begun; one
// of the errors is returned.
func EachStretch(size int64, workers int, work func(buf []byte, at int64) error) error {
	buffers := &stretchBuffers
	if size <= ChunkSize {
		buffers = &ChunkBuffers
	}
	return parallel.Each(int((size+StretchSize-1)/StretchSize), workers, func(next func() (int, bool)) error {
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		for i, more := next(); more; i, more = next() {
			at := int64(i) * StretchSize
			if err := work((*buf)[:min(StretchSize, size-at)], at); err != nil {
				return err
			}
		}
		return nil
	})
}
