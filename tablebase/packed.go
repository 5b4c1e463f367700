package tablebase

import (
	"hash/crc32"
	"runtime"
	"slices"

	"backsolve/game"
)

// inFrame returns the frame that has an element of a part, and where in it.
func (l *located) inFrame(part int, element uint64) (frame, at int) {
	offset := element * 8
	return l.firstFrame[part] + int(offset/frameSize), int(offset % frameSize)
}

// readWord reads the words of all columns of a part, of which there are as many as dst
// has room for, from its frames.
func (f *frames) readWord(l *located, part int, word uint64, dst []uint64) error {
	element := word * uint64(len(dst))
	for column := 0; column < len(dst); {
		frame, at := l.inFrame(part, element+uint64(column))
		set, data, err := f.hold(frame)
		if err != nil {
			return err
		}
		for ; column < len(dst) && at < len(data); at += 8 {
			dst[column] = le.Uint64(data[at:])
			column++
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
	if err := l.sums[part].check(chunk, sum); err != nil {
		return err
	}
	if !padded {
		return errPadding
	}
	return nil
}

// mostCold is how many places are unpacked for at once.
const mostCold = 64

// unpackAll unpacks what lookups in a part of a packed table will read and is not in the
// cache, on all cores: each frame takes longer than all else that a lookup does. With
// entries, that is only for the states that are not drawn. What fails here will fail
// again when it is read.
func (t *Table) unpackAll(part int, places []Place, entries []Entry) {
	f := t.packed.Load()
	if f == nil || t.far {
		return
	}
	var cold [mostCold]Place // a copy, so that nobody's places have to be on the heap
	n := 0
	for i, p := range places {
		if n < mostCold && (entries == nil || entries[i].Outcome != game.Draw) && t.isCold(f, part, p) {
			cold[n] = p
			n++
		}
	}
	if n > 1 && t.fetchPlaces(cold[:n]) == nil {
		t.unpackCold(f, part, slices.Clone(cold[:n]))
	}
}

// isCold reports whether the frame where a state's columns begin is not in the cache, or
// its chunk is not checked yet.
func (t *Table) isCold(f *frames, part int, p Place) bool {
	l := t.located(p.Class)
	columns := uint64(l.parts[part].columns)
	if columns == 0 {
		return false
	}
	word, _ := p.word(l)
	frame, _ := l.inFrame(part, word*columns)
	return !t.isChecked(l, part, int(word*columns*8/chunkSize)) || !f.cache.has(frame)
}

// unpackCold unpacks the frames of the places.
func (t *Table) unpackCold(f *frames, part int, cold []Place) {
	eachOf(len(cold), min(len(cold), runtime.GOMAXPROCS(0)), func(next func() (int, bool)) error {
		for i, more := next(); more; i, more = next() {
			p := cold[i]
			l := t.located(p.Class)
			word, _ := p.word(l)
			if t.touch(l, part, word) != nil {
				continue
			}
			frame, _ := l.inFrame(part, word*uint64(l.parts[part].columns))
			if set, _, err := f.hold(frame); err == nil {
				set.lock.Unlock()
			}
		}
		return nil
	})
}
