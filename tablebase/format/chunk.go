package format

import "io"

// ReadChunk reads a chunk into buf, which has room for any, checks it and returns it. The
// error is a *BadChunk, ErrPadding or that of f.
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

// BadChunks returns the chunks of a run of the part, from byte at, that fail their checksums.
// Those of a run that could not be read as a whole are read again, one by one.
func (p Part) BadChunks(f io.ReaderAt, sums *Sums, run []byte, at int64, isRead bool) (bad []int) {
	for i := 0; i < len(run); i += ChunkSize {
		chunk := run[i:min(i+ChunkSize, len(run))]
		c := int((at + int64(i)) / ChunkSize)
		if !isRead && ReadFull(f, chunk, p.Offset+at+int64(i)) != nil || sums.Check(c, Checksum(chunk)) != nil {
			bad = append(bad, c)
		}
	}
	return bad
}
