package store

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
)

// An object is stored as frames. So each stretch can be verified while it is read, and the object
// is written in one pass:
//
//	frame    64 KiB of data (the last frame 1 byte or more); 4 bytes: CRC-32C over the frame's
//	         number (8 bytes) and its data
//	trailer  8 bytes "bksobj1\n"; 8 bytes: the length of the data; 4 bytes: CRC-32C over the
//	         checksums of all frames and these 16 bytes
//
// Numbers are little-endian. The checksums stand beside the data, not in another file or in
// metadata. So an object is written or missing as a whole, and one request reads a range with its
// checksums. A directory and a bucket keep the same bytes, and can be copied to each other.
const (
	frameData    = 64 << 10
	sumBytes     = 4
	magic        = "bksobj1\n"
	trailerBytes = len(magic) + 8 + sumBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// dataSize returns how many bytes of data a file of a length keeps. The error wraps ErrDamaged if
// no object has that length.
func dataSize(length int64) (int64, error) {
	framed := length - int64(trailerBytes)
	rest := framed % (frameData + sumBytes)
	if framed < 0 || rest > 0 && rest <= sumBytes {
		return 0, fmt.Errorf("%w: no object is stored in %d bytes", ErrDamaged, length)
	}
	return framed/(frameData+sumBytes)*frameData + max(0, rest-sumBytes), nil
}

// framesOf returns the file of an object with this data, in pieces.
func framesOf(data [][]byte) (pieces [][]byte) {
	sums, size, frame := crc32.New(castagnoli), int64(0), int64(0)
	filled, sum := 0, numberSum(0) // of the current frame
	end := func() {
		pieces = append(pieces, binary.LittleEndian.AppendUint32(nil, sum))
		sums.Write(pieces[len(pieces)-1])
		frame++
		filled, sum = 0, numberSum(frame)
	}
	for _, rest := range data {
		for len(rest) > 0 {
			piece := rest[:min(len(rest), frameData-filled)]
			rest = rest[len(piece):]
			pieces, sum = append(pieces, piece), crc32.Update(sum, castagnoli, piece)
			size += int64(len(piece))
			if filled += len(piece); filled == frameData {
				end()
			}
		}
	}
	if filled > 0 {
		end()
	}
	return append(pieces, appendTrailer(nil, size, sums))
}

// numberSum returns the CRC-32C of a frame's number.
func numberSum(number int64) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(number))
	return crc32.Checksum(b[:], castagnoli)
}

// appendTrailer appends the trailer of an object of data bytes. sums has hashed the checksums of
// its frames.
func appendTrailer(to []byte, data int64, sums hash.Hash32) []byte {
	start := len(to)
	to = append(to, magic...)
	to = binary.LittleEndian.AppendUint64(to, uint64(data))
	sums.Write(to[start:])
	return binary.LittleEndian.AppendUint32(to, sums.Sum32())
}
