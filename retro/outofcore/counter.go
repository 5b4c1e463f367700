package outofcore

import (
	"io"

	"backsolve/bitslice"
	"backsolve/retro"
	"backsolve/retro/internal/work"
)

// Counter counts the states of slices of a round, not safe for concurrent use.
type Counter struct {
	r      *Round
	class  *work.Class
	codec  codec
	stored []byte
}

// NewCounter returns a counter that has counted nothing.
func (r *Round) NewCounter() *Counter {
	c := work.NewClass(r.class.Cut, r.Class, work.NewPool(r.class.Pool.Context(), 1, 1))
	c.ResetCounts(0)
	return &Counter{r: r, class: c, codec: codec{slice: make([]uint64, c.Words())}}
}

// Count reads so many bytes, which are stored of a block, and counts its states. Bytes that are no
// slice are not counted, and sliced is false then. The error is the reader's. The slice, as it is
// in memory, is good until the next call.
func (c *Counter) Count(block int, length int64, from io.Reader) (slice []byte, sliced bool, err error) {
	raw := bitslice.Bytes(c.codec.slice)
	if length == int64(len(raw)) {
		_, err = io.ReadFull(from, raw)
		sliced = err == nil
	} else {
		if c.stored, err = readAll(from, length, c.stored); err == nil {
			sliced = length < int64(len(raw)) && c.codec.unpack(raw, c.stored) == nil
		}
	}
	if !sliced {
		return nil, false, err
	}
	w, u := c.class.Pool.Workers[0], work.WholeBlocks(c.class.Class)
	t := c.class.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), bitslice.Whole(u.K))
	w.Count(u, block, c.class.Images[block], c.codec.slice, nil, t)
	return raw, true, nil
}

// Sum returns what all slices add up to, and begins anew.
func (c *Counter) Sum() *retro.StateCounts {
	sum := c.class.Sum()
	c.class.ResetCounts(0)
	return sum
}

// readAll reads so many bytes into a buffer, or into a longer one. They are not allocated before they
// are there.
func readAll(from io.Reader, length int64, buffer []byte) ([]byte, error) {
	if length <= int64(cap(buffer)) {
		buffer = buffer[:length]
		_, err := io.ReadFull(from, buffer)
		return buffer, err
	}
	b, err := io.ReadAll(io.LimitReader(from, length))
	if err == nil && int64(len(b)) < length {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}
