package format

import "io"

// ReadChunk reads a chunk into buf, which has room for any, checks it and returns
// it. It reads the file instead of looking at the mapping, for that brings all its
// pages in at once. The error is a *badChunk, errPadding or the reader's.
func (r *Record) ReadChunk(f io.ReaderAt, part, chunk int, buf []byte) ([]byte, error) {
	p := r.Parts[part]
	offset, length := p.Chunk(chunk)
	buf = buf[:length]
	if err := ReadFull(f, buf, offset); err != nil {
		return nil, err
	}
	if err := r.Sums[part].Check(chunk, Checksum(buf)); err != nil {
		return nil, err
	}
	if !p.IsPadded(buf, offset-p.Offset) {
		return nil, ErrPadding
	}
	return buf, nil
}

// BadChunks returns which chunks of a stretch of a part do not have their
// checksums; of a stretch that could not be read as a whole, each is read again.
func (r *Record) BadChunks(f io.ReaderAt, part int, stretch []byte, at int64, isRead bool) (bad []int) {
	for i := 0; i < len(stretch); i += ChunkSize {
		chunk := stretch[i:min(i+ChunkSize, len(stretch))]
		c := int((at + int64(i)) / ChunkSize)
		if !isRead && ReadFull(f, chunk, r.Parts[part].Offset+at+int64(i)) != nil || r.Sums[part].Check(c, Checksum(chunk)) != nil {
			bad = append(bad, c)
		}
	}
	return bad
}
