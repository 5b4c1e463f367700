package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// encoder reads the frames of an object whose data comes from another reader.
type encoder struct {
	ctx    context.Context // of Put: backends read without a context
	from   io.Reader
	size   int64 // of the data, bytes
	done   int64 // bytes of the data
	frames int64
	sums   hash.Hash32
	ready  []byte // the unread rest of a frame or the trailer
	buffer []byte
	ended  bool // the trailer is ready or read
}

func newEncoder(ctx context.Context, from io.Reader, size int64) *encoder {
	return &encoder{ctx: ctx, from: from, size: size, sums: crc32.New(castagnoli), buffer: make([]byte, frameData+sumBytes)}
}

// Read implements io.Reader. Its error is that of the data, or says that the data has another
// length than announced. Before the trailer it has detected all errors.
func (e *encoder) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.ended {
			return 0, io.EOF
		}
		if err := e.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// WriteTo implements io.WriterTo. It writes whole frames, and saves io.Copy's copying.
func (e *encoder) WriteTo(w io.Writer) (written int64, err error) {
	for {
		if len(e.ready) > 0 {
			n, err := w.Write(e.ready)
			written += int64(n)
			if e.ready = e.ready[n:]; err != nil {
				return written, err
			}
		}
		if e.ended {
			return written, nil
		}
		direct, err := e.writeDirect(w)
		if written += direct; err == nil && direct == 0 {
			err = e.next()
		}
		if err != nil {
			return written, err
		}
	}
}

// writeDirect writes the data of a full frame without copying it, and makes its checksum ready. It
// returns 0 unless the data is in memory, in a few pieces.
func (e *encoder) writeDirect(w io.Writer) (written int64, err error) {
	memory, ok := e.from.(*Sealed)
	if !ok {
		return 0, nil
	}
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	pieces := memory.takeFrame()
	if pieces == nil {
		return 0, nil
	}
	sum := numberSum(e.frames)
	for _, piece := range pieces {
		sum = crc32.Update(sum, castagnoli, piece)
		n, err := w.Write(piece)
		if written += int64(n); err != nil {
			return written, err
		}
	}
	memory.sum = combine(memory.sum, e.frames, sum)
	e.done += frameData
	e.frames++
	e.ready = binary.LittleEndian.AppendUint32(e.buffer[:0], sum)
	e.sums.Write(e.ready)
	return written, nil
}

// next makes the next frame or the trailer ready.
func (e *encoder) next() error {
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	n, err := fill(e.from, e.buffer[:frameData])
	if err != nil && err != io.EOF {
		return err
	}
	e.done += int64(n)
	switch last := err == io.EOF; {
	case e.done > e.size:
		return fmt.Errorf("more than the announced %d bytes came", e.size)
	case last && e.done < e.size:
		return fmt.Errorf("%d bytes were announced, and %d came", e.size, e.done)
	case n == 0: // a short frame is followed by a read that ends
		e.ready, e.ended = appendTrailer(nil, e.done, e.sums), true
		return nil
	}
	e.ready = binary.LittleEndian.AppendUint32(e.buffer[:n], frameSum(e.frames, e.buffer[:n]))
	e.sums.Write(e.ready[n:])
	e.frames++
	return nil
}
