package cluster

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"backsolve/cluster/store"
	"backsolve/internal/bitslice"
)

// An object in the store is
//
//	8 bytes  its magic
//	4 bytes  the length of the head
//	head     JSON: what the object is
//	data
//
// with numbers little-endian. Equal content has equal bytes. The store has the checksums: the worker
// that made the bytes computes them, and each reader compares them.
const magicBytes = 8

// maxHead is more bytes than any head has.
const maxHead = 1 << 20

// errObject is the cause if bytes are not the object that was put under a name.
var errObject = errors.New("it is not the object that was put there")

// isUnusable reports whether an error means that an object is missing or damaged, so that it must
// be made again.
func isUnusable(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged) || errors.Is(err, errObject)
}

// isLost reports whether an error means that an object is missing.
func isLost(err error) bool { return errors.Is(err, store.ErrNotFound) }

// getObject reads an object with decode. The error wraps errObject or that of the store.
func getObject(ctx context.Context, from store.Store, name string, decode func(r io.Reader) error) error {
	r, err := from.Get(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	if err = decode(r); err == nil {
		err = readEnd(r)
	}
	if err != nil {
		return fmt.Errorf("%s in %v: %w", name, from, err)
	}
	return nil
}

// readEnd reads to the end, where the store verifies the last checksum, and refuses further bytes.
func readEnd(r io.Reader) error {
	n, err := io.Copy(io.Discard, r)
	if err == nil && n > 0 {
		err = fmt.Errorf("%w: %d bytes follow it", errObject, n)
	}
	return err
}

// appendHead appends the beginning of an object.
func appendHead(to []byte, magic string, head any) []byte {
	text := encoded(head)
	to = append(to, magic...)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(text)))
	return append(to, text...)
}

// readHead reads the beginning of an object.
func readHead(r io.Reader, magic string, head any) error {
	var start [magicBytes + 4]byte
	if err := readFull(r, start[:]); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint32(start[magicBytes:])
	if string(start[:magicBytes]) != magic || length > maxHead {
		return fmt.Errorf("%w: it begins with something else", errObject)
	}
	text := make([]byte, length)
	if err := readFull(r, text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, head); err != nil {
		return fmt.Errorf("%w: %w", errObject, err)
	}
	return nil
}

// littleEndian reports whether this machine stores the low byte of a word first, as objects do.
// Tests change it.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// appendWords appends words as little-endian bytes.
func appendWords(to []byte, words []uint64) []byte {
	if littleEndian {
		return append(to, bitslice.Bytes(words)...)
	}
	for _, word := range words {
		to = binary.LittleEndian.AppendUint64(to, word)
	}
	return to
}

// readWords fills words from little-endian bytes.
func readWords(r io.Reader, words []uint64) error {
	b := bitslice.Bytes(words)
	if err := readFull(r, b); err != nil || littleEndian {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return nil
}

// readFull fills b.
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
