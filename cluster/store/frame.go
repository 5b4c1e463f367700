package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// An object is kept as frames, so that every stretch of it can be checked by itself
// while it is read, and the whole can be written in one go without knowing its length:
//
//	frame    64 KiB of data, in the last one fewer, 1 at least; then 4 bytes: CRC-32C
//	         over the frame's number (8 bytes) and its data
//	trailer  8 bytes "bksobj1\n"; 8 bytes: the length of the data; 4 bytes: CRC-32C over
//	         the checksums of all frames and these 16 bytes
//
// Numbers are little-endian. The checksums are with the data, rather than in a file
// or in metadata beside them: so there is one thing to write, which is there or not; a
// directory and any server of S3 keep the same bytes, and may be copied to each other;
// and a range is read, with its checksums, by one request.
const (
	frameData    = 64 << 10
	sumBytes     = 4
	magic        = "bksobj1\n"
	trailerBytes = len(magic) + 8 + sumBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// framedSize returns the bytes that keep so many bytes of data.
func framedSize(data int64) int64 {
	frames := (data + frameData - 1) / frameData
	return data + frames*sumBytes + int64(trailerBytes)
}

// dataSize returns how many bytes of data are kept by so many bytes, and whether any
// number is.
func dataSize(kept int64) (int64, bool) {
	kept -= int64(trailerBytes)
	if kept < 0 {
		return 0, false
	}
	data := kept / (frameData + sumBytes) * frameData
	if rest := kept % (frameData + sumBytes); rest > sumBytes {
		data += rest - sumBytes
	} else if rest > 0 {
		return 0, false
	}
	return data, true
}

// frameSum returns the checksum of a frame.
func frameSum(number int64, data []byte) uint32 {
	return crc32.Update(headSum(number), castagnoli, data)
}

// headSum returns the checksum of a frame's number.
func headSum(number int64) uint32 {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], uint64(number))
	return crc32.Checksum(head[:], castagnoli)
}

// framer reads what keeps an object from the object's data.
type framer struct {
	from   io.Reader
	size   int64 // of the data; −1: not known
	done   int64 // bytes of the data
	frames int64
	sums   hash.Hash32
	ready  []byte // a frame, or the trailer, of which the beginning has been read
	buffer []byte
	ended  bool // the trailer is ready or read
}

func newFramer(from io.Reader, size int64) *framer {
	return &framer{from: from, size: size, sums: crc32.New(castagnoli), buffer: make([]byte, frameData+sumBytes)}
}

// Read reads the next bytes. The error is that of the data, or tells that there are
// more or fewer than was said.
func (f *framer) Read(p []byte) (int, error) {
	for len(f.ready) == 0 {
		if f.ended {
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

// WriteTo writes all that is to be read, a frame at a time: io.Copy would copy each once more.
func (f *framer) WriteTo(w io.Writer) (written int64, err error) {
	for {
		for len(f.ready) > 0 {
			n, err := w.Write(f.ready)
			written += int64(n)
			if f.ready = f.ready[n:]; err != nil {
				return written, err
			}
		}
		if f.ended {
			return written, nil
		}
		n, err := f.lend(w)
		if written += n; err == nil && n == 0 {
			err = f.next()
		}
		if err != nil {
			return written, err
		}
	}
}

// lend writes a whole frame right from where its data lie, and has its checksum ready, where they
// lie in memory and in a few long pieces. Else it returns 0.
func (f *framer) lend(w io.Writer) (written int64, err error) {
	from, is := f.from.(*interruptible)
	if !is {
		return 0, nil
	}
	memory, is := from.from.(*Memory)
	if !is {
		return 0, nil
	}
	if from.ctx.Err() != nil {
		return 0, context.Cause(from.ctx)
	}
	pieces := memory.frame()
	sum := headSum(f.frames)
	for _, piece := range pieces {
		sum = crc32.Update(sum, castagnoli, piece)
		n, err := w.Write(piece)
		if written += int64(n); err != nil {
			return written, err
		}
	}
	if pieces == nil {
		return 0, nil
	}
	memory.lent(f.frames, sum)
	f.done += frameData
	f.frames++
	f.ready = binary.LittleEndian.AppendUint32(f.buffer[:0], sum)
	f.sums.Write(f.ready)
	return written, nil
}

// next makes the next frame, or the trailer, ready.
func (f *framer) next() error {
	n, err := fill(f.from, f.buffer[:frameData])
	if err != nil && err != io.EOF {
		return err
	}
	last := err == io.EOF
	f.done += int64(n)
	if f.size >= 0 && (f.done > f.size || last && f.done < f.size) {
		return fmt.Errorf("%d bytes were announced, and %s came", f.size, amount(f.done, last))
	}
	if n > 0 {
		sum := binary.LittleEndian.AppendUint32(nil, frameSum(f.frames, f.buffer[:n]))
		f.sums.Write(sum)
		f.ready = append(f.buffer[:n], sum...)
		f.frames++
		return nil // a short frame is followed by a read that ends
	}
	f.ready, f.ended = appendTrailer(nil, f.done, f.sums), true
	return nil
}

func amount(n int64, exactly bool) string {
	if exactly {
		return fmt.Sprint(n)
	}
	return "more"
}

// appendTrailer appends the trailer of so many bytes of data, whose frames have such
// checksums.
func appendTrailer(to []byte, data int64, sums hash.Hash32) []byte {
	start := len(to)
	to = append(to, magic...)
	to = binary.LittleEndian.AppendUint64(to, uint64(data))
	sums.Write(to[start:])
	return binary.LittleEndian.AppendUint32(to, sums.Sum32())
}

// unframer reads the data of an object from frames of it, and compares each with its
// checksum before any of it is handed out.
type unframer struct {
	from   io.Reader
	size   int64 // of the object's data
	frame  int64 // the number of the next frame
	left   int64 // bytes that are still to be handed out
	sums   hash.Hash32
	sum    uint32 // of the data of the frames
	ready  []byte
	buffer []byte
	err    error
}

func newUnframer(from io.Reader, size int64) *unframer {
	return &unframer{from: from, size: size, left: size, sums: crc32.New(castagnoli)}
}

// Read reads the next bytes. The error wraps ErrDamaged, or is that of the source. What is in p
// beyond the bytes that are read is not kept.
func (u *unframer) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	for n == 0 && len(u.ready) == 0 && u.err == nil {
		n = u.next(p)
	}
	if n == 0 {
		n = copy(p, u.ready)
		u.ready = u.ready[n:]
	}
	u.left -= int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, u.err
}

// next makes the next frame ready, or sets the error. Where there is room in p for a frame
// it is read to there, and its length returned.
func (u *unframer) next(p []byte) (n int) {
	if u.left == 0 {
		u.err = u.end()
		return 0
	}
	length := int(min(frameData, u.size-u.frame*frameData))
	straight := length+sumBytes <= len(p)
	if !straight && u.buffer == nil {
		u.buffer = make([]byte, min(frameData, u.size)+sumBytes)
	}
	kept := p
	if !straight {
		kept = u.buffer
	}
	kept = kept[:length+sumBytes]
	if u.err = u.take(kept); u.err != nil {
		return 0
	}
	data, sum := kept[:length], kept[length:]
	if binary.LittleEndian.Uint32(sum) != frameSum(u.frame, data) {
		u.err = fmt.Errorf("%w: the checksum of the bytes from %d on is another one", ErrDamaged, u.frame*frameData)
		return 0
	}
	u.sums.Write(sum)
	if length == frameData {
		u.sum = extended(u.sum, headSum(u.frame), binary.LittleEndian.Uint32(sum))
	} else {
		u.sum = crc32.Update(u.sum, castagnoli, data)
	}
	u.frame++
	if straight {
		return length
	}
	u.ready = data
	return 0
}

// end compares the trailer, and returns io.EOF where all is well.
func (u *unframer) end() error {
	var trailer [trailerBytes]byte
	if err := u.take(trailer[:]); err != nil {
		return err
	}
	if string(trailer[:]) != string(appendTrailer(nil, u.size, u.sums)) {
		return fmt.Errorf("%w: its end is not that of what was put", ErrDamaged)
	}
	return io.EOF
}

// take reads all of a buffer.
func (u *unframer) take(b []byte) error {
	_, err := fill(u.from, b)
	if err == io.EOF {
		return fmt.Errorf("%w: it has become shorter while it was read", ErrDamaged)
	}
	return err
}

// fill reads until a buffer is full. The error is io.EOF where the reader ended before,
// and else the reader's: io.ReadFull gives io.ErrUnexpectedEOF for both, which is also
// how a connection that breaks ends.
func fill(from io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = from.Read(b[n:])
		n += more
	}
	if n == len(b) {
		err = nil
	}
	return n, err
}
