package tablebase

import "hash/crc32"

// inFrame returns the frame that has an element of a part, and where in it.
func (l *located) inFrame(part int, element uint64) (frame, at int) {
	offset := element * 8
	return l.firstFrame[part] + int(offset/frameSize), int(offset % frameSize)
}

// readWord reads the words of all lanes of a part, of which there are as many as dst
// has room for, from its frames.
func (f *frames) readWord(l *located, part int, word uint64, dst []uint64) error {
	element := word * uint64(len(dst))
	for lane := 0; lane < len(dst); {
		frame, at := l.inFrame(part, element+uint64(lane))
		set, data, err := f.hold(frame)
		if err != nil {
			return err
		}
		for ; lane < len(dst) && at < len(data); at += 8 {
			dst[lane] = le.Uint64(data[at:])
			lane++
		}
		set.lock.Unlock()
	}
	return nil
}

// checkChunk checks a chunk. Its frames are likely to be asked for next, so they go
// into the cache. The error is a *badChunk, errPadding or that of a frame.
func (f *frames) checkChunk(l *located, part, chunk int) error {
	const perChunk = chunkSize / frameSize
	p := l.parts[part]
	offset, length := p.chunk(chunk)
	first := l.firstFrame[part] + chunk*perChunk
	sum, padded := uint32(0), true
	for at := int64(0); at < length; at += frameSize {
		set, data, err := f.hold(first + int(at/frameSize))
		if err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, data)
		padded = padded && p.isPadded(data, offset-p.offset+at)
		set.lock.Unlock()
	}
	switch {
	case sum != l.sums[part][chunk]:
		return &badChunk{chunk}
	case !padded:
		return errPadding
	}
	return nil
}
