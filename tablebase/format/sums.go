package format

import "io"

// Sums are the checksums of a part's chunks: held, or left in the footer of a packed table
// and read when they are asked for. Quixo 5×5 with steps has 8 MB of them, of which an
// answer needs a few.
type Sums struct {
	Held   []uint32
	footer Footer // where they are not held
	offset int64  // of the first, in the table
}

// At returns that of a chunk. The error is that of a frame.
func (s *Sums) At(chunk int) (uint32, error) {
	if s.footer == nil {
		return s.Held[chunk], nil
	}
	return s.footer.Checksum(s.offset + int64(chunk)*ChecksumSize)
}

// Check says whether a chunk has its checksum: *badChunk, or the error of a frame.
func (s *Sums) Check(chunk int, sum uint32) error {
	switch want, err := s.At(chunk); {
	case err != nil:
		return err
	case sum != want:
		return &badChunk{chunk}
	}
	return nil
}

// Footer reads a packed table whose checksums are not held. It keeps what it unpacks.
type Footer interface {
	io.ReaderAt
	// Checksum returns the checksum at an offset of the unpacked table.
	Checksum(offset int64) (uint32, error)
}
