package format

import (
	"hash/crc32"
	"io"
)

// A stretch is a run of the words of a part, as one of several processes writes it. Borders of
// chunks cut it into pieces, each with a checksum; JoinSums makes those of the chunks from them.

// WriteStretch interleaves columns into the file, from a word of the part on, and returns the
// checksums of the pieces. Missing columns are zeros.
func (p Part) WriteStretch(f io.WriterAt, first int64, columns [][]uint64) ([]uint32, error) {
	if p.Columns == 0 {
		return nil, nil
	}
	words := len(columns[0])
	full := make([][]uint64, p.Columns)
	for i := copy(full, columns); i < len(full); i++ {
		full[i] = make([]uint64, words)
	}
	at := first * int64(p.Columns) * 8
	buf := make([]byte, words*p.Columns*8)
	interleave(buf, full)
	_, err := f.WriteAt(buf, p.Offset+at)
	return sumPieces(buf, at), err
}

// ReadStretch reads a stretch of the columns, and returns the checksums of the pieces.
func (p Part) ReadStretch(f io.ReaderAt, first int64, columns [][]uint64) ([]uint32, error) {
	if p.Columns == 0 {
		return nil, nil
	}
	at := first * int64(p.Columns) * 8
	buf := make([]byte, len(columns[0])*p.Columns*8)
	if err := ReadFull(f, buf, p.Offset+at); err != nil {
		return nil, err
	}
	deinterleave(columns, first, buf, at/8)
	return sumPieces(buf, at), nil
}

// sumPieces returns the checksums of the pieces of a stretch, from byte at of its part on.
func sumPieces(buf []byte, at int64) (sums []uint32) {
	for len(buf) > 0 {
		n := min(len(buf), int(ChunkSize-at%ChunkSize))
		sums = append(sums, Checksum(buf[:n]))
		buf, at = buf[n:], at+int64(n)
	}
	return sums
}

// JoinSums returns the checksums of the part's chunks from those of the pieces of successive
// stretches, whose lengths in words are given, or nil if they do not fit.
func (p Part) JoinSums(words []int64, pieces []uint32) []uint32 {
	sums, at := make([]uint32, p.Chunks()), int64(0)
	add := func(length int64) bool {
		for length > 0 {
			n := min(length, ChunkSize-at%ChunkSize)
			if len(pieces) == 0 || at >= p.Padded() {
				return false
			}
			sums[at/ChunkSize] = joinChecksums(sums[at/ChunkSize], pieces[0], n)
			at, length, pieces = at+n, length-n, pieces[1:]
		}
		return true
	}
	for _, n := range words {
		if !add(n * int64(p.Columns) * 8) {
			return nil
		}
	}
	padding := p.Padded() - int64(p.Columns)*p.Words*8
	if len(pieces) > 0 || at+padding != p.Padded() {
		return nil
	}
	if pieces = []uint32{Checksum(make([]byte, padding))}; !add(padding) {
		return nil
	}
	return sums
}

// joinChecksums returns the checksum of two strings from theirs, given the bytes of the second. A checksum is a
// polynomial modulo Castagnoli's, the highest power first: each byte that follows multiplies it by x⁸.
func joinChecksums(a, b uint32, bytes int64) uint32 {
	power, square := uint32(1)<<31, uint32(1)<<(31-8) // 1 and x⁸
	for ; bytes > 0; bytes >>= 1 {
		if bytes&1 == 1 {
			power = multiply(power, square)
		}
		square = multiply(square, square)
	}
	return multiply(a, power) ^ b
}

// multiply multiplies polynomials modulo Castagnoli's.
func multiply(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 == 1 {
			product ^= b
		}
		carry := b & 1
		if b >>= 1; carry == 1 {
			b ^= crc32.Castagnoli
		}
	}
	return product
}
