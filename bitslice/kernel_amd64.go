package bitslice

import (
	"math/bits"
	"slices"

	"golang.org/x/sys/cpu"
)

//go:generate go -C ../tools/asm run . -out ../../bitslice/kernel_amd64.s -stubs ../../bitslice/kernel_stub_amd64.go -pkg bitslice

// hasVector chooses the vector kernels. Every feature that they use is asked
// for, because each can be switched off alone.
var hasVector = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW &&
	cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI

// hasCountVector asks for the population count of vectors too, and hasVector for
// the permutation of bytes that settling looks tables up with.
var hasCountVector = hasVector && cpu.X86.HasAVX512VPOPCNTDQ

// hasSqueezeVector asks for the instructions that take bytes together and apart.
var hasSqueezeVector = hasVector && cpu.X86.HasAVX512VBMI2

// hasPackVector asks for taking matrices of bits apart, too.
var hasPackVector = hasSqueezeVector && cpu.X86.HasAVX512GFNI

// hasLabelVector asks for the mirror images of bytes.
var hasLabelVector = hasCountVector && cpu.X86.HasAVX512GFNI

// hasTurnVector asks for the products of bytes with matrices of bits.
var hasTurnVector = hasVector && cpu.X86.HasAVX512GFNI

// hasRouteVector asks for picking bits by their numbers.
var hasRouteVector = hasVector && cpu.X86.HasAVX512BITALG && cpu.X86.HasBMI2

// groupRows is how many rows the settling kernel takes at once: those of a small
// page.
const groupRows = 64

// solveOrder has, for groups of 2^i rows, their numbers by falling weight.
var solveOrder = func() (order [7][]uint8) {
	for i := range order {
		for row := range 1 << i {
			order[i] = append(order[i], uint8(row))
		}
		slices.SortStableFunc(order[i], func(a, b uint8) int { return bits.OnesCount8(b) - bits.OnesCount8(a) })
	}
	return order
}()

// solveVector solves a slice of whole rows group by group. What a group's states
// lead to outside it lies in the children and in other groups, always in rows of
// the same order.
func solveVector(win []uint64, known Known, k int) {
	rows := min(len(win)/rowWords, groupRows)
	words := rows * rowWords
	order := &solveOrder[bits.Len(uint(rows))-1][0]
	last := len(win)/words - 1
	var from [2 * MaxIndexBits]*uint64
	for group := last; group >= 0; group-- {
		at, n := group*words, 0
		if known.enter(win[at:at+words], Part{Bits: bits.Len(uint(words)) - 1, Value: uint32(group)}, k) {
			continue
		}
		for _, c := range known.Children {
			from[n] = &c[at]
			n++
		}
		for clear := last &^ group; clear != 0; clear &= clear - 1 {
			from[n] = &win[(group|clear&-clear)*words]
			n++
		}
		if n > 0 {
			orNotRows512(&win[at], &from[0], uint64(n), uint64(rows))
		}
		settleRows512(&win[at], order, uint64(rows))
	}
}

func countVector(sums []rowCounts, words []uint64, first uint32) {
	countRows512(&sums[0][0][0], &words[0], uint64(len(words)/rowWords), uint64(first))
}

func transformVector(buf *[tileWords]uint64, src *uint64, at *[rowWords]uint32, exchanges *exchange, count int) bool {
	return transform512(buf, src, at, (*[3]uint64)(exchanges), count)
}

func storeVector(op Op, dst *uint64, at *[rowWords]uint32, buf *[tileWords]uint64, keep *[rowWords]uint64, rows uint64) {
	switch op {
	case Set:
		storeSet512(dst, at, buf, keep, rows)
	case Or:
		storeOr512(dst, at, buf, keep, rows)
	case OrNot:
		storeOrNot512(dst, at, buf, keep, rows)
	case And:
		storeAnd512(dst, at, buf, keep, rows)
	}
}

func turnVector(op Op, dst, src []uint64, second int, orders *[turnOrders]order, twice uint8, keep *[rowWords]uint64) {
	words, from := uint64(1)<<len(dst)-1, uint64(1)<<min(len(src), rowWords)-1
	turnRow(op, &dst[0], words, &src[0], from, uint64(second)*8, orders, -uint64(twice), keep)
}

func turnRow(op Op, dst *uint64, words uint64, src *uint64, from, second uint64, orders *[turnOrders]order, twice uint64, keep *[rowWords]uint64) {
	switch op {
	case Set:
		turnSet512(dst, words, src, from, second, orders, twice, keep)
	case Or:
		turnOr512(dst, words, src, from, second, orders, twice, keep)
	case OrNot:
		turnOrNot512(dst, words, src, from, second, orders, twice, keep)
	case And:
		turnAnd512(dst, words, src, from, second, orders, twice, keep)
	}
}

func squeezeVector(dst, masks []byte, words []uint64, rows int) (used int) {
	return int(squeeze512(&dst[0], &masks[0], &words[0], uint64(rows)))
}

func expandVector(words []uint64, masks, src []byte, rows int) (done, used int) {
	d, u := expand512(&words[0], &masks[0], &src[0], uint64(len(src)), uint64(rows))
	return int(d), int(u)
}

func packVector(dst []byte, d Digits, those []uint64) int {
	return int(pack512(&dst[0], &d.Bytes[0], uint64(d.Stride)*8, 1<<d.Lanes-1, &those[0], uint64(len(those))))
}

func unpackVector(d Digits, src []byte, those []uint64) int {
	return int(unpack512(&d.Bytes[0], uint64(d.Stride)*8, 1<<d.Lanes-1, &src[0], &those[0], uint64(len(those))))
}

func nonZeroVector(words []uint64) uint64 { return nonZero512(&words[0]) }

func routeVector(to, states []uint32, r *Route) {
	route512(&to[0], &states[0], uint64(len(states)), &r.control, r.needs)
}

func dropVector(states []uint32) (n int) { return int(drop512(&states[0], uint64(len(states)))) }

func labelVector(touched, candidates, undecided, fresh, won []uint64) (count int) {
	return int(label512(&touched[0], &candidates[0], &undecided[0], &fresh[0], &won[0], uint64(len(touched)/rowWords)))
}
