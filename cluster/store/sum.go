package store

import (
	"hash/crc32"
	"io"
)

// Summed is what Get returns where the object is kept in frames: the checksum of the object is put
// together from those of its frames, each of which has been compared, and the bytes need not be
// gone through once more.
type Summed interface {
	io.Reader
	// Sum returns the CRC-32C of the bytes that have been read, when the end was reached.
	Sum() uint32
}

// across has what becomes of each bit of the state of a CRC-32C when as many zeros follow as a
// frame has bytes.
var across = func() (of [32]uint32) {
	zeros := make([]byte, frameData)
	for bit := range of {
		of[bit] = ^crc32.Update(^(uint32(1) << bit), castagnoli, zeros)
	}
	return of
}()

// extended returns the CRC-32C of bytes and of a frame of full length that follows them: of the bytes it
// is before, and of what frameSum sums up before the data it is head, and with them sum. A CRC
// is linear: sum and what is asked for differ as before and head do, carried across the frame.
func extended(before, head, sum uint32) uint32 {
	for bit, differ := 0, before^head; differ != 0; bit, differ = bit+1, differ>>1 {
		if differ&1 == 1 {
			sum ^= across[bit]
		}
	}
	return sum
}
