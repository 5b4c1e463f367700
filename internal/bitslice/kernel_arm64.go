package bitslice

import "math/bits"

func solveGroupVector(win []uint64, from []*uint64) {
	if len(from) > 0 {
		orNotRows128(&win[0], &from[0], uint64(len(from)), uint64(len(win)/rowWords))
	}
	units := uint64(len(win) / 2)
	solveUnits128(&win[0], &solveOrder[bits.TrailingZeros64(units)][0], units)
}

func countVector(counts *[weights]uint64, words []uint64, first uint32) {
	countWords128(&counts[0], &words[0], uint64(len(words)), uint64(first))
}

func (t *tile) transformVector(buf *[tileWords]uint64, src, _ *uint64, from *[rowWords]uint32) bool {
	return transform128(buf, src, from, (*[3]uint64)(&t.exchanges[0]), t.exchangeCount)
}

// foldVector folds a tile, which is in buf meanwhile.
func (t *tile) foldVector(op Op, dst *uint64, to *[rowWords]uint32, src, ahead *uint64, from *[rowWords]uint32, keep *[rowWords]uint64, rows uint64, buf *[tileWords]uint64) bool {
	any := t.transformVector(buf, src, ahead, from)
	switch {
	case op == Set:
		storeSet128(dst, to, buf, keep, rows)
	case op == OrNot:
		storeOrNot128(dst, to, buf, keep, rows)
	case op == And:
		storeAnd128(dst, to, buf, keep, rows)
	case any:
		storeOr128(dst, to, buf, keep, rows)
	}
	return any
}

func liveVector(dst *uint64, at *[rowWords]uint32, rows uint64) bool { return live128(dst, at, rows) }

// foldRowsVector has a kernel for each row.
func foldRowsVector(op Op, dst, src []uint64, m *rowMap, keep *[rowWords]uint64) {
	steps := m.steps
	for rows := m.set; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		steps.second = m.steps.second ^ permutation(m.flip[row])
		to := dst[row*rowWords:][:min(len(dst), rowWords)]
		if op != And || Any(to) {
			foldRowVector(op, to, src[m.from[row]/8:][:min(len(src), rowWords)], m.second, &steps, keep)
		}
	}
}

func foldRowVector(op Op, dst, src []uint64, behind uint64, steps *rowSteps, keep *[rowWords]uint64) {
	to, words, from, read, do := &dst[0], uint64(len(dst)), &src[0], uint64(len(src)), (*uint64)(&steps.first)
	switch op {
	case Set:
		rowSet128(to, words, from, read, behind, do, keep)
	case Or:
		rowOr128(to, words, from, read, behind, do, keep)
	case OrNot:
		rowOrNot128(to, words, from, read, behind, do, keep)
	case And:
		rowAnd128(to, words, from, read, behind, do, keep)
	}
}

func squeezeVector(_, _ []byte, _ []uint64) (done, used int) { return 0, 0 }

func expandVector([]uint64, []byte, []byte) (done, used int) { return 0, 0 }

func packVector(dst []byte, d Digits, those []uint64) int { return d.packWords(dst, those) }

func unpackVector(d Digits, src []byte, those []uint64) int { return d.unpackWords(src, those) }

func nonZeroVector(words []uint64) uint64 { return nonZeroWords(words) }

func routeVector(to, states []uint32, r *Route) {
	route128(&to[0], &states[0], uint64(len(states)), &r.control, uint64(r.needs), 0)
}

// routeKeptVector leaves out states that do not go through, and returns how many are left.
func routeKeptVector(to, states []uint32, r *Route) int {
	return int(route128(&to[0], &states[0], uint64(len(states)), &r.control, uint64(r.needs), 1))
}

func labelVector(touched, candidates, undecided, fresh, won []uint64) (count int) {
	return int(label128(&touched[0], &candidates[0], &undecided[0], &fresh[0], &won[0], uint64(len(touched)/rowWords)))
}

func leastVector(least, others []*uint64, rows int) {
	least128(&least[0], &others[0], uint64(len(least)), uint64(rows))
}
