package bitslice

// fetch brings a tile's source words into the buffer in destination order.
func (f *Folder) fetch(src []uint64, base uint32) {
	if !f.load(src, base) {
		clear(f.buf[:f.tile.size])
	}
}

// load is fetch if there is anything in the tile. If not, it returns false, and
// what is in the buffer then is undefined.
func (f *Folder) load(src []uint64, base uint32) bool {
	t := &f.tile
	vector := hasVector && t.size == tileWords
	if vector && t.srcRows {
		_ = src[base|t.src[tileWords-1]] // the highest
		return transformVector(&f.buf, &src[base], &t.src, &t.exchanges[0], t.exchangeCount)
	}
	buf := f.buf[:t.size]
	if t.srcRun {
		copy(buf, src[base:])
	} else {
		for i, o := range t.src[:t.size] {
			buf[i] = src[base|o]
		}
	}
	if vector {
		return transformVector(&f.buf, &f.buf[0], &inOrder, &t.exchanges[0], t.exchangeCount)
	}
	if !Any(buf) {
		return false
	}
	transform(buf, t.exchanges[:t.exchangeCount])
	return true
}

// inOrder are the offsets of words that follow one another.
var inOrder = func() (at [tileWords]uint32) {
	for i := range at {
		at[i] = uint32(i)
	}
	return at
}()

// transform carries out the exchanges: the swaps inside words come first, and
// two of them are made in one pass.
func transform(buf []uint64, exchanges []exchange) {
	for len(exchanges) > 0 {
		switch s := exchanges[0]; {
		case s.dim() != noDim:
			trade(buf, s)
		case len(exchanges) > 1 && exchanges[1].dim() == noDim:
			swapTwice(buf, s, exchanges[1])
			exchanges = exchanges[1:]
		default:
			swapOnce(buf, s)
		}
		exchanges = exchanges[1:]
	}
}

func swapOnce(buf []uint64, a exchange) {
	mask, shift := a.mask(), a.shift()
	for i, x := range buf {
		t := (x>>shift ^ x) & mask
		buf[i] = x ^ t ^ t<<shift
	}
}

func swapTwice(buf []uint64, a, b exchange) {
	ma, sa, mb, sb := a.mask(), a.shift(), b.mask(), b.shift()
	for i, x := range buf {
		t := (x>>sa ^ x) & ma
		x ^= t ^ t<<sa
		t = (x>>sb ^ x) & mb
		buf[i] = x ^ t ^ t<<sb
	}
}

// trade exchanges a bit of the words' number with an index bit inside them.
func trade(buf []uint64, s exchange) {
	mask, shift, half := s.mask(), s.shift(), 1<<s.dim()
	for at := 0; at < len(buf); at += 2 * half {
		a := buf[at : at+half]
		b := buf[at+half : at+2*half][:len(a)]
		for i, x := range a {
			t := (x>>shift ^ b[i]) & mask
			b[i] ^= t
			a[i] = x ^ t<<shift
		}
	}
}

// store folds the buffer into the destination words of a tile.
func (f *Folder) store(op Op, dst []uint64, base uint32, keep uint64) {
	t := &f.tile
	buf := f.buf[:t.size]
	switch {
	case t.filtered:
		for i := range buf {
			if t.wanted[i] {
				o := base | t.dst[i]
				storeRun(op, dst[o:o+1], buf[i:i+1], keep)
			}
		}
	case hasVector && t.size == tileWords && t.dstRows:
		_ = dst[base|t.dst[tileWords-1]] // the highest
		storeVector(op, &dst[base], &t.dst, &f.buf, keep)
	case !t.dstRun:
		storeScattered(op, dst, base, t.dst[:t.size], buf, keep)
	default:
		storeRun(op, dst[base:int(base)+t.size], buf, keep)
	}
}

func storeRun(op Op, dst, buf []uint64, keep uint64) {
	buf = buf[:len(dst)]
	switch op {
	case Set:
		for i := range dst {
			dst[i] = dst[i]&^keep | buf[i]&keep
		}
	case Or:
		for i := range dst {
			dst[i] |= buf[i] & keep
		}
	case OrNot:
		for i := range dst {
			dst[i] |= ^buf[i] & keep
		}
	case And:
		for i := range dst {
			dst[i] &= buf[i] | ^keep
		}
	}
}

func storeScattered(op Op, dst []uint64, base uint32, at []uint32, buf []uint64, keep uint64) {
	buf = buf[:len(at)]
	switch op {
	case Set:
		for i, o := range at {
			d := &dst[base|o]
			*d = *d&^keep | buf[i]&keep
		}
	case Or:
		for i, o := range at {
			dst[base|o] |= buf[i] & keep
		}
	case OrNot:
		for i, o := range at {
			dst[base|o] |= ^buf[i] & keep
		}
	case And:
		for i, o := range at {
			dst[base|o] &= buf[i] | ^keep
		}
	}
}
