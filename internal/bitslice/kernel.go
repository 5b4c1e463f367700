package bitslice

import "backsolve/internal/kernels"

//go:generate go -C ../../tools/asm run . -out ../../internal/bitslice/kernel_amd64.s -stubs ../../internal/bitslice/kernel_stub_amd64.go -pkg bitslice
//go:generate go -C ../../tools/asm run ./neon -out ../../internal/bitslice/kernel_arm64.s -stubs ../../internal/bitslice/kernel_stub_arm64.go

// tier is the tier of the kernels. Only tests change it.
var tier = kernels.Chosen

// vectors reports whether the kernels use a vector unit. Each has a twin in Go.
func vectors() bool { return tier != kernels.Go }

// rowWords is the number of words that the vector kernels take at once.
const rowWords = 8

// bring folds a tile of the source into one of the destination. It returns false if all words of
// the source are zero; then Or has changed nothing.
func (f *Folder) bring(op Op, dst []uint64, d uint32, src []uint64, s uint32) (any bool) {
	t := f.tile
	whole := vectors() && t.size == tileWords
	from, ahead, at := &f.buf[0], &f.buf[0], &rowsInOrder
	if whole && t.src.straight {
		_ = src[s|t.highest(&t.src)]
		from, ahead, at = &src[s], &src[f.ahead], &t.src.row
	} else {
		f.collect(src, s)
	}
	switch {
	case whole && t.dst.straight:
		_ = dst[d|t.highest(&t.dst)]
		return t.foldVector(op, &dst[d], &t.dst.row, from, ahead, at, &t.keep, t.rowSet, &f.buf)
	case vectors():
		clear(f.buf[t.size:]) // kernels take whole tiles
		any = t.transformVector(&f.buf, from, ahead, at)
	case Any(f.buf[:t.size]):
		any = true
		transform(f.buf[:t.size], t.exchanges[:t.exchangeCount])
	}
	if any || op != Or {
		f.scatter(op, dst, d)
	}
	return any
}

// collect loads a tile's source words into the buffer, in the order of the source.
func (f *Folder) collect(src []uint64, base uint32) {
	t := f.tile
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
}

var rowsInOrder = [rowWords]uint32{0, 8, 16, 24, 32, 40, 48, 56}

// transform applies the exchanges: first swaps inside words, two to a pass, and last moves of words.
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

func move(buf []uint64, s exchange) {
	column, place := 1<<s[0], 1<<s[1]
	for i := range buf {
		if i&column != 0 && i&place == 0 {
			j := i ^ column ^ place
			buf[i], buf[j] = buf[j], buf[i]
		}
	}
}

func (f *Folder) scatter(op Op, dst []uint64, base uint32) {
	t, keep := f.tile, f.tile.kept
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
