package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"

	"backsolve/cluster/store"
	"backsolve/retro/outofcore"
)

// A solve that keeps no table has these objects in the store. A group has many parts, since the
// class above is read once for each group, and a worker uploads a part when it is solved:
//
//	class-12/blocks-00000000-00000003   a part: stored slices one after the other
//	sealed/class-12                     the counts of the class, when all groups are there
//
// The half of a class that is solved first has the same under class-12-set.
const (
	slicesMagic = "bksslic1"
	sealMagic   = "bksseal1"
)

// slicesHead is the head of a part.
type slicesHead struct {
	Solve   string  `json:"solve"` // name of the board
	Class   int     `json:"class"`
	Set     bool    `json:"set"`
	First   int     `json:"first"`
	Lengths []int64 `json:"lengths"` // of the stored slices, bytes
}

// sealHead has the counts of a finished subclass.
type sealHead struct {
	Solve string        `json:"solve"`
	Class int           `json:"class"`
	Set   bool          `json:"set"`
	Sum   outofcore.Sum `json:"sum"`
}

// ErrLost is the cause if an object is damaged or lost, and so is what it was made from.
var ErrLost = errors.New("what it was made from is gone")

// putSlices stores a part and returns its size in bytes.
func putSlices(ctx context.Context, to store.Store, s *Solve, g group, slices [][]byte) (size int64, err error) {
	head := slicesHead{Solve: s.name(), Class: g.class, Set: g.set, First: g.first}
	for _, slice := range slices {
		head.Lengths = append(head.Lengths, int64(len(slice)))
		size += int64(len(slice))
	}
	start := appendHead(nil, slicesMagic, head)
	return size + int64(len(start)), to.Put(ctx, s.object(g), append([][]byte{start}, slices...)...)
}

// maxSlice is more bytes than any slice has.
const maxSlice = 1 << 32

// readLengths reads the head of a part and returns the bytes of each slice and of all together.
func readLengths(r io.Reader, s *Solve, g group) (lengths []int64, size int64, err error) {
	var head slicesHead
	if err := readHead(r, slicesMagic, &head); err != nil {
		return nil, 0, err
	}
	if head.Solve != s.name() || head.Class != g.class || head.Set != g.set || head.First != g.first || len(head.Lengths) != g.blocks {
		return nil, 0, fmt.Errorf("%w: it has %d blocks from %d of class %d of %s", errObject, len(head.Lengths), head.First, head.Class, head.Solve)
	}
	for _, length := range head.Lengths {
		if length < 1 || length > maxSlice {
			return nil, 0, fmt.Errorf("%w: it has a slice of %d bytes", errObject, length)
		}
		size += length
	}
	return head.Lengths, size, nil
}

// getSlices reads a part and returns the stored slice of each block.
func getSlices(ctx context.Context, from store.Store, s *Solve, g group) (slices [][]byte, err error) {
	err = getObject(ctx, from, s.object(g), func(r io.Reader) error {
		slices, err = decodeSlices(r, s, g)
		return err
	})
	return slices, err
}

// decodeSlices decodes a part.
func decodeSlices(r io.Reader, s *Solve, g group) (slices [][]byte, err error) {
	lengths, size, err := readLengths(r, s, g)
	if err != nil {
		return nil, err
	}
	b, err := readAnnounced(r, size)
	if err != nil {
		return nil, err
	}
	for _, length := range lengths {
		slices = append(slices, b[:length:length])
		b = b[length:]
	}
	return slices, nil
}

// readAnnounced reads as many bytes as a head announces. The head may be damaged, so memory is
// allocated as the bytes come.
func readAnnounced(r io.Reader, size int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, size))
	if err == nil && int64(len(b)) < size {
		err = wrapEOF(io.ErrUnexpectedEOF)
	}
	return b, err
}

// takeSlice consumes the stored slice of a block: it reads length bytes from r.
type takeSlice func(block int, length int64, r io.Reader) error

// scanSlices reads a part like getSlices, and calls take for each block that wants returns true
// for. Only when scanSlices returns is it known whether the part was whole. It skips the other
// blocks through buffer, which stays in the processor's cache if it is small. It returns the bytes
// of all slices.
func scanSlices(ctx context.Context, from store.Store, s *Solve, g group, buffer []byte, wants func(block int) bool, take takeSlice) (size int64, err error) {
	err = getObject(ctx, from, s.object(g), func(r io.Reader) error {
		var lengths []int64
		if lengths, size, err = readLengths(r, s, g); err != nil {
			return err
		}
		skipped := int64(0)
		for i, length := range lengths {
			if !wants(g.first + i) {
				skipped += length
				continue
			}
			if err := skip(r, skipped, buffer); err != nil {
				return err
			}
			skipped = 0
			if err := take(g.first+i, length, r); err != nil {
				return err
			}
		}
		return skip(r, skipped, buffer)
	})
	return size, err
}

// skip reads n bytes and discards them.
func skip(r io.Reader, n int64, buffer []byte) error {
	for n > 0 {
		b := buffer[:min(int64(len(buffer)), n)]
		read, err := r.Read(b)
		if n -= int64(read); err != nil && (err != io.EOF || n > 0) {
			return wrapEOF(err)
		}
	}
	return nil
}
