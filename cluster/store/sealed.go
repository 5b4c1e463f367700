package store

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Sealed reads pieces of memory one after the other, and then their CRC-32C, little-endian. Stores
// copy the pieces as little as possible, and combine the checksum from those of the frames.
type Sealed struct {
	pieces [][]byte
	ended  bool   // the checksum is among the pieces, or read
	sum    uint32 // CRC-32C of the bytes read before
}

// NewSealed returns a Sealed and its length in bytes. The pieces must not change until it is read.
func NewSealed(pieces ...[]byte) (s *Sealed, size int64) {
	for _, piece := range pieces {
		size += int64(len(piece))
	}
	return &Sealed{pieces: append([][]byte(nil), pieces...)}, size + crc32.Size
}

// Read implements io.Reader.
func (s *Sealed) Read(p []byte) (n int, err error) {
	for n < len(p) && s.more() {
		copied := copy(p[n:], s.pieces[0])
		if !s.ended {
			s.sum = crc32.Update(s.sum, castagnoli, p[n:n+copied])
		}
		n += copied
		if s.pieces[0] = s.pieces[0][copied:]; len(s.pieces[0]) == 0 {
			s.pieces = s.pieces[1:]
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// more reports whether bytes are left, and adds the checksum when the pieces are read.
func (s *Sealed) more() bool {
	if len(s.pieces) == 0 && !s.ended {
		s.pieces, s.ended = append(s.pieces, binary.LittleEndian.AppendUint32(nil, s.sum)), true
	}
	return len(s.pieces) > 0
}

// maxPieces is of how many pieces a frame is written without copying: each costs a system call.
const maxPieces = 4

// takeFrame takes the data of the next frame. It returns nil and takes nothing if a full frame is
// not there in a few pieces.
func (s *Sealed) takeFrame() (frame [][]byte) {
	length := 0
	for i := 0; length < frameData; i++ {
		if i == min(maxPieces, len(s.pieces)) {
			return nil
		}
		piece := s.pieces[i]
		piece = piece[:min(len(piece), frameData-length)]
		frame = append(frame, piece)
		length += len(piece)
	}
	last := len(frame) - 1
	s.pieces[last] = s.pieces[last][len(frame[last]):]
	s.pieces = s.pieces[last:]
	return frame
}
