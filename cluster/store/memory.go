package store

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Memory reads bytes that lie in memory in pieces. What is put from it is copied as little as
// possible.
type Memory struct {
	pieces [][]byte
	sealed bool   // that the checksum of all pieces follows them
	sum    uint32 // of what has been read of them
}

// NewMemory returns what reads the pieces one after the other. They must not be changed before all
// is read.
func NewMemory(pieces ...[]byte) *Memory { return &Memory{pieces: pieces} }

// SealedSize returns how long the pieces are with their checksum.
func SealedSize(pieces [][]byte) (size int64) {
	for _, piece := range pieces {
		size += int64(len(piece))
	}
	return size + crc32.Size
}

// NewSealed returns what reads the pieces and then their CRC-32C, little-endian. Where the store
// sums up frames of them anyway, that is put together from those sums, and no byte gone through
// twice.
func NewSealed(pieces ...[]byte) *Memory { return &Memory{pieces: pieces, sealed: true} }

// Read reads the next bytes.
func (m *Memory) Read(p []byte) (n int, err error) {
	for n < len(p) && m.more() {
		n += m.take(p[n:])
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// more reports whether there is something to be read.
func (m *Memory) more() bool {
	if len(m.pieces) == 0 && m.sealed {
		m.pieces, m.sealed = append(m.pieces, binary.LittleEndian.AppendUint32(nil, m.sum)), false
	}
	return len(m.pieces) > 0
}

// take copies what there is of the first piece.
func (m *Memory) take(p []byte) int {
	n := copy(p, m.pieces[0])
	if m.sealed {
		m.sum = crc32.Update(m.sum, castagnoli, p[:n])
	}
	if m.pieces[0] = m.pieces[0][n:]; len(m.pieces[0]) == 0 {
		m.pieces = m.pieces[1:]
	}
	return n
}

// lent tells the checksum of the frame that was taken last, which has such a number.
func (m *Memory) lent(number int64, sum uint32) {
	if m.sealed {
		m.sum = extended(m.sum, headSum(number), sum)
	}
}

// mostPieces is of how many pieces a frame is written without a copy of it: each is a call of the
// system.
const mostPieces = 4

// frame takes the next frame, where it lies in few pieces. Else it returns nil, and takes nothing.
func (m *Memory) frame() (frame [][]byte) {
	length := 0
	for i := 0; length < frameData; i++ {
		if i == min(mostPieces, len(m.pieces)) {
			return nil
		}
		piece := m.pieces[i]
		piece = piece[:min(len(piece), frameData-length)]
		frame = append(frame, piece)
		length += len(piece)
	}
	last := len(frame) - 1
	m.pieces[last] = m.pieces[last][len(frame[last]):]
	m.pieces = m.pieces[last:]
	return frame
}
