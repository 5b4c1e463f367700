package pack

import (
	"errors"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/huff0"
)

// Numbers of games with draws are packed by Huffman codes alone. The matches that zstd also
// looks for take two thirds of its time and gain an eighth or less; without draws, as in
// Notakto, they gain a quarter. Any zstd decoder reads these frames.
//
// The blocks of a zstd frame: RFC 8878, section 3.1.1.2.
const (
	rawBlock = iota << 1
	rleBlock
	compressedBlock
	lastBlock = 1
)

// appendFrameHead appends the head of a zstd frame of 1 to 65,791 bytes of content: a single segment
// with its size and a checksum. RFC 8878, section 3.1.1.1.
func appendFrameHead(dst []byte, content int) []byte {
	const checksum, oneSegment, sizeInTwo = 1 << 2, 1 << 5, 1 << 6
	dst = append(dst, zstdMagic...)
	if content < 256 {
		return append(dst, checksum|oneSegment, byte(content))
	}
	return le.AppendUint16(append(dst, checksum|oneSegment|sizeInTwo), uint16(content-256))
}

func appendBlockHead(dst []byte, kind, size int) []byte {
	return append(dst, byte(size<<3|kind), byte(size>>5), byte(size>>13))
}

// appendHuffman appends a zstd frame of 1 to 65,536 bytes, with a code for each run up to an end.
func appendHuffman(dst, content []byte, ends []int, scratch *huff0.Scratch) []byte {
	dst = appendFrameHead(dst, len(content))
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
		from = end
	}
	return le.AppendUint32(dst, uint32(xxhash.Sum64(content)))
}

// appendBlock appends a block: one repeated byte, coded content, or the content as it is.
func appendBlock(dst, content []byte, last int, scratch *huff0.Scratch) []byte {
	scratch.Reuse = huff0.ReusePolicyNone
	code := huff0.Compress4X
	if len(content) < fourStreams {
		code = huff0.Compress1X
	}
	coded, _, err := code(content, scratch)
	sizes, length := literalSizes(len(content), len(coded))
	size := length + len(coded) + 1
	switch {
	case errors.Is(err, huff0.ErrUseRLE):
		return append(appendBlockHead(dst, rleBlock|last, len(content)), content[0])
	case err != nil || size >= len(content):
		return append(appendBlockHead(dst, rawBlock|last, len(content)), content...)
	}
	dst = le.AppendUint64(appendBlockHead(dst, compressedBlock|last, size), sizes)
	dst = append(dst[:len(dst)-8+length], coded...)
	return append(dst, 0) // no sequences
}

// fourStreams is the least length of content that is coded in four streams.
const fourStreams = 1024

// literalSizes returns the header of a section of coded literals, lowest byte first, and its
// length in bytes: RFC 8878, section 3.1.1.3.1.1.
func literalSizes(content, coded int) (sizes uint64, length int) {
	const compressed = 2
	format, bits := uint64(0), 10
	switch {
	case content >= 1<<14:
		format, bits = 3, 18
	case content >= fourStreams:
		format, bits = 2, 14
	}
	return compressed | format<<2 | uint64(content)<<4 | uint64(coded)<<(4+bits), (4 + 2*bits + 7) / 8
}
