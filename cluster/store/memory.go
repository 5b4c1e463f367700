package store

import "io"

// Memory reads bytes that lie in memory in pieces. What is put from it is copied as little as
// possible.
type Memory struct{ pieces [][]byte }

// NewMemory returns what reads the pieces one after the other. They must not be changed before all
// is read.
func NewMemory(pieces ...[]byte) *Memory { return &Memory{pieces} }

// Read reads the next bytes.
func (m *Memory) Read(p []byte) (n int, err error) {
	for n < len(p) && len(m.pieces) > 0 {
		n += m.take(p[n:])
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// take copies what there is of the first piece.
func (m *Memory) take(p []byte) int {
	n := copy(p, m.pieces[0])
	if m.pieces[0] = m.pieces[0][n:]; len(m.pieces[0]) == 0 {
		m.pieces = m.pieces[1:]
	}
	return n
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
