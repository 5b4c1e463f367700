package tablebase

import (
	"errors"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/huff0"
)

// Numbers of games with draws are packed by Huffman's codes alone. What zstd looks for
// besides, what stood there before, takes three quarters of its time and gains a tenth or
// less; without draws, as in Notakto, it gains a quarter: docs/format.md. Any zstd reads these frames.

// drawn is how many planes of outcomes a game with draws has.
const drawn = 2

// The blocks of a zstd frame: RFC 8878, section 3.1.1.2.
const (
	rawBlock = iota << 1
	rleBlock
	compressedBlock
	lastBlock = 1
)

// appendHuffman appends a zstd frame of a content of up to 64 KiB, not empty, in which a run that
// ends at each of ends, in ascending order, has a code of its own.
func appendHuffman(dst, content []byte, ends []int, scratch *huff0.Scratch) []byte {
	const checksum, oneSegment, sizeInTwo = 1 << 2, 1 << 5, 1 << 6
	dst = append(dst, zstdMagic...)
	if n := len(content); n < 256 {
		dst = append(dst, checksum|oneSegment, byte(n))
	} else {
		dst = le.AppendUint16(append(dst, checksum|oneSegment|sizeInTwo), uint16(n-256))
	}
	from := 0
	for _, end := range ends {
		if end == from {
			continue
		}
		last := 0
		if end == len(content) {
			last = lastBlock
		}
		dst = appendBlock(dst, content[from:end], last, scratch)
		if from = end; from == len(content) {
			break
		}
	}
	return le.AppendUint32(dst, uint32(xxhash.Sum64(content)))
}

// appendBlock appends a block: one byte of which there are many, what a code makes
// shorter, or the content as it is.
func appendBlock(dst, content []byte, last int, scratch *huff0.Scratch) []byte {
	head := func(kind, size int) { dst = append(dst, byte(size<<3|kind|last), byte(size>>5), byte(size>>13)) }
	literals, err := appendLiterals(scratch, content)
	switch {
	case errors.Is(err, huff0.ErrUseRLE):
		head(rleBlock, len(content))
		return append(dst, content[0])
	case err != nil || len(literals.head)+len(literals.coded)+1 >= len(content):
		head(rawBlock, len(content))
		return append(dst, content...)
	}
	head(compressedBlock, len(literals.head)+len(literals.coded)+1)
	dst = append(append(dst, literals.head...), literals.coded...)
	return append(dst, 0) // no sequences
}

// literals are a section of them: RFC 8878, section 3.1.1.3.1.
type literals struct{ head, coded []byte }

// fourStreams is how long a content is that is coded in four streams.
const fourStreams = 1024

// appendLiterals codes a content. The error is huff0's.
func appendLiterals(scratch *huff0.Scratch, content []byte) (l literals, err error) {
	const compressed = 2
	scratch.Reuse = huff0.ReusePolicyNone
	format, bits := uint64(0), 10
	if n := len(content); n < fourStreams {
		l.coded, _, err = huff0.Compress1X(content, scratch)
	} else {
		l.coded, _, err = huff0.Compress4X(content, scratch)
		format, bits = 2, 14
		if n >= 1<<14 {
			format, bits = 3, 18
		}
	}
	if err != nil {
		return l, err
	}
	sizes := compressed | format<<2 | uint64(len(content))<<4 | uint64(len(l.coded))<<(4+bits)
	l.head = le.AppendUint64(nil, sizes)[:(4+2*bits+7)/8]
	return l, nil
}
