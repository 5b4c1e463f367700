package bitslice

import "backsolve/internal/kernels"

//go:generate go -C ../tools/asm run . -out ../../bitslice/kernel_amd64.s -stubs ../../bitslice/kernel_stub_amd64.go -pkg bitslice
//go:generate go -C ../tools/asm run ./neon -out ../../bitslice/kernel_arm64.s -stubs ../../bitslice/kernel_stub_arm64.go

// tier is the tier of the kernels. Only tests change it.
var tier = kernels.Chosen

// vectors reports whether the kernels are those of a vector unit. Each has a twin in Go.
func vectors() bool { return tier != kernels.Go }

// rowWords is the number of words that the vector kernels take at once.
const rowWords = 8

// fetch loads a tile's source words into the buffer, in destination order.
func (f *Folder) fetch(src []uint64, base uint32) {
	if !f.load(src, base) {
		clear(f.buf[:f.tile.size])
	}
}

// load is fetch if any word of the tile is not zero. Otherwise it returns false and leaves the
// buffer undefined.
func (f *Folder) load(src []uint64, base uint32) bool {
	t := f.tile
	if vectors() && t.size == tileWords && t.src.straight {
		_ = src[base|t.highest(&t.src)]
		return transformVector(&f.buf, &src[base], &src[f.ahead], &t.src.row, &t.exchanges[0], t.exchangeCount)
	}
	for r, row := range t.src.row[:t.rows] {
		row |= base
		buf := f.buf[r*rowWords:][:t.columns]
		if t.src.straight {
			copy(buf, src[row:])
			continue
		}
		for i := range buf {
			buf[i] = src[row|t.src.column[i&(rowWords-1)]]
		}
	}
	if vectors() {
		clear(f.buf[t.size:]) // kernels take whole tiles
		return transformVector(&f.buf, &f.buf[0], &f.buf[0], &rowsInOrder, &t.exchanges[0], t.exchangeCount)
	}
	buf := f.buf[:t.size]
	if !Any(buf) {
		return false
	}
	transform(buf, t.exchanges[:t.exchangeCount])
	return true
}

// rowsInOrder are the offsets of contiguous rows.
var rowsInOrder = [rowWords]uint32{0, 8, 16, 24, 32, 40, 48, 56}

// transform applies the exchanges: swaps inside words first, two to a pass, and moves of
// words last.
func transform(buf []uint64, exchanges []exchange) {
	for len(exchanges) > 0 {
		switch s := exchanges[0]; {
		case s.dim() >= moveDim:
			move(buf, s)
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

// trade exchanges a bit of the word number with an index bit inside the words.
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

// move swaps two bits of the word number.
func move(buf []uint64, s exchange) {
	column, place := 1<<s[0], 1<<s[1]
	for i := range buf {
		if i&column != 0 && i&place == 0 {
			j := i ^ column ^ place
			buf[i], buf[j] = buf[j], buf[i]
		}
	}
}

// store folds the buffer into the destination words of a tile.
func (f *Folder) store(op Op, dst []uint64, base uint32, keep uint64) {
	t := f.tile
	if vectors() && t.size == tileWords && t.dst.straight {
		_ = dst[base|t.highest(&t.dst)]
		storeVector(op, &dst[base], &t.dst.row, &f.buf, &t.keep, t.rowSet)
		return
	}
	for r, row := range t.dst.row[:t.rows] {
		row |= base
		buf := f.buf[r*rowWords:][:t.columns]
		switch {
		case t.filtered:
			if t.wantsRow[r] {
				f.storeWanted(op, dst, row, buf, keep)
			}
		case t.dst.straight:
			storeRun(op, dst[row:int(row)+rowWords], buf, keep)
		default:
			storeScattered(op, dst, row, t.dst.column[:t.columns], buf, keep)
		}
	}
}

// storeWanted folds the words of a row that are written.
func (f *Folder) storeWanted(op Op, dst []uint64, row uint32, buf []uint64, keep uint64) {
	for i := range buf {
		if f.tile.wantsColumn[i] {
			o := row | f.tile.dst.column[i]
			storeRun(op, dst[o:o+1], buf[i:i+1], keep)
		}
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
