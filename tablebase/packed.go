package tablebase

import (
	"cmp"
	"hash/crc32"
	"sort"

	"backsolve/game"
)

// What lookups do in a packed table: the same as in a mapped one, from frames.

// findPacked is Find in a packed table.
func (t *Table) findPacked(l *located, mask uint64) (block int, found bool, err error) {
	f := t.packed.Load()
	if f == nil {
		return 0, false, t.closed()
	}
	block, found = sort.Find(l.Blocks, func(b int) int {
		if err != nil {
			return 0 // it ends the search
		}
		var m uint64
		m, err = t.packedMask(f, l, b)
		return cmp.Compare(mask, m)
	})
	if err != nil || !found {
		return 0, false, err
	}
	return block, true, nil
}

// lookupAllPacked is LookupAll in a packed table, of states that are there.
func (t *Table) lookupAllPacked(places []Place, entries []Entry) (err error) {
	for i, p := range places {
		if entries[i], err = t.lookupPacked(t.located(p.Class), p.Block, p.Index); err != nil {
			return err
		}
	}
	return nil
}

// lookupPacked looks up one state.
func (t *Table) lookupPacked(l *located, block int, index uint64) (Entry, error) {
	f := t.packed.Load()
	if f == nil {
		return Entry{}, t.closed()
	}
	word, bit := uint64(block)*l.words+index/64, index%64
	code, err := t.gather(f, l, outcomes, word, bit)
	if err != nil {
		return Entry{}, err
	}
	outcome := game.Outcome(code)
	if l.parts[outcomes].lanes == 1 {
		outcome = game.Lose - outcome
	}
	if outcome > game.Lose {
		return Entry{}, t.bothWonAndLost(l.Class, block, index)
	}
	if !t.header.shape.Steps || outcome == game.Draw {
		return Entry{outcome, -1}, nil
	}
	number, err := t.gather(f, l, steps, word, bit)
	if err != nil {
		return Entry{}, err
	}
	return Entry{outcome, int(number)}, nil
}

// gather reads one bit of each lane of a part, lane l's as the binary digit l.
func (t *Table) gather(f *frames, l *located, part int, word, bit uint64) (digits uint64, err error) {
	lanes := l.parts[part].lanes
	if lanes == 0 {
		return 0, nil
	}
	if err := t.touch(l, part, word); err != nil {
		return 0, err
	}
	element := word * uint64(lanes)
	for lane := 0; lane < lanes; {
		frame, at := l.inFrame(part, element+uint64(lane))
		set, data, err := f.hold(frame)
		if err != nil {
			return 0, t.readError(l.record, &partError{part, err})
		}
		for ; lane < lanes && at < len(data); at += 8 {
			digits |= le.Uint64(data[at:]) >> bit & 1 << lane
			lane++
		}
		set.lock.Unlock()
	}
	return digits, nil
}

// packedMask reads the mask of a block.
func (t *Table) packedMask(f *frames, l *located, block int) (uint64, error) {
	if err := t.touch(l, masks, uint64(block)); err != nil {
		return 0, err
	}
	frame, at := l.inFrame(masks, uint64(block))
	set, data, err := f.hold(frame)
	if err != nil {
		return 0, t.readError(l.record, &partError{masks, err})
	}
	defer set.lock.Unlock()
	return le.Uint64(data[at:]), nil
}

// inFrame returns the frame that has an element of a part, and where in it.
func (l *located) inFrame(part int, element uint64) (frame, at int) {
	offset := element * 8
	return l.firstFrame[part] + int(offset/frameSize), int(offset % frameSize)
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
