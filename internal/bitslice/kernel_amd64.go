package bitslice

import (
	"math/bits"

	"backsolve/internal/kernels"
)

func solveGroupVector(win []uint64, from []*uint64) {
	rows := uint64(len(win) / rowWords)
	if tier == kernels.AVX512 {
		if len(from) > 0 {
			orNotRows512(&win[0], &from[0], uint64(len(from)), rows)
		}
		solveRows512(&win[0], &solveOrder[bits.TrailingZeros64(rows)][0], rows)
		return
	}
	if len(from) > 0 {
		orNotRows256(&win[0], &from[0], uint64(len(from)), rows)
	}
	solveUnits256(&win[0], &solveOrder[bits.TrailingZeros64(2*rows)][0], 2*rows)
}

func countVector(counts *[weights]uint64, words []uint64, first uint32) {
	countWordsPopcnt(&counts[0], &words[0], uint64(len(words)), uint64(first))
}

// rowsKept is to write all of a tile.
var rowsKept = [rowWords]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

func (t *tile) transformVector(buf *[tileWords]uint64, src, ahead *uint64, from *[rowWords]uint32) bool {
	if tier == kernels.AVX512 {
		return t.foldVector(Set, &buf[0], &rowsInOrder, src, ahead, from, &rowsKept, 1<<rowWords-1, buf)
	}
	return transform256(buf, src, ahead, from, (*[3]uint64)(&t.exchanges[0]), t.exchangeCount)
}

// foldVector folds a tile. Where the registers do not hold one, it is in buf meanwhile.
func (t *tile) foldVector(op Op, dst *uint64, to *[rowWords]uint32, src, ahead *uint64, from *[rowWords]uint32, keep *[rowWords]uint64, rows uint64, buf *[tileWords]uint64) bool {
	if tier == kernels.AVX512 {
		return fold512(uint64(op), dst, to, src, ahead, from, (*[3]uint64)(&t.exchanges[0]), uint64(t.exchangeCount), keep, rows)
	}
	any := t.transformVector(buf, src, ahead, from)
	switch {
	case op == Set:
		storeSet256(dst, to, buf, keep, rows)
	case op == OrNot:
		storeOrNot256(dst, to, buf, keep, rows)
	case op == And:
		storeAnd256(dst, to, buf, keep, rows)
	case any:
		storeOr256(dst, to, buf, keep, rows)
	}
	return any
}

func liveVector(dst *uint64, at *[rowWords]uint32, rows uint64) bool {
	if tier == kernels.AVX512 {
		return live512(dst, at, rows)
	}
	return live256(dst, at, rows)
}

func foldRowsVector(op Op, dst, src []uint64, m *rowMap, keep *[rowWords]uint64) {
	to, words, from, read, rows := &dst[0], uint64(min(len(dst), rowWords)), &src[0], uint64(min(len(src), rowWords)), (*uint64)(&m.steps.first)
	wide := tier == kernels.AVX512
	switch {
	case op == Set && wide:
		rowSet512(to, words, from, read, rows, keep)
	case op == Set:
		rowSet256(to, words, from, read, rows, keep)
	case op == Or && wide:
		rowOr512(to, words, from, read, rows, keep)
	case op == Or:
		rowOr256(to, words, from, read, rows, keep)
	case op == OrNot && wide:
		rowOrNot512(to, words, from, read, rows, keep)
	case op == OrNot:
		rowOrNot256(to, words, from, read, rows, keep)
	case wide:
		rowAnd512(to, words, from, read, rows, keep)
	default:
		rowAnd256(to, words, from, read, rows, keep)
	}
}

func squeezeVector(dst, masks []byte, words []uint64) (done, used int) {
	rows := len(words) / rowWords
	switch {
	case rows == 0:
	case tier == kernels.AVX512:
		used = int(squeeze512(&dst[0], &masks[0], &words[0], uint64(rows)))
	default:
		used = int(squeeze256(&dst[0], &masks[0], &words[0], uint64(rows)))
	}
	return rows * rowWords, used
}

func expandVector(words []uint64, masks, src []byte) (done, used int) {
	rows, u := uint64(len(words)/rowWords), uint64(0)
	switch {
	case rows == 0:
	case tier == kernels.AVX512:
		rows, u = expand512(&words[0], &masks[0], &src[0], uint64(len(src)), rows)
	default:
		rows, u = expand256(&words[0], &masks[0], &src[0], uint64(len(src)), rows)
	}
	return int(rows) * rowWords, int(u)
}

func packVector(dst []byte, d Digits, those []uint64) int {
	if tier != kernels.AVX512 {
		return int(pack256(&dst[0], &d.Bytes[0], uint64(d.Stride)*8, uint64(d.Columns), &those[0], uint64(len(those))))
	}
	return int(pack512(&dst[0], &d.Bytes[0], uint64(d.Stride)*8, 1<<d.Columns-1, &those[0], uint64(len(those))))
}

func unpackVector(d Digits, src []byte, those []uint64) int {
	if tier != kernels.AVX512 {
		return int(unpack256(&d.Bytes[0], uint64(d.Stride)*8, uint64(d.Columns), &src[0], &those[0], uint64(len(those))))
	}
	return int(unpack512(&d.Bytes[0], uint64(d.Stride)*8, 1<<d.Columns-1, &src[0], &those[0], uint64(len(those))))
}

func nonZeroVector(words []uint64) uint64 {
	if tier == kernels.AVX512 {
		return nonZero512(&words[0])
	}
	return nonZero256(&words[0])
}

func routeVector(to, states []uint32, r *Route) {
	if tier == kernels.AVX512 {
		route512(&to[0], &states[0], uint64(len(states)), &r.control, r.needs)
		return
	}
	route256(&to[0], &states[0], uint64(len(states)), &r.control, r.needs, 0)
}

// routeKeptVector leaves out states that do not go through, and returns how many are left.
func routeKeptVector(to, states []uint32, r *Route) int {
	if tier == kernels.AVX512 {
		route512(&to[0], &states[0], uint64(len(states)), &r.control, r.needs)
		return int(drop512(&to[0], uint64(len(to))))
	}
	return int(route256(&to[0], &states[0], uint64(len(states)), &r.control, r.needs, 1))
}

func labelVector(touched, candidates, undecided, fresh, won []uint64) (count int) {
	rows := uint64(len(touched) / rowWords)
	if tier == kernels.AVX512 {
		return int(label512(&touched[0], &candidates[0], &undecided[0], &fresh[0], &won[0], rows))
	}
	return int(label256(&touched[0], &candidates[0], &undecided[0], &fresh[0], &won[0], rows))
}

func leastVector(least, others []*uint64, rows int) {
	if tier == kernels.AVX512 {
		least512(&least[0], &others[0], uint64(len(least)), uint64(rows))
		return
	}
	least256(&least[0], &others[0], uint64(len(least)), uint64(rows))
}
