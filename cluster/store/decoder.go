package store

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// decoder reads the data of an object from its frames. It verifies the checksum of a frame before
// it returns any of its bytes.
type decoder struct {
	from   io.Reader
	size   int64 // of the object's data, bytes
	frame  int64 // number of the next frame
	left   int64 // bytes not yet returned
	sums   hash.Hash32
	ready  []byte
	buffer []byte
	err    error
}

func newDecoder(from io.Reader, size int64) *decoder {
	return &decoder{from: from, size: size, left: size, sums: crc32.New(castagnoli)}
}

// Read implements io.Reader. Its error wraps ErrDamaged or is that of the source. It may overwrite
// all of p.
func (d *decoder) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	for n == 0 && len(d.ready) == 0 && d.err == nil {
		n = d.next(p)
	}
	if n == 0 {
		n = copy(p, d.ready)
		d.ready = d.ready[n:]
	}
	d.left -= int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, d.err
}

// next makes the next frame ready, or sets the error. It reads straight into p if a frame fits
// there, and returns the bytes of data.
func (d *decoder) next(p []byte) (n int) {
	if d.left == 0 {
		d.err = d.end()
		return 0
	}
	length := int(min(frameData, d.size-d.frame*frameData))
	direct := length+sumBytes <= len(p)
	if !direct {
		if d.buffer == nil {
			d.buffer = make([]byte, min(frameData, d.size)+sumBytes)
		}
		p = d.buffer
	}
	if d.err = d.readFull(p[:length+sumBytes]); d.err != nil {
		return 0
	}
	data, sum := p[:length], binary.LittleEndian.Uint32(p[length:])
	if sum != crc32.Update(numberSum(d.frame), castagnoli, data) {
		d.err = fmt.Errorf("%w: the checksum of the bytes from %d on is wrong", ErrDamaged, d.frame*frameData)
		return 0
	}
	d.sums.Write(p[length : length+sumBytes])
	d.frame++
	if direct {
		return length
	}
	d.ready = data
	return 0
}

// end verifies the trailer, and returns io.EOF if it is right.
func (d *decoder) end() error {
	var trailer [trailerBytes]byte
	if err := d.readFull(trailer[:]); err != nil {
		return err
	}
	if string(trailer[:]) != string(appendTrailer(nil, d.size, d.sums)) {
		return fmt.Errorf("%w: its trailer is wrong", ErrDamaged)
	}
	return io.EOF
}

// readFull fills b. Unlike io.ReadFull it tells a file that has ended from a connection that broke.
func (d *decoder) readFull(b []byte) error {
	for len(b) > 0 {
		n, err := d.from.Read(b)
		if b = b[n:]; err == io.EOF && len(b) > 0 {
			return fmt.Errorf("%w: it became shorter while it was read", ErrDamaged)
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}
