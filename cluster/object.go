package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"backsolve/cluster/store"
	"backsolve/internal/bitslice"
)

// An object in the store is
//
//	8 bytes  the magic
//	4 bytes  the length of the head
//	head     JSON: what the object is
//	items    one after the other
//
// with numbers little-endian. Equal content has equal bytes. The store has the checksums: the worker
// that made the bytes computes them, and each reader compares them.
const magic = "bksclus1"

// head is the head of an object.
type head struct {
	Name    string  `json:"name"`              // of the object, or of that of which it is the second copy
	Lengths []int64 `json:"lengths,omitempty"` // of the items, bytes
	// First is the section to which the first items belong, and Last says that no object of the same
	// shard and round follows.
	First int  `json:"first,omitempty"`
	Last  bool `json:"last,omitempty"`
	// Value is what an object without items has.
	Value json.RawMessage `json:"value,omitempty"`
}

const (
	maxHead = 1 << 20 // more bytes than any head has
	maxItem = 1 << 40 // more bytes than any item has
)

// errObject is the cause if bytes are not the object that was put under a name.
var errObject = errors.New("it is not the object that was put there")

// ErrLost is the cause if an object is damaged or lost, and so is what it was made from.
var ErrLost = errors.New("what it was made from is gone")

// isUnusable reports whether an error means that an object is missing or damaged, so that it must
// be made again.
func isUnusable(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged) || errors.Is(err, errObject)
}

// isLost reports whether an error means that an object is missing.
func isLost(err error) bool { return errors.Is(err, store.ErrNotFound) }

// putObject puts an object with these items, and returns its bytes.
func putObject(ctx context.Context, to store.Store, name string, h head, items ...[]byte) (size int64, err error) {
	start := appendHead(nil, name, h, items)
	for _, item := range items {
		size += int64(len(item))
	}
	return size + int64(len(start)), to.Put(ctx, name, append([][]byte{start}, items...)...)
}

// appendHead appends the beginning of an object with these items.
func appendHead(to []byte, name string, h head, items [][]byte) []byte {
	h.Name = originalOf(name)
	for _, item := range items {
		h.Lengths = append(h.Lengths, int64(len(item)))
	}
	text := encoded(h)
	to = binary.LittleEndian.AppendUint32(append(to, magic...), uint32(len(text)))
	return append(to, text...)
}

// originalOf returns the name of the object of which another one may be the second copy.
func originalOf(name string) string { return strings.Replace(name, "/"+copiesPrefix, "/", 1) }

// takeItem takes an item of an object. It may read as much of it as it likes.
type takeItem func(h *head, i int, r *io.LimitedReader) error

// getObject reads an object, and gives each item in turn to take, unless that is nil. Only when it
// returns is it known whether the object was whole. It returns the bytes of all items. The error wraps
// errObject or that of the store.
func getObject(ctx context.Context, from store.Store, name string, take takeItem) (h *head, size int64, err error) {
	r, err := from.Get(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	if h, size, err = readObject(r, name, take); err != nil {
		err = fmt.Errorf("%s in %v: %w", name, from, err)
	}
	return h, size, err
}

// readers buffer what is read of short items, and what is skipped. They stay in the cache of a core.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, scanBytes) }}

func readObject(from io.Reader, name string, take takeItem) (h *head, size int64, err error) {
	r := readers.Get().(*bufio.Reader)
	defer readers.Put(r)
	r.Reset(from)
	if h, err = readHead(r, name); err != nil {
		return nil, 0, err
	}
	for i, length := range h.Lengths {
		if length < 0 || length > maxItem {
			return nil, 0, fmt.Errorf("%w: it has an item of %d bytes", errObject, length)
		}
		size += length
		it := &io.LimitedReader{R: r, N: length}
		if take != nil {
			err = take(h, i, it)
		}
		if err == nil {
			_, err = r.Discard(int(it.N))
		}
		if err != nil {
			return nil, 0, wrapEOF(err)
		}
	}
	n, err := io.Copy(io.Discard, r) // at the end the store verifies the last checksum
	if err == nil && n > 0 {
		err = fmt.Errorf("%w: %d bytes follow it", errObject, n)
	}
	return h, size, err
}

// readHead reads the beginning of an object.
func readHead(r io.Reader, name string) (*head, error) {
	var start [len(magic) + 4]byte
	if err := readFull(r, start[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(start[len(magic):])
	if string(start[:len(magic)]) != magic || length > maxHead {
		return nil, fmt.Errorf("%w: it begins with something else", errObject)
	}
	text, h := make([]byte, length), new(head)
	if err := readFull(r, text); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, h); err != nil {
		return nil, fmt.Errorf("%w: %w", errObject, err)
	}
	if h.Name != originalOf(name) {
		return nil, fmt.Errorf("%w: it is %s", errObject, h.Name)
	}
	return h, nil
}

// readItem reads the rest of an item, into the buffer if it fits. The head may be damaged, so memory is
// allocated as the bytes come.
func readItem(r *io.LimitedReader, buffer []byte) ([]byte, error) {
	if r.N <= int64(cap(buffer)) {
		buffer = buffer[:r.N]
		return buffer, readFull(r, buffer)
	}
	b := bytes.NewBuffer(make([]byte, 0, min(r.N, 1<<20)+bytes.MinRead))
	_, err := b.ReadFrom(r)
	if err == nil && r.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), wrapEOF(err)
}

// readWords fills words, which the item must have and nothing else, from little-endian bytes.
func readWords(r *io.LimitedReader, words []uint64) error {
	if r.N != 8*int64(len(words)) {
		return fmt.Errorf("%w: a plane of it has %d bytes, not %d", errObject, r.N, 8*len(words))
	}
	b := bitslice.Bytes(words)
	if err := readFull(r, b); err != nil || littleEndian {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return nil
}

// littleEndian reports whether this machine stores the low byte of a word first, as objects do.
// Tests change it.
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

// wrapEOF returns errObject instead of the error of a reader that ended too early.
func wrapEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is cut short", errObject)
	}
	return err
}
