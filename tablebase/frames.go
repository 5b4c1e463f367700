package tablebase

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	// frameSize is how many bytes of a table are packed together. Header, parts
	// and footer are cut apart from one another, so that a chunk is two frames.
	// docs/reference/format.md compares other sizes.
	frameSize = 32 << 10
	// mostPacked bounds what a frame takes in the file: zstd stores what does
	// not get shorter, with a few bytes around it.
	mostPacked = mostNumbers + 256
)

// unpacker decodes frames. What it writes never exceeds the room it is given.
var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(mostNumbers))
	if err != nil {
		panic(err) // the options contradict each other
	}
	return d
})

// packedBuffers are for frames as they are in a file.
var packedBuffers = sync.Pool{New: func() any { b := make([]byte, mostPacked); return &b }}

// frames is a packed table: its bytes as frames that are decoded one by one.
type frames struct {
	file     io.ReaderAt
	source   source // the file; nil while it is written
	fileSize int64  // when it was opened
	table    frameTable
	total    int64 // bytes that all of them unpack to
	regions  []region
	numbers  bool // whether digits are packed as numbers
	cache    frameCache
}

// frameTable tells where frames are.
type frameTable interface {
	frame(i int) (packedFrame, error)
}

// region is a stretch of a table that is cut into frames from its start on.
type region struct {
	part         // header and footer have no columns
	length int64 // in bytes
	first  int   // frame
}

func (r region) frames() int { return int((r.length + frameSize - 1) / frameSize) }

// badFrame says which frame is not what the seek table says.
type badFrame struct {
	offset, length int64 // in the file
	cause          error
}

func (b *badFrame) Error() string {
	return fmt.Sprintf("the frame in bytes %d to %d of the file does not unpack (%v)", b.offset, b.offset+b.length-1, b.cause)
}

// openFrames reads the seek table at the end of a packed file. It takes the file over
// unless it fails.
func openFrames(path string, file source, fileSize int64) (*frames, error) {
	refuse := func(kind error, format string, args ...any) (*frames, error) {
		return nil, &Error{Path: path, Err: kind, Detail: fmt.Sprintf(format, args...)}
	}
	end := make([]byte, seekTableEnd)
	if fileSize < seekTableFixed {
		return refuse(ErrTruncated, "%d bytes are less than a packed table has", fileSize)
	}
	if err := readFull(file, end, fileSize-int64(len(end))); err != nil {
		return nil, failed(path, "read the table", err, "")
	}
	if le.Uint32(end[5:]) != seekableMagic {
		return refuse(ErrTruncated, "it does not end with a seek table, as packed tables do")
	}
	if end[4] != seekTableChecksums {
		return refuse(ErrDamaged, "its seek table has no checksums or has unknown flags")
	}
	table, err := readSeekTable(file, fileSize, int64(le.Uint32(end)))
	if err == nil {
		var first packedFrame
		if first, err = table.frame(0); err == nil {
			f := &frames{file: file, source: file, fileSize: fileSize, table: table, total: table.total, numbers: table.numbers}
			f.regions = []region{{length: first.length}}
			f.cache.init(cacheBytes / frameSize)
			return f, nil
		}
	}
	if errors.Is(err, errSeekTable) {
		return refuse(ErrDamaged, "%v", err)
	}
	return nil, failed(path, "read the table", err, "")
}

func (f *frames) size() (int64, error) { return f.total, nil }

func (f *frames) Close() error { return f.source.Close() }

// at returns the frame that has a byte of the table, where that frame begins and how long it
// is; io.EOF behind the end.
func (f *frames) at(offset int64) (frame int, begin, length int64, err error) {
	i := sort.Search(len(f.regions), func(i int) bool { return f.regions[i].offset+f.regions[i].length > offset })
	if i == len(f.regions) || offset < f.regions[i].offset {
		return 0, 0, 0, io.EOF
	}
	r := f.regions[i]
	n := (offset - r.offset) / frameSize
	begin = r.offset + n*frameSize
	return r.first + int(n), begin, min(frameSize, r.offset+r.length-begin), nil
}

// ReadAt reads from the unpacked table, past the cache: what reads much reads
// it once.
func (f *frames) ReadAt(buf []byte, offset int64) (n int, err error) {
	if isFar(f) { // the system reads ahead of its own accord
		if err := f.fetch([]Extent{{offset, int64(len(buf))}}); err != nil {
			return 0, err
		}
	}
	for n < len(buf) {
		frame, begin, length, err := f.at(offset + int64(n))
		if err != nil {
			return n, err
		}
		skip := offset + int64(n) - begin
		if rest := buf[n:]; skip == 0 && int64(len(rest)) >= length {
			err = f.decode(frame, rest[:length])
			n += int(length)
		} else {
			whole := frameBuffers.Get().(*[]byte)
			err = f.decode(frame, (*whole)[:length])
			n += copy(rest, (*whole)[skip:length])
			frameBuffers.Put(whole)
		}
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// regionOf returns the number of the region that a frame is of.
func (f *frames) regionOf(frame int) int {
	return sort.Search(len(f.regions), func(i int) bool { return f.regions[i].first > frame }) - 1
}

// lengthOf returns how long a frame is by the cut.
func (f *frames) lengthOf(frame int) int64 {
	r := f.regions[f.regionOf(frame)]
	return min(frameSize, r.length-int64(frame-r.first)*frameSize)
}

var frameBuffers = sync.Pool{New: func() any { b := make([]byte, frameSize); return &b }}

// decode unpacks a frame into dst, which has its length. The error is a
// *badFrame, errSeekTable or the file's.
func (f *frames) decode(frame int, dst []byte) error {
	e, err := f.table.frame(frame)
	if err != nil {
		return err
	}
	if i := f.regionOf(frame); f.isNumbers(i) {
		return f.decodeNumbers(e, i, frame, dst)
	}
	return f.decodeBytes(e, dst)
}

// decodeBytes unpacks what the frame has in the file.
func (f *frames) decodeBytes(e packedFrame, dst []byte) error {
	if e.length != int64(len(dst)) {
		return &badFrame{e.offset, e.packed, fmt.Errorf("it has %d bytes, not %d as in every packed table", e.length, len(dst))}
	}
	buffer := packedBuffers.Get().(*[]byte)
	defer packedBuffers.Put(buffer)
	src := (*buffer)[:e.packed]
	if err := readFull(f.file, src, e.offset); err != nil {
		return err
	}
	out, err := unpacker().DecodeAll(src, slices.Clip(dst)[:0])
	switch {
	case err != nil:
	case len(out) != len(dst) || &out[0] != &dst[0]:
		err = fmt.Errorf("it has %d bytes, not %d", len(out), len(dst))
	case len(src) < 4 || le.Uint32(src[len(src)-4:]) != e.checksum:
		// The frame ends with its own checksum, which the decoder has checked.
		err = errors.New("its checksum is not the one in the seek table")
	default:
		return nil
	}
	return &badFrame{e.offset, e.packed, err}
}

// regionsOf returns how a table is cut into frames: header, parts, and footer with end
// mark, each from its start on.
func regionsOf(h *header, classes []*record) (regions []region) {
	frame := 0
	add := func(p part, length int64) {
		if length > 0 {
			regions = append(regions, region{p, length, frame})
			frame += regions[len(regions)-1].frames()
		}
	}
	add(part{}, pageSize)
	for _, r := range classes {
		for _, p := range r.parts {
			add(p, p.padded())
		}
	}
	add(part{offset: h.footerOffset}, h.length-h.footerOffset)
	return regions
}

// findEnds tells the frames where header and footer are, which say where all else is.
func (f *frames) findEnds(h *header) {
	footer := region{part: part{offset: h.footerOffset}, length: h.length - h.footerOffset}
	if footer.first = f.table.(*seekTable).frames - footer.frames(); footer.first < 1 {
		return // then nothing can be read there
	}
	f.regions = []region{{length: pageSize}, footer}
}

// checkCut refuses frames that are cut in another way than lookups reckon with. What the
// seek table says of each frame is compared when it is read; where there is no index, now.
func (t *Table) checkCut(f *frames) error {
	f.regions = regionsOf(&t.header, t.classes)
	last := f.regions[len(f.regions)-1]
	s := f.table.(*seekTable)
	if n := last.first + last.frames(); n != s.frames {
		return t.damaged("it has %d frames, not %d", s.frames, n)
	}
	if s.indexed {
		return nil
	}
	for _, r := range f.regions {
		for i := range r.frames() {
			e, err := s.frame(r.first + i)
			if err != nil {
				return t.headerError(err)
			}
			if e.length != min(frameSize, r.length-int64(i)*frameSize) {
				return t.damaged("its frame %d is not cut as in every packed table", r.first+i)
			}
		}
	}
	return nil
}
