package format

import (
	"errors"
	"io"
	"runtime"
	"sync"

	"backsolve/internal/parallel"
)

// How a part is read and written, in bytes.
const (
	ChunkSize = 64 << 10       // bytes under one checksum
	IOSize    = 16 * ChunkSize // bytes read or written at once
	// FrameSize is how many bytes are packed together. Header, parts and footer are cut separately: a chunk is two frames.
	FrameSize = 32 << 10
)

// Part is a run of whole pages with interleaved columns of eight-byte words: word w of column c is element w·Columns+c.
// A class has a part each for outcomes, digits and masks. It ends with zeros, which have checksums, too.
type Part struct {
	Offset  int64 // in the file, in bytes
	Columns int
	Words   int64 // of each column
	Steps   bool  // the columns are the digits of steps or nimbers
}

// Padded returns the length in the file.
func (p Part) Padded() int64 {
	bytes := int64(p.Columns) * p.Words * 8
	return (bytes + PageSize - 1) / PageSize * PageSize
}

// Chunks returns the number of checksums.
func (p Part) Chunks() int { return int((p.Padded() + ChunkSize - 1) / ChunkSize) }

// Frames returns the number of frames in a packed table.
func (p Part) Frames() int { return int((p.Padded() + FrameSize - 1) / FrameSize) }

// Chunk returns where a chunk is in the file, and its length.
func (p Part) Chunk(i int) (offset, length int64) {
	at := int64(i) * ChunkSize
	return p.Offset + at, min(ChunkSize, p.Padded()-at)
}

// WordOffset returns where word n of the first column is; those of the other columns follow it.
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

// Sum sets the checksums of a run of the part, which starts a chunk.
func (p Part) Sum(sums []uint32, buf []byte, at int64) {
	for i := 0; i < len(buf); i += ChunkSize {
		sums[(at+int64(i))/ChunkSize] = Checksum(buf[i:min(i+ChunkSize, len(buf))])
	}
}

// Read checks the chunks with count words of each column from the first on, and copies the words to dst unless that is
// nil. The error is a *BadChunk, ErrPadding or that of f.
func (p Part) Read(f io.ReaderAt, sums []uint32, first, count int64, dst [][]uint64, workers int) error {
	stride := int64(p.Columns) * 8
	begin := first * stride / ChunkSize * ChunkSize
	end := min(p.Padded(), ((first+count)*stride+ChunkSize-1)/ChunkSize*ChunkSize)
	return EachRange(end-begin, workers, func(buf []byte, at int64) error {
		at += begin
		if err := ReadFull(f, buf, p.Offset+at); err != nil {
			return err
		}
		for i := 0; i < len(buf); i += ChunkSize {
			chunk, from := buf[i:min(i+ChunkSize, len(buf))], at+int64(i)
			if err := p.checkChunk(sums, int(from/ChunkSize), chunk); err != nil {
				return err
			}
			deinterleave(dst, first, chunk, from/8)
		}
		return nil
	})
}

// checkChunk compares the checksum and the padding of a chunk; *BadChunk or ErrPadding.
func (p Part) checkChunk(sums []uint32, i int, chunk []byte) error {
	switch {
	case Checksum(chunk) != sums[i]:
		return &BadChunk{i}
	case !p.IsPadded(chunk, int64(i)*ChunkSize):
		return ErrPadding
	}
	return nil
}

// Copy copies words of each column from the first on to dst, without checks, on all cores.
func (p Part) Copy(f io.ReaderAt, first int64, dst [][]uint64) error {
	stride := int64(p.Columns) * 8
	if stride == 0 {
		return nil
	}
	return EachRange(int64(len(dst[0]))*stride, runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		at += first * stride
		err := ReadFull(f, buf, p.Offset+at)
		deinterleave(dst, first, buf, at/8)
		return err
	})
}

// BadChunks returns the chunks of a run of the part, from byte at, that fail their checksums. Unless the run is read, it
// reads them one by one, and without sums only those that cannot be read are bad.
func (p Part) BadChunks(f io.ReaderAt, sums []uint32, run []byte, at int64, isRead bool) (bad []int) {
	for i := 0; i < len(run); i += ChunkSize {
		chunk := run[i:min(i+ChunkSize, len(run))]
		c := int((at + int64(i)) / ChunkSize)
		if !isRead && ReadFull(f, chunk, p.Offset+at+int64(i)) != nil || sums != nil && Checksum(chunk) != sums[c] {
			bad = append(bad, c)
		}
	}
	return bad
}

// IsPadded reports whether a piece from a byte of the part on has only zeros after the last word.
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

// deinterleave copies the words from first on to dst; buf starts with element from.
func deinterleave(dst [][]uint64, first int64, buf []byte, from int64) {
	if len(dst) == 2 && from >= 2*first && from%2 == 0 && from/2-first < int64(len(dst[0])) {
		deinterleaveTwo(dst[0][from/2-first:], dst[1][from/2-first:], buf)
		return
	}
	stride, columns := 8*len(dst), int64(len(dst))
	for l, column := range dst {
		w := (from - int64(l) + columns - 1) / columns // the first one of the column in buf
		pos := int(w*columns+int64(l)-from) * 8
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

// deinterleaveTwo is deinterleave of two columns, most of all data, from a word that both have.
func deinterleaveTwo(a, b []uint64, buf []byte) {
	a = a[:min(len(a), len(buf)/16)]
	b = b[:len(a)]
	for i := range a {
		pair := buf[16*i : 16*i+16]
		a[i], b[i] = le.Uint64(pair), le.Uint64(pair[8:])
	}
}

// ChunkBuffers has a *[]byte of ChunkSize for single chunks, for quick first answers.
var (
	ChunkBuffers = sync.Pool{New: func() any { b := make([]byte, ChunkSize); return &b }}
	ioBuffers    = sync.Pool{New: func() any { b := make([]byte, IOSize); return &b }}
)

// EachRange cuts size bytes into pieces of at most IOSize and has workers share them, each with
// a buffer of the piece's length. An error ends it; one of the errors is returned.
func EachRange(size int64, workers int, work func(buf []byte, at int64) error) error {
	buffers := &ioBuffers
	if size <= ChunkSize {
		buffers = &ChunkBuffers
	}
	return parallel.Each(int((size+IOSize-1)/IOSize), workers, func(next func() (int, bool)) error {
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		for i, more := next(); more; i, more = next() {
			at := int64(i) * IOSize
			if err := work((*buf)[:min(IOSize, size-at)], at); err != nil {
				return err
			}
		}
		return nil
	})
}
