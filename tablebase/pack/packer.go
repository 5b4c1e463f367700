// Package pack packs tables into zstd frames that can be read at random, and unpacks
// them frame by frame. docs/reference/format.md describes packed files.
package pack

import (
	"encoding/binary"
	"io"
	"runtime"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase/format"
)

var le = binary.LittleEndian

// The levels of the encoder. The digits of the steps have few repetitions: on those of Quixo
// 5×5 the fastest level is 1.4 times as fast as the default, for 0.6 % more bytes.
const (
	packLevel  = zstd.SpeedDefault
	stepsLevel = zstd.SpeedFastest
	// archiveLevel is that of parts of an archive with at most archivedBytes, unless they are
	// numbers. On the outcomes of Quixo 5×5 it would take some eight times as long as the
	// default, for 20 % fewer bytes of these and 4 % of all.
	archiveLevel  = zstd.SpeedBestCompression
	archivedBytes = 64 << 20
)

// Packer writes the frames of a packed table in order, whichever worker packs them.
type Packer struct {
	to       io.WriterAt
	encoders []*zstd.Encoder // of all but steps, of steps, and of short parts of an archive
	encoder  *zstd.Encoder   // of the current part
	numbers  *numbered       // the current part, if it is packed as numbers
	zipped   bool            // the current part is
	level    Level           // Numbers or Archive
	buffers  sync.Pool       // of frames not written yet; as garbage they would be as long as the table

	lock   sync.Mutex
	turn   *sync.Cond
	end    int64   // of the frames written
	table  []byte  // the entries of the seek table
	starts []int64 // where every pieceFrames-th frame begins in the file
	next   int64   // byte of the current part that is written next
	failed error
}

const headerFrame = format.PageSize + 14 // bytes of a storedFrame

func (p *Packer) frame(i int) (packedFrame, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if i*SeekEntrySize >= len(p.table) {
		return packedFrame{}, io.EOF
	}
	offset := p.starts[i/pieceFrames]
	e := p.table[i/pieceFrames*pieceBytes:]
	for range i % pieceFrames {
		offset += int64(le.Uint32(e))
		e = e[SeekEntrySize:]
	}
	return frameAt(offset, e), nil
}

// Length returns the bytes of the frames written.
func (p *Packer) Length() int64 {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.end
}

func (p *Packer) append(entries []byte) {
	for e := entries; len(e) > 0; e = e[SeekEntrySize:] {
		if len(p.table)%pieceBytes == 0 {
			p.starts = append(p.starts, p.end)
		}
		p.table = append(p.table, e[:SeekEntrySize]...)
		p.end += int64(le.Uint32(e))
	}
}

// NewPacker returns a packer that leaves room for the header's frame, which is written last.
func NewPacker(to io.WriterAt, archive bool) (*Packer, error) {
	p := &Packer{to: to, level: Numbers, buffers: sync.Pool{New: func() any { return new([]byte) }}}
	levels := []zstd.EncoderLevel{packLevel, stepsLevel}
	if archive {
		p.level, levels = Archive, append(levels, archiveLevel)
	}
	for _, level := range levels {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithWindowSize(format.FrameSize))
		if err != nil {
			return nil, err
		}
		p.encoders = append(p.encoders, encoder)
	}
	p.turn = sync.NewCond(&p.lock)
	p.reset()
	return p, nil
}

// reset forgets all frames but the header's.
func (p *Packer) reset() {
	p.end, p.table, p.starts = 0, nil, nil
	header := le.AppendUint32(nil, headerFrame)
	p.append(append(le.AppendUint32(header, format.PageSize), 0, 0, 0, 0))
}

// Close releases the encoders.
func (p *Packer) Close() {
	for _, encoder := range p.encoders {
		encoder.Close()
	}
}

// Begin starts a part, or the footer, an empty Part. Steps need outcomes, which reads theirs.
func (p *Packer) Begin(of format.Part, planes int, outcomes func(buf []byte, at int64) error) {
	p.next, p.failed, p.encoder, p.numbers = 0, nil, p.encoders[0], nil
	switch {
	case of.Steps:
		p.encoder = p.encoders[1]
	case p.level == Archive && of.Padded() <= archivedBytes:
		p.encoder = p.encoders[2]
	}
	p.zipped = isZipped(p.level, of)
	if asNumbers(of) {
		p.numbers = &numbered{of, planes, p.level, outcomes}
	}
}

// Add packs a run of the current part from byte at, and may change it. Calls may be concurrent;
// a run is written when all before it are. Runs are whole frames, except the last.
func (p *Packer) Add(plain []byte, at int64) error {
	var entries []byte
	buffer := p.buffers.Get().(*[]byte)
	defer p.buffers.Put(buffer)
	packed, length := (*buffer)[:0], int64(len(plain))
	pack := func(frame []byte, _ int64) (int, error) {
		if p.zipped {
			zip(frame)
		}
		packed = p.encoder.EncodeAll(frame, packed)
		return len(frame), nil
	}
	if p.numbers != nil {
		numbers := numberBuffers.Get().(*numberBuffer)
		defer numberBuffers.Put(numbers)
		pack = func(frame []byte, at int64) (n int, err error) {
			packed, n, err = p.numbers.pack(packed, frame, at, numbers, p.encoder)
			return n, err
		}
	}
	for from := at; len(plain) > 0; from += format.FrameSize {
		frame := plain[:min(len(plain), format.FrameSize)]
		plain = plain[len(frame):]
		before := len(packed)
		content, err := pack(frame, from)
		if err != nil {
			p.Fail(err)
			return err
		}
		entries = appendEntry(entries, packed[before:], content)
	}
	*buffer = packed
	offset, err := p.reserve(at, length, entries)
	if err != nil {
		return err
	}
	if _, err := p.to.WriteAt(packed, offset); err != nil {
		p.Fail(err)
		return err
	}
	return nil
}

// reserve waits until all before byte at of the part have their places in the file, adds the
// entries of the next length bytes, and returns where their frames go.
func (p *Packer) reserve(at, length int64, entries []byte) (offset int64, err error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for p.next != at && p.failed == nil {
		p.turn.Wait()
	}
	if p.failed != nil {
		return 0, p.failed
	}
	offset = p.end
	p.append(entries)
	p.next = at + length
	p.turn.Broadcast()
	return offset, nil
}

// Fail ends the current part: no call of Add waits for a run that will not come.
func (p *Packer) Fail(err error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.failed = err
	p.turn.Broadcast()
}

// appendEntry appends the entry of a packed frame: its lengths, and the checksum that ends it.
func appendEntry(entries, packed []byte, content int) []byte {
	entries = le.AppendUint32(entries, uint32(len(packed)))
	entries = le.AppendUint32(entries, uint32(content))
	return append(entries, packed[len(packed)-4:]...)
}

// Finish writes header, index and seek table of a table with total bytes; it returns the file's length.
func (p *Packer) Finish(page []byte, total int64, classes []*format.Record) (int64, error) {
	first := storedFrame(page)
	if _, err := p.to.WriteAt(first, 0); err != nil {
		return 0, err
	}
	copy(p.table, appendEntry(nil, first, len(page)))
	end := appendSeekTable(nil, p.table, total, levelOf(classes, p.level))
	_, err := p.to.WriteAt(end, p.end)
	return p.end + int64(len(end)), err
}

// storedFrame returns a zstd frame that stores a header as it is, so that its length is known early.
func storedFrame(page []byte) []byte {
	b := appendBlockHead(appendFrameHead(nil, len(page)), rawBlock|lastBlock, len(page))
	return le.AppendUint32(append(b, page...), uint32(xxhash.Sum64(page)))
}

// Stream packs size bytes as frames of one length, the last one shorter. read fills a buffer
// with the bytes from an offset; calls may be concurrent. Stream returns the length of the file.
func Stream(to io.WriterAt, size int64, read func(buf []byte, at int64) error) (int64, error) {
	p, err := NewPacker(to, false)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	p.end, p.table, p.starts = 0, nil, nil // there is no header
	p.Begin(format.Part{}, 0, nil)
	if err := p.AddAll(size, read); err != nil {
		return 0, err
	}
	end := appendSeekTable(nil, p.table, size, Words)
	_, err = to.WriteAt(end, p.end)
	return p.end + int64(len(end)), err
}

// AddAll packs size bytes of the current part from a function as Stream takes.
func (p *Packer) AddAll(size int64, read func(buf []byte, at int64) error) error {
	return format.EachRange(size, runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		if err := read(buf, at); err != nil {
			p.Fail(err)
			return err
		}
		return p.Add(buf, at)
	})
}

// AddPart packs the columns of the current part and returns the checksums.
func (p *Packer) AddPart(of format.Part, from format.Columns) ([]uint32, error) {
	sums := make([]uint32, of.Chunks())
	from.Failed = p.Fail
	err := of.EachRun(from, runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		of.Sum(sums, buf, at)
		return p.Add(buf, at)
	})
	return sums, err
}

// Entries returns the entries of the frames written, not to be changed; a nil Packer has none.
func (p *Packer) Entries() []byte {
	if p == nil {
		return nil
	}
	return p.table
}

// Truncate forgets all but the first frames.
func (p *Packer) Truncate(frames int) {
	kept := p.table[SeekEntrySize : frames*SeekEntrySize]
	p.reset()
	p.append(kept)
}

// Resume adds the entries of frames that were written before, or reports that they are wrong.
func (p *Packer) Resume(frames int, entries []byte) bool {
	if len(entries) != frames*SeekEntrySize {
		return false
	}
	piece := seekPiece{entries: entries}
	if _, _, err := piece.check(); err != nil {
		return false
	}
	p.append(entries)
	return true
}

// Written reads what has been written of a table, unpacked.
func (p *Packer) Written(file io.ReaderAt, end int64, classes []*format.Record) *Frames {
	f := &Frames{file: file, table: p, Level: p.level, regions: RegionsOf(&format.Header{FooterOffset: end, Length: end}, classes)}
	if p.level == Archive {
		f.cache.init(derivingFrames)
	}
	return f
}

const derivingFrames = 512 // kept while an archive is written and read
