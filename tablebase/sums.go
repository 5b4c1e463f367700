package tablebase

// sums are the checksums of a part's chunks: held, or left in the footer of a packed table
// and read when they are asked for. Quixo 5×5 with steps has 8 MB of them, of which an
// answer needs a few.
type sums struct {
	held   []uint32
	footer *frames // where they are not held
	offset int64   // of the first, in the table
}

// at returns that of a chunk. The error is that of a frame.
func (s *sums) at(chunk int) (uint32, error) {
	if s.footer == nil {
		return s.held[chunk], nil
	}
	set, data, err := s.footer.holdAt(s.offset + int64(chunk)*checksumSize)
	if err != nil {
		return 0, err
	}
	sum := le.Uint32(data) // a multiple of four bytes stands before it, so it is in one frame
	set.lock.Unlock()
	return sum, nil
}

// check says whether a chunk has its checksum: *badChunk, or the error of a frame.
func (s *sums) check(chunk int, sum uint32) error {
	switch want, err := s.at(chunk); {
	case err != nil:
		return err
	case sum != want:
		return &badChunk{chunk}
	}
	return nil
}

// footerReader reads a packed table from an offset on, by way of the cache.
type footerReader struct {
	frames *frames
	offset int64
}

func (r *footerReader) Read(b []byte) (int, error) {
	set, data, err := r.frames.holdAt(r.offset)
	if err != nil {
		return 0, err
	}
	n := copy(b, data)
	set.lock.Unlock()
	r.offset += int64(n)
	return n, nil
}

// holdAt is hold for the frame that has a byte of the table; its data begin with that byte.
func (f *frames) holdAt(offset int64) (*frameSet, []byte, error) {
	frame, begin, _, err := f.at(offset)
	if err != nil {
		return nil, nil, err
	}
	set, data, err := f.hold(frame)
	if err != nil {
		return nil, nil, err
	}
	return set, data[offset-begin:], nil
}
