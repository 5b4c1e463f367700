package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// maxPackedBytes bounds a frame in the file: zstd adds some bytes to what does not compress.
const maxPackedBytes = maxNumberBytes + 256

// unpacker decodes frames. It never writes more than fits the buffer it is given.
var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxNumberBytes))
	if err != nil {
		panic(err) // the options contradict each other
	}
	return d
})

var packedBuffers = sync.Pool{New: func() any { b := make([]byte, maxPackedBytes); return &b }}

// Frames is a packed table as a source, unpacked frame by frame. It is safe for concurrent use.
type Frames struct {
	file     io.ReaderAt
	source   format.Source // the file; nil while it is written
	far      bool          // the file is a Storage
	FileSize int64         // when it was opened
	table    frameTable
	total    int64 // bytes that all of them unpack to
	regions  []Region
	Level    Level // of the frames
	cache    frameCache
}

type frameTable interface {
	frame(i int) (packedFrame, error)
}

// Region is a run of the table that is cut into frames from its start.
type Region struct {
	format.Part          // header and footer have no columns
	Sums        []uint32 // of the part
	Length      int64    // in bytes
	first       int      // frame
}

func (r Region) frames() int { return int((r.Length + format.FrameSize - 1) / format.FrameSize) }

// openFrames reads the seek table at the end of a packed file. On success it owns the file.
func openFrames(path string, file format.Source, fileSize int64, cacheBytes int) (*Frames, error) {
	refuse := func(kind error, format string, args ...any) (*Frames, error) {
		return nil, &tablebase.Error{Path: path, Err: kind, Detail: fmt.Sprintf(format, args...)}
	}
	end := make([]byte, seekTableEnd)
	if fileSize < seekTableFixed {
		return refuse(tablebase.ErrTruncated, "%d bytes are less than a packed table has", fileSize)
	}
	if err := format.ReadFull(file, end, fileSize-int64(len(end))); err != nil {
		return nil, tablebase.Failed(path, "read the table", err, "")
	}
	if le.Uint32(end[5:]) != seekableMagic {
		return refuse(tablebase.ErrTruncated, "it does not end with a seek table, as packed tables do")
	}
	if end[4] != seekTableChecksums {
		return refuse(tablebase.ErrDamaged, "its seek table has no checksums or has unknown flags")
	}
	table, err := readSeekTable(file, fileSize, int64(le.Uint32(end)))
	var first packedFrame
	if err == nil {
		first, err = table.frame(0)
	}
	switch {
	case errors.Is(err, format.ErrSeekTable):
		return refuse(tablebase.ErrDamaged, "%v", err)
	case err != nil:
		return nil, tablebase.Failed(path, "read the table", err, "")
	}
	f := &Frames{file: file, source: file, FileSize: fileSize, table: table, total: table.total, Level: table.level}
	_, f.far = file.(format.Storage)
	f.regions = []Region{{Length: first.length}}
	f.cache.init(cacheBytes / format.FrameSize)
	return f, nil
}

// Size returns the length of the unpacked table.
func (f *Frames) Size() (int64, error) { return f.total, nil }

// Close closes the file.
func (f *Frames) Close() error { return f.source.Close() }

// locate returns the frame that has a byte of the table, its start and its length; io.EOF for none.
func (f *Frames) locate(offset int64) (frame int, begin, length int64, err error) {
	i := sort.Search(len(f.regions), func(i int) bool { return f.regions[i].Offset+f.regions[i].Length > offset })
	if i == len(f.regions) || offset < f.regions[i].Offset {
		return 0, 0, 0, io.EOF
	}
	r := f.regions[i]
	n := (offset - r.Offset) / format.FrameSize
	begin = r.Offset + n*format.FrameSize
	return r.first + int(n), begin, min(format.FrameSize, r.Offset+r.Length-begin), nil
}

// ReadAt reads from the unpacked table. It bypasses the cache, as a scan reads everything once.
func (f *Frames) ReadAt(buf []byte, offset int64) (n int, err error) {
	return f.readFrames(buf, offset, func(frame int, skip, length int64, dst []byte) (int, error) {
		if skip == 0 && int64(len(dst)) >= length {
			return int(length), f.Decode(frame, dst[:length])
		}
		whole := frameBuffers.Get().(*[]byte)
		defer frameBuffers.Put(whole)
		if err := f.Decode(frame, (*whole)[:length]); err != nil {
			return 0, err // the buffer may have the bytes of another frame
		}
		return copy(dst, (*whole)[skip:length]), nil
	})
}

// readFrames reads from the unpacked table. read copies to dst the bytes of a frame from skip on.
func (f *Frames) readFrames(buf []byte, offset int64, read func(frame int, skip, length int64, dst []byte) (int, error)) (n int, err error) {
	if f.far { // for a local file the system reads ahead
		if err := f.Fetch([]format.Extent{{Offset: offset, Length: int64(len(buf))}}); err != nil {
			return 0, err
		}
	}
	for n < len(buf) {
		frame, begin, length, err := f.locate(offset + int64(n))
		if err != nil {
			return n, err
		}
		copied, err := read(frame, offset+int64(n)-begin, length, buf[n:])
		if err != nil {
			return 0, err
		}
		n += copied
	}
	return n, nil
}

func (f *Frames) regionOf(frame int) int {
	return sort.Search(len(f.regions), func(i int) bool { return f.regions[i].first > frame }) - 1
}

func (f *Frames) lengthOf(frame int) int64 {
	r := f.regions[f.regionOf(frame)]
	return min(format.FrameSize, r.Length-int64(frame-r.first)*format.FrameSize)
}

var frameBuffers = sync.Pool{New: func() any { b := make([]byte, format.FrameSize); return &b }}

// Decode unpacks a frame into dst; *format.BadFrame, format.ErrSeekTable or the error of the file.
func (f *Frames) Decode(frame int, dst []byte) error {
	e, err := f.table.frame(frame)
	if err != nil {
		return err
	}
	i := f.regionOf(frame)
	if f.isNumbers(i) {
		return f.decodeNumbers(e, i, frame, dst)
	}
	return f.decodeWords(e, f.regions[i].Part, dst)
}

// Archived reports whether the frames have the steps of a class's lost states alone.
func (f *Frames) Archived(r *format.Record) bool {
	return f.Level == Archive && asNumbers(r.Parts[format.Steps])
}

func (f *Frames) decodeWords(e packedFrame, of format.Part, dst []byte) error {
	err := f.decodeBytes(e, dst)
	if err == nil && isZipped(f.Level, of) {
		unzip(dst)
	}
	return err
}

// decodeBytes unpacks the bytes of a frame, without turning numbers into digits.
func (f *Frames) decodeBytes(e packedFrame, dst []byte) error {
	if e.length != int64(len(dst)) {
		return &format.BadFrame{Offset: e.offset, Length: e.packed, Cause: fmt.Errorf("it has %d bytes, not %d as in every packed table", e.length, len(dst))}
	}
	buffer := packedBuffers.Get().(*[]byte)
	defer packedBuffers.Put(buffer)
	src := (*buffer)[:e.packed]
	if err := format.ReadFull(f.file, src, e.offset); err != nil {
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
	return &format.BadFrame{Offset: e.offset, Length: e.packed, Cause: err}
}

// RegionsOf returns how a table is cut into frames: header, parts, and the footer with the end mark.
func RegionsOf(h *format.Header, classes []*format.Record) []Region {
	regions := []Region{{Length: format.PageSize}}
	add := func(r Region) {
		if last := regions[len(regions)-1]; r.Length > 0 {
			r.first = last.first + last.frames()
			regions = append(regions, r)
		}
	}
	for _, r := range classes {
		for i, p := range r.Parts {
			add(Region{Part: p, Sums: r.Sums[i], Length: p.Padded()})
		}
	}
	add(Region{Part: format.Part{Offset: h.FooterOffset}, Length: h.Length - h.FooterOffset})
	return regions
}

// FindEnds sets the regions of header and footer, which say where all else is.
func (f *Frames) FindEnds(h *format.Header) {
	regions := RegionsOf(h, nil)
	footer := &regions[1]
	if footer.first = f.table.(*seekTable).frames - footer.frames(); footer.first >= 1 { // else nothing can be read there
		f.regions = regions
	}
}

// SetRegions sets the regions of all classes, and refuses a file that is cut in another way:
// with an index when frames are read, without one now; format.ErrSeekTable.
func (f *Frames) SetRegions(h *format.Header, classes []*format.Record) error {
	return f.setRegions(RegionsOf(h, classes))
}

// SetUniform is SetRegions for a file that Stream has packed.
func (f *Frames) SetUniform() error { return f.setRegions([]Region{{Length: f.total}}) }

func (f *Frames) setRegions(regions []Region) error {
	f.regions = regions
	last := f.regions[len(f.regions)-1]
	s := f.table.(*seekTable)
	if n := last.first + last.frames(); n != s.frames {
		return fmt.Errorf("%w: it has %d frames, not %d", format.ErrSeekTable, s.frames, n)
	}
	if s.indexed {
		return nil
	}
	for _, r := range f.regions {
		for i := range r.frames() {
			e, err := s.frame(r.first + i)
			if err != nil {
				return err
			}
			if e.length != min(format.FrameSize, r.Length-int64(i)*format.FrameSize) {
				return fmt.Errorf("%w: its frame %d is not cut as in every packed table", format.ErrSeekTable, r.first+i)
			}
		}
	}
	return nil
}

// Fetch fetches the frames with these bytes of the unpacked table, except those in the cache.
func (f *Frames) Fetch(wanted []format.Extent) error {
	var cold []int
	for _, w := range wanted {
		for at := w.Offset; at < w.Offset+w.Length; {
			frame, begin, length, err := f.locate(at)
			if err != nil {
				break // reading it gives the error
			}
			at = begin + length
			for _, frame := range f.outcomeFrames([]int{frame}, frame) {
				if !f.Holds(frame) {
					cold = append(cold, frame)
				}
			}
		}
	}
	if len(cold) == 0 {
		return nil
	}
	if err := f.source.Fetch(f.table.(*seekTable).unread(cold)); err != nil {
		return err
	}
	packed := make([]format.Extent, len(cold))
	for i, frame := range cold {
		e, err := f.table.frame(frame)
		if err != nil {
			return err
		}
		packed[i] = format.Extent{Offset: e.offset, Length: e.packed}
	}
	return f.source.Fetch(packed)
}

// Unpacked returns a source of the table's bytes: raw itself, or its Frames if it is packed.
// These keep cacheBytes bytes unpacked, at least 256 KiB.
func Unpacked(path string, raw format.Source, cacheBytes int) (format.Source, error) {
	size, err := raw.Size()
	if err != nil {
		return nil, tablebase.Failed(path, "read the table", err, "")
	}
	magic := make([]byte, len(zstdMagic))
	n, err := raw.ReadAt(magic, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, tablebase.Failed(path, "read the table", err, "")
	}
	if n > 0 && bytes.HasPrefix([]byte(zstdMagic), magic[:n]) {
		f, err := openFrames(path, raw, size, cacheBytes)
		if err != nil {
			return nil, err // and no nil *Frames in an interface
		}
		return f, nil
	}
	return raw, nil
}
