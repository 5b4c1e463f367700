package format

import "io"

// Sums are the checksums of a part's chunks: in memory, or in the footer of a packed table and
// read when they are needed. Quixo 5×5 with steps has 8 MB of them, of which an answer needs
// few.
type Sums struct {
	Held   []uint32 // nil where they are not in memory
	footer Footer   // where they are not held
	offset int64    // of the first, in the table
}

// At returns the checksum of a chunk. The error is that of a frame.
func (s *Sums) At(chunk int) (uint32, error) {
	if s.footer == nil {
		return s.Held[chunk], nil
	}
	return s.footer.Checksum(s.offset + int64(chunk)*ChecksumSize)
}

// Check compares a chunk's checksum; a *BadChunk, or the error of a frame.
func (s *Sums) Check(chunk int, sum uint32) error {
	switch want, err := s.At(chunk); {
	case err != nil:
		return err
	case sum != want:
		return &BadChunk{chunk}
	}
	return nil
}

// Footer reads an unpacked table whose checksums stay in the file. It caches what it unpacks.
type Footer interface {
	io.ReaderAt
	// Checksum returns the checksum at an offset of the unpacked table.
	Checksum(offset int64) (uint32, error)
}
