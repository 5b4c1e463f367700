package cluster

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"backsolve/cluster/store"
	"backsolve/internal/bitslice"
)

// An object in the store is
//
//	8 bytes  the magic
//	8 bytes  the length of the head, and its CRC-32C
//	head     JSON: what the object is
//	items    one after the other
//
// with numbers little-endian. Equal content has equal bytes. No byte is used before its checksum is
// compared.
const magic = "bksclus2"

const headAt = len(magic) + 8

type head struct {
	Name    string `json:"name"`            // of the object, or of that of which it is the second copy
	Items   []byte `json:"items,omitempty"` // for each item its length, a varint, and CRC-32C
	lengths []int64
	sums    []uint32
	// First is the section of the first items. Last says that no object of the same shard and round follows.
	First int  `json:"first,omitempty"`
	Last  bool `json:"last,omitempty"`
	// Value is what an object without items has.
	Value json.RawMessage `json:"value,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrLost is the cause if an object is damaged or lost, and so is what it was made from.
var ErrLost = errors.New("what it was made from is gone")

// isUnusable reports whether an object is missing or damaged, so that it must be made again.
func isUnusable(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged)
}

func isLost(err error) bool { return errors.Is(err, store.ErrNotFound) }

func putObject(ctx context.Context, to store.Store, name string, h head, items ...[]byte) (size int64, err error) {
	start := appendHead(nil, name, h, items)
	for _, item := range items {
		size += int64(len(item))
	}
	return size + int64(len(start)), to.Put(ctx, name, append([][]byte{start}, items...)...)
}

func appendHead(to []byte, name string, h head, items [][]byte) []byte {
	h.Name = originalOf(name)
	for _, item := range items {
		h.Items = binary.AppendUvarint(h.Items, uint64(len(item)))
		h.Items = binary.LittleEndian.AppendUint32(h.Items, crc32.Checksum(item, castagnoli))
	}
	text := encoded(h)
	to = binary.LittleEndian.AppendUint32(append(to, magic...), uint32(len(text)))
	to = binary.LittleEndian.AppendUint32(to, crc32.Checksum(text, castagnoli))
	return append(to, text...)
}

// originalOf returns the name of the object of which another one may be the second copy.
func originalOf(name string) string { return strings.Replace(name, "/"+copiesPrefix, "/", 1) }

// takeItem takes an item of an object. It may read as much of it as it likes.
type takeItem func(h *head, i int, it *item) error

// getObject reads an object, and gives each item in turn to take, unless that is nil. It returns the
// bytes of all items. The error wraps store.ErrDamaged or that of the store.
func getObject(ctx context.Context, from store.Store, name string, take takeItem) (h *head, size int64, err error) {
	r, err := from.Get(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	if h, size, err = readObject(r, r.Size, name, take); err != nil {
		err = fmt.Errorf("%s in %v: %w", name, from, err)
	}
	return h, size, err
}

// readers buffer what is read of short items, and what is skipped. They stay in the cache of a core.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, scanBytes) }}

func readObject(from io.Reader, length int64, name string, take takeItem) (h *head, size int64, err error) {
	r := readers.Get().(*bufio.Reader)
	defer readers.Put(r)
	r.Reset(from)
	if h, size, err = readHead(r, length, name); err != nil {
		return nil, 0, err
	}
	for i, length := range h.lengths {
		it := &item{from: r, left: length, want: h.sums[i]}
		if take != nil {
			err = take(h, i, it)
		}
		if err == nil {
			err = it.skip()
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return h, size, nil
}

// readHead reads the beginning of an object of length bytes, and returns the bytes of its items.
func readHead(r io.Reader, length int64, name string) (h *head, size int64, err error) {
	var start [headAt]byte
	if err := readFull(r, start[:]); err != nil {
		return nil, 0, err
	}
	numbers := start[len(magic):]
	headBytes := int64(binary.LittleEndian.Uint32(numbers))
	if string(start[:len(magic)]) != magic || int64(headAt)+headBytes > length {
		return nil, 0, fmt.Errorf("%w: it begins with something else", store.ErrDamaged)
	}
	text := make([]byte, headBytes)
	if err := readFull(r, text); err != nil {
		return nil, 0, err
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(numbers[4:]) || json.Unmarshal(text, &h) != nil || h == nil {
		return nil, 0, fmt.Errorf("%w: its head has changed", store.ErrDamaged)
	}
	if h.Name != originalOf(name) {
		return nil, 0, fmt.Errorf("%w: it is %s", store.ErrDamaged, h.Name)
	}
	left := length - int64(headAt) - headBytes
	for b := h.Items; len(b) > 0; {
		n, k := binary.Uvarint(b)
		if k <= 0 || len(b) < k+4 || n > uint64(left-size) {
			return nil, 0, errCut
		}
		h.lengths, h.sums = append(h.lengths, int64(n)), append(h.sums, binary.LittleEndian.Uint32(b[k:]))
		size, b = size+int64(n), b[k+4:]
	}
	if size != left {
		err = fmt.Errorf("%w: %d bytes follow it", store.ErrDamaged, left-size)
	}
	return h, size, err
}

type item struct {
	from      *bufio.Reader
	left      int64 // bytes that are not read yet
	sum, want uint32
}

// fill reads the next bytes. The last ones come without an error only if the item is undamaged.
func (it *item) fill(b []byte) error {
	if int64(len(b)) > it.left {
		return errCut
	}
	for len(b) > 0 {
		next := b[:min(len(b), scanBytes)]
		if err := readFull(it.from, next); err != nil {
			return err
		}
		it.note(next)
		b = b[len(next):]
	}
	return it.check()
}

func (it *item) skip() error {
	for it.left > 0 {
		next, err := it.from.Peek(int(min(it.left, scanBytes)))
		if err != nil {
			return wrapEOF(err)
		}
		it.note(next)
		it.from.Discard(len(next))
	}
	return it.check()
}

func (it *item) note(b []byte) {
	it.left, it.sum = it.left-int64(len(b)), crc32.Update(it.sum, castagnoli, b)
}

// check returns an error if the item was read to its end and its checksum is wrong.
func (it *item) check() error {
	if it.left == 0 && it.sum != it.want {
		return fmt.Errorf("%w: a checksum of it is wrong", store.ErrDamaged)
	}
	return nil
}

// readItem reads an item, into the buffer if it fits.
func readItem(it *item, buffer []byte) ([]byte, error) {
	buffer = slices.Grow(buffer[:0], int(it.left))[:it.left]
	return buffer, it.fill(buffer)
}

// readWords fills words, which the item must have and nothing else, from little-endian bytes.
func readWords(it *item, words []uint64) error {
	if it.left != 8*int64(len(words)) {
		return fmt.Errorf("%w: a plane of it has %d bytes, not %d", store.ErrDamaged, it.left, 8*len(words))
	}
	b := bitslice.Bytes(words)
	if err := it.fill(b); err != nil || littleEndian {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return nil
}

// littleEndian reports whether this machine stores the low byte first, as objects do. Tests change it.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns words as little-endian bytes, which may be the same memory.
func bytesOf(words []uint64) (b []byte) {
	if littleEndian {
		return bitslice.Bytes(words)
	}
	for _, word := range words {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

func readFull(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	return wrapEOF(err)
}

var errCut = fmt.Errorf("%w: it is cut short", store.ErrDamaged)

// wrapEOF returns errCut instead of the error of a reader that ended too early.
func wrapEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// The store has two copies of what a coordinator depends on and nobody can make again: the record of
// the solve, and the counts of finished classes.

func (s *Solve) copies(name string) []string {
	base := s.prefix() + s.ID + "/"
	return []string{name, base + copiesPrefix + strings.TrimPrefix(name, base)}
}

// copiesPrefix begins the names of second copies, after the identifier of the solve.
const copiesPrefix = "copies/"

// putTwice stores both copies of an object with a value. They survive a power failure once it returns.
func putTwice(ctx context.Context, to store.Store, s *Solve, name string, value any) error {
	for _, name := range s.copies(name) {
		if _, err := putObject(ctx, to, name, head{Value: encoded(value)}); err != nil {
			return err
		}
		if err := to.Sync(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func getValue(ctx context.Context, from store.Store, name string, value any) error {
	h, _, err := getObject(ctx, from, name, nil)
	if err == nil && json.Unmarshal(h.Value, value) != nil {
		err = fmt.Errorf("%s in %v: %w", name, from, store.ErrDamaged)
	}
	return err
}

// getEither reads the first intact copy. If neither is, the error reports damage rather than loss.
func getEither(ctx context.Context, from store.Store, s *Solve, name string, value any) (err error) {
	for _, name := range s.copies(name) {
		failed := getValue(ctx, from, name, value)
		if !isUnusable(failed) {
			return failed
		}
		if err == nil || isLost(err) {
			err = failed
		}
	}
	return err
}

func (c *Coordinator) mend(ctx context.Context, name string, value any) error {
	for _, name := range c.record.solve.copies(name) {
		err := getValue(ctx, c.o.Store, name, new(json.RawMessage))
		if isUnusable(err) {
			c.o.Logf(slog.LevelWarn, "%v; it is written again", err)
			_, err = putObject(ctx, c.o.Store, name, head{Value: encoded(value)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
