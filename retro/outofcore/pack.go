package outofcore

import (
	"encoding/binary"
	"errors"

	"backsolve/internal/plan"

	"github.com/klauspost/compress/huff0"

	"backsolve/internal/bitslice"
)

// A packed slice is its chunks, each behind a head of four bytes: the length of
// what follows, and above it how it is to be taken.
const (
	kindShift = 30
	lengths   = 1<<kindShift - 1
)

// Kinds of packed chunks.
const (
	huffman  = iota // a Huffman table and four streams
	verbatim        // not packed
	repeated        // the value of all bytes
)

// packer packs and unpacks slices with Huffman codes for bytes. Neighbouring states predict each
// other well, but longer sequences rarely repeat. It is not safe for concurrent use.
type packer struct {
	scratch huff0.Scratch
	tables  *huff0.Scratch // for unpacking
	packed  []byte         // a packed slice
}

func (p *packer) pack(dst, slice []byte) []byte {
	for len(slice) > 0 {
		chunk := slice[:min(plan.PackedChunk, len(slice))]
		slice = slice[len(chunk):]
		kind, payload := huffman, chunk
		p.scratch.Reuse = huff0.ReusePolicyNone
		coded, _, err := huff0.Compress4X(chunk, &p.scratch)
		switch {
		case err == nil:
			payload = coded
		case errors.Is(err, huff0.ErrUseRLE):
			kind, payload = repeated, chunk[:1]
		default: // it would become longer
			kind = verbatim
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)|kind<<kindShift))
		dst = append(dst, payload...)
	}
	return dst
}

// unpack fills the slice from its packed form. It reports whether that is one of a slice of this length.
func (p *packer) unpack(slice, packed []byte) bool {
	for len(slice) > 0 {
		if len(packed) < plan.PackedHead {
			return false
		}
		head := binary.LittleEndian.Uint32(packed)
		kind, length := int(head>>kindShift), int(head&lengths)
		if packed = packed[plan.PackedHead:]; length > len(packed) {
			return false
		}
		chunk := slice[:min(plan.PackedChunk, len(slice))]
		if !p.unpackChunk(chunk, packed[:length], kind) {
			return false
		}
		slice, packed = slice[len(chunk):], packed[length:]
	}
	return len(packed) == 0
}

// restore writes a slice from its stored form, packed or not. It returns false where the
// bytes are not a slice of that length.
func (p *packer) restore(slice []uint64, stored []byte) bool {
	b := bitslice.Bytes(slice)
	if len(stored) == len(b) {
		copy(b, stored)
		return true
	}
	return len(stored) < len(b) && p.unpack(b, stored)
}

func (p *packer) unpackChunk(chunk, payload []byte, kind int) bool {
	switch {
	case kind == verbatim:
		return copy(chunk, payload) == len(chunk) && len(payload) == len(chunk)
	case kind == repeated && len(payload) == 1:
		for i := range chunk {
			chunk[i] = payload[0]
		}
		return true
	case kind == huffman:
		tables, codes, err := huff0.ReadTable(payload, p.tables)
		if err != nil {
			return false
		}
		p.tables = tables
		out, err := tables.Decoder().Decompress4X(chunk[:0:len(chunk)], codes) // fills the capacity
		return err == nil && len(out) == len(chunk)
	}
	return false
}
