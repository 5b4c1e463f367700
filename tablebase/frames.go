package tablebase

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"
)

const (
	zstdMagic     = "\x28\xb5\x2f\xfd" // a file of zstd frames begins with it
	seekableMagic = 0x8f92eab1         // and ends with it, if it has a seek table

	// frameSize is how many bytes of a table are packed together. Header, parts
	// and footer are cut apart from one another, so that a chunk is two frames.
	// docs/format.md has the measurements behind the choice.
	frameSize = 32 << 10
	// mostPacked bounds what a frame takes in the file: zstd stores what does
	// not get shorter, with a few bytes around it.
	mostPacked = frameSize + 256

	// The seek table: a head, an entry for each frame, and an end that has the number
	// of frames, flags and the magic.
	seekTableHead      = 8
	seekEntrySize      = 12
	seekTableEnd       = 9
	seekTableFixed     = seekTableHead + seekTableEnd
	seekTableChecksums = 0x80 // the only flag: each entry has a checksum
)

// unpacker decodes frames. What it writes never exceeds the room it is given.
var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(frameSize))
	if err != nil {
		panic(err) // the options contradict each other
	}
	return d
})

// packedBuffers are for frames as they are in a file.
var packedBuffers = sync.Pool{New: func() any { b := make([]byte, mostPacked); return &b }}

// frames is a packed table: its bytes as frames that are decoded one by one.
type frames struct {
	file     *os.File
	fileSize int64 // when it was opened
	table    seekable.SeekTable
	cache    frameCache
}

// badFrame says which frame is not what the seek table says.
type badFrame struct {
	offset, length int64 // in the file
	cause          error
}

func (b *badFrame) Error() string {
	return fmt.Sprintf("the frame in bytes %d to %d of the file does not unpack (%v)", b.offset, b.offset+b.length-1, b.cause)
}

// openFrames reads the seek table at the end of a packed file and checks that
// its frames fill the file. It takes the file over unless it fails.
func openFrames(path string, file *os.File, fileSize int64) (*frames, error) {
	refuse := func(kind error, format string, args ...any) (*frames, error) {
		return nil, &Error{Path: path, Err: kind, Detail: fmt.Sprintf(format, args...), Remedy: packAgain}
	}
	end := make([]byte, seekTableEnd)
	if fileSize < seekTableFixed {
		return refuse(ErrTruncated, "%d bytes are less than a packed table has", fileSize)
	}
	if err := readFull(file, end, fileSize-int64(len(end))); err != nil {
		return nil, failed(path, "read the table", err, "")
	}
	if le.Uint32(end[5:]) != seekableMagic {
		return refuse(ErrTruncated, "there is no seek table at its end, so tbsolve pack did not end it this way")
	}
	if end[4] != seekTableChecksums {
		return refuse(ErrDamaged, "its seek table has no checksums or has unknown flags")
	}
	b, err := readSeekTable(file, fileSize, int64(le.Uint32(end)))
	if errors.Is(err, errSeekTable) {
		return refuse(ErrDamaged, "%v", err)
	} else if err != nil {
		return nil, failed(path, "read the table", err, "")
	}
	table, err := seekable.NewSeekTable(b)
	if err != nil {
		return refuse(ErrDamaged, "its seek table cannot be read (%v)", err)
	}
	f := &frames{file: file, fileSize: fileSize, table: *table}
	f.cache.init(cacheBytes / frameSize)
	return f, nil
}

// errSeekTable is why a seek table is refused that could be read.
var errSeekTable = errors.New("its seek table is wrong")

// readSeekTable reads the seek table of so many frames and checks it: after it, no
// frame is longer than its buffers and all fill the file. It is read twice, for a
// number of frames alone must not take the memory of as many.
func readSeekTable(file io.ReaderAt, fileSize, frames int64) ([]byte, error) {
	length := frames*seekEntrySize + seekTableFixed
	if frames == 0 || length > fileSize {
		return nil, fmt.Errorf("%w: it has %d frames in %d bytes", errSeekTable, frames, fileSize)
	}
	piece := make([]byte, 4096*seekEntrySize)
	for i := int64(0); i < frames; i += 4096 {
		entries := piece[:min(4096, frames-i)*seekEntrySize]
		if err := readFull(file, entries, fileSize-length+seekTableHead+i*seekEntrySize); err != nil {
			return nil, err
		}
		if _, err := packedLength(entries); err != nil {
			return nil, err
		}
	}
	b := make([]byte, length)
	if err := readFull(file, b, fileSize-length); err != nil {
		return nil, err
	}
	packed, err := packedLength(b[seekTableHead : length-seekTableEnd])
	if err == nil && packed+length != fileSize {
		err = fmt.Errorf("%w: its frames and itself have %d bytes, and the file %d", errSeekTable, packed+length, fileSize)
	}
	return b, err
}

// packedLength returns how long the frames are together that entries of a seek
// table stand for, or what is wrong with one.
func packedLength(entries []byte) (sum int64, err error) {
	for e := entries; len(e) > 0; e = e[seekEntrySize:] {
		packed, unpacked := le.Uint32(e), le.Uint32(e[4:])
		if packed < 1 || packed > mostPacked || unpacked < 1 || unpacked > frameSize {
			return 0, fmt.Errorf("%w: a frame has %d bytes, packed %d, and tbsolve pack makes no such", errSeekTable, unpacked, packed)
		}
		sum += int64(packed)
	}
	return sum, nil
}

func (f *frames) size() (int64, error) { return int64(f.table.Size()), nil }

func (f *frames) Close() error { return f.file.Close() }

// ReadAt reads from the unpacked table, past the cache: what reads much reads
// it once.
func (f *frames) ReadAt(buf []byte, offset int64) (n int, err error) {
	e, found := f.table.EntryByDecompressedOffset(uint64(offset))
	for n < len(buf) {
		if !found {
			return n, io.EOF
		}
		skip := int(offset + int64(n) - int64(e.DecompressedOffset))
		length := int(e.DecompressedSize)
		if rest := buf[n:]; skip == 0 && len(rest) >= length {
			err = f.decode(e, rest[:length])
			n += length
		} else {
			whole := frameBuffers.Get().(*[]byte)
			err = f.decode(e, (*whole)[:length])
			n += copy(rest, (*whole)[skip:length])
			frameBuffers.Put(whole)
		}
		if err != nil {
			return 0, err
		}
		e, found = f.table.EntryByID(e.ID + 1)
	}
	return n, nil
}

var frameBuffers = sync.Pool{New: func() any { b := make([]byte, frameSize); return &b }}

// decode unpacks a frame into dst, which has its length. The error is a
// *badFrame or the file's.
func (f *frames) decode(e seekable.FrameOffsetEntry, dst []byte) error {
	buffer := packedBuffers.Get().(*[]byte)
	defer packedBuffers.Put(buffer)
	src := (*buffer)[:e.CompressedSize]
	if err := readFull(f.file, src, int64(e.CompressedOffset)); err != nil {
		return err
	}
	out, err := unpacker().DecodeAll(src, slices.Clip(dst)[:0])
	switch {
	case err != nil:
	case len(out) != len(dst) || &out[0] != &dst[0]:
		err = fmt.Errorf("it has %d bytes, not %d", len(out), len(dst))
	case len(src) < 4 || le.Uint32(src[len(src)-4:]) != e.Checksum:
		// The frame ends with its own checksum, which the decoder has checked.
		err = errors.New("its checksum is not the one in the seek table")
	default:
		return nil
	}
	return &badFrame{int64(e.CompressedOffset), int64(e.CompressedSize), err}
}

// eachFrame yields the cut of a table into frames: header, parts and footer
// with end mark, each from its start on.
func (t *Table) eachFrame(yield func(offset, length int64) bool) {
	cut := func(offset, length int64) bool {
		for at := int64(0); at < length; at += frameSize {
			if !yield(offset+at, min(frameSize, length-at)) {
				return false
			}
		}
		return true
	}
	if !cut(0, pageSize) {
		return
	}
	for _, r := range t.classes {
		for _, p := range r.parts {
			if !cut(p.offset, p.padded()) {
				return
			}
		}
	}
	cut(t.header.footerOffset, t.header.length-t.header.footerOffset)
}

// checkCut refuses frames that are cut in another way than lookups reckon with.
func (t *Table) checkCut(f *frames) error {
	i := int64(0)
	for offset, length := range t.eachFrame {
		e, found := f.table.EntryByID(i)
		if !found || int64(e.DecompressedOffset) != offset || int64(e.DecompressedSize) != length {
			return t.damaged("its frame %d is not cut as tbsolve pack cuts", i)
		}
		i++
	}
	if i != f.table.NumFrames() {
		return t.damaged("it has %d frames, not %d", f.table.NumFrames(), i)
	}
	return nil
}
