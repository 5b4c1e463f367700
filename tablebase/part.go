package tablebase

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	chunkSize   = 64 << 10       // bytes under one checksum
	stretchSize = 16 * chunkSize // bytes read or written at once
)

// part is a page-aligned run of a file that holds some planes interleaved: word
// w of column l is element w·columns+l, eight bytes long. The outcomes, the digits
// of the steps and the masks of a class are a part each. Zeros fill it up to
// the next page, and are covered by the checksums like the rest.
type part struct {
	offset  int64
	columns int
	words   int64 // of each column
	steps   bool  // whether they are the digits of the steps, or of the nimbers
}

// padded is the part's length in the file.
func (p part) padded() int64 {
	bytes := int64(p.columns) * p.words * 8
	return (bytes + pageSize - 1) / pageSize * pageSize
}

// chunks is the number of checksums over the part.
func (p part) chunks() int { return int((p.padded() + chunkSize - 1) / chunkSize) }

// frames is the number of frames of the part in a packed table.
func (p part) frames() int { return int((p.padded() + frameSize - 1) / frameSize) }

// chunk returns where a chunk lies in the file, and its length.
func (p part) chunk(i int) (offset, length int64) {
	at := int64(i) * chunkSize
	return p.offset + at, min(chunkSize, p.padded()-at)
}

// write interleaves the columns into the file and returns the checksums.
func (p part) write(f io.WriterAt, from columns) ([]uint32, error) {
	sums := make([]uint32, p.chunks())
	err := p.eachRun(from, runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		p.sum(sums, buf, at)
		_, err := f.WriteAt(buf, p.offset+at)
		return err
	})
	return sums, err
}

// sum notes the checksums of a stretch of the part, which begins a chunk.
func (p part) sum(sums []uint32, buf []byte, at int64) {
	for i := 0; i < len(buf); i += chunkSize {
		sums[(at+int64(i))/chunkSize] = checksum(buf[i:min(i+chunkSize, len(buf))])
	}
}

// read checks the chunks that hold words [first, first+count) of each column and
// de-interleaves these into dst, whose columns have count words; with no dst it
// only checks. The error is a *badChunk, errPadding or the reader's or a frame's.
func (p part) read(f io.ReaderAt, sums *sums, first, count int64, dst [][]uint64, workers int) error {
	stride := int64(p.columns) * 8
	begin := first * stride / chunkSize * chunkSize
	end := min(p.padded(), ((first+count)*stride+chunkSize-1)/chunkSize*chunkSize)
	if first == 0 && count == p.words {
		end = p.padded() // the last zeros belong to nobody's words
	}
	return eachStretch(end-begin, workers, func(buf []byte, at int64) error {
		at += begin
		if err := readFull(f, buf, p.offset+at); err != nil {
			return err
		}
		for i := 0; i < len(buf); i += chunkSize {
			chunk := buf[i:min(i+chunkSize, len(buf))]
			from := at + int64(i)
			if err := sums.check(int(from/chunkSize), checksum(chunk)); err != nil {
				return err
			}
			if !p.isPadded(chunk, from) {
				return errPadding
			}
			deinterleave(dst, first, chunk, from/8)
		}
		return nil
	})
}

// badChunk says which chunk of a part has another checksum than it should.
type badChunk struct{ chunk int }

func (b *badChunk) Error() string {
	return fmt.Sprintf("the checksum of chunk %d does not hold", b.chunk)
}

// errPadding is why a part is refused that has more than zeros behind its planes.
var errPadding = errors.New("what fills it up to a page is not zero")

// isPadded says whether all is zero that lies behind the planes in a piece of the
// part that begins at byte from.
func (p part) isPadded(piece []byte, from int64) bool {
	used := int64(p.columns)*p.words*8 - from
	return used >= int64(len(piece)) || isZero(piece[max(0, used):])
}

// readFull reads len(buf) bytes; io.ErrUnexpectedEOF where the file ends before.
func readFull(f io.ReaderAt, buf []byte, offset int64) error {
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
			pos += int(min(first-w, chunkSize)) * stride
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
	chunkBuffers   = sync.Pool{New: func() any { b := make([]byte, chunkSize); return &b }}
	stretchBuffers = sync.Pool{New: func() any { b := make([]byte, stretchSize); return &b }}
)

// eachStretch cuts size bytes into stretches and has workers share them, each
// with a buffer of the stretch's length. After an error no more are begun; one
// of the errors is returned.
func eachStretch(size int64, workers int, work func(buf []byte, at int64) error) error {
	buffers := &stretchBuffers
	if size <= chunkSize {
		buffers = &chunkBuffers
	}
	return eachOf(int((size+stretchSize-1)/stretchSize), workers, func(next func() (int, bool)) error {
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		for i, more := next(); more; i, more = next() {
			at := int64(i) * stretchSize
			if err := work((*buf)[:min(stretchSize, size-at)], at); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachOf has workers share the numbers 0 to n−1, which next tells each of them in
// ascending order. After an error no more are told; one of the errors is returned.
func eachOf(n, workers int, work func(next func() (int, bool)) error) error {
	var told atomic.Int64
	var failure atomic.Pointer[error]
	next := func() (int, bool) {
		i := int(told.Add(1)) - 1
		return i, i < n && failure.Load() == nil
	}
	run := func() {
		if err := work(next); err != nil {
			failure.CompareAndSwap(nil, &err)
		}
	}
	if workers = min(workers, n); workers <= 1 {
		run()
	} else {
		var group sync.WaitGroup
		for range workers {
			group.Go(run)
		}
		group.Wait()
	}
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}
