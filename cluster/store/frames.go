package store

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
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

// framedSize returns the length of the file that keeps data bytes of data.
func framedSize(data int64) int64 {
	frames := (data + frameData - 1) / frameData
	return data + frames*sumBytes + int64(trailerBytes)
}

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

// frameSum returns the checksum of a frame.
func frameSum(number int64, data []byte) uint32 {
	return crc32.Update(numberSum(number), castagnoli, data)
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

// shifted has, for each bit of a CRC-32C state, the state after frameData zero bytes.
var shifted = func() (states [32]uint32) {
	zeros := make([]byte, frameData)
	for bit := range states {
		states[bit] = ^crc32.Update(^(uint32(1) << bit), castagnoli, zeros)
	}
	return states
}()

// combine returns the CRC-32C of some bytes followed by a full frame. before is the CRC-32C of
// those bytes, and sum the frame's own checksum, which begins with its number. As a CRC is linear,
// the result differs from sum as before differs from the number's CRC, shifted by a frame.
func combine(before uint32, number int64, sum uint32) uint32 {
	for bit, differ := 0, before^numberSum(number); differ != 0; bit, differ = bit+1, differ>>1 {
		if differ&1 == 1 {
			sum ^= shifted[bit]
		}
	}
	return sum
}

// fill reads until b is full. It returns io.EOF if r ended before that, and otherwise r's error:
// io.ReadFull returns io.ErrUnexpectedEOF for both, which a broken connection returns too.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	if n == len(b) {
		err = nil
	}
	return n, err
}
