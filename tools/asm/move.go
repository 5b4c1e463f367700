package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// firstMove is the number of the first move of words. The order is that of moveKinds.
const firstMove = 7

// moveKinds are the two bits of the tile's word number that each move swaps.
var moveKinds = [][2]int{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}}

// moves jumps to the move with a number, carries it out and continues at next.
func moves(z [8]reg.VecVirtual, number reg.Register, next string) {
	last := len(moveKinds) - 1
	Label("move")
	for kind := range last {
		CMPQ(number, U8(firstMove+kind))
		JEQ(LabelRef(fmt.Sprintf("move%d", kind)))
	}
	for kind := last; kind >= 0; kind-- { // the last is found by no other being it
		if kind < last {
			Label(fmt.Sprintf("move%d", kind))
		}
		if bits := moveKinds[kind]; bits[1] < 3 {
			moveLanes(z, kind, bits)
		} else {
			moveToRow(z, bits[0], bits[1]-3)
		}
		JMP(LabelRef(next))
	}
}

func moveLanes(z [8]reg.VecVirtual, kind int, pair [2]int) {
	order := table(fmt.Sprintf("lanes%d", kind), func(lane int) int {
		a, b := lane>>pair[0]&1, lane>>pair[1]&1
		return lane&^(1<<pair[0]|1<<pair[1]) | a<<pair[1] | b<<pair[0]
	})
	for _, x := range z {
		VPERMQ(x, order, x)
	}
}

// moveToRow swaps a bit of the lane number with one of the row number. Of each two rows that
// differ in that bit, the first gets the lanes whose bit is clear, the second the others.
func moveToRow(z [8]reg.VecVirtual, lane, row int) {
	const second = 8 // lanes of the second row are numbered from here on
	bit := 1 << lane
	clear := table(fmt.Sprintf("clear%d%d", lane, row), func(i int) int {
		if i&bit == 0 {
			return i
		}
		return second + i ^ bit
	})
	set := table(fmt.Sprintf("set%d%d", lane, row), func(i int) int {
		if i&bit == 0 {
			return i | bit
		}
		return second + i
	})
	t := ZMM()
	for r := range 8 {
		if r>>row&1 == 1 {
			continue
		}
		a, b := z[r], z[r|1<<row]
		VMOVDQA64(a, t)
		VPERMT2Q(b, clear, a)
		VPERMT2Q(b, set, t)
		VMOVDQA64(t, b)
	}
}

func table(name string, of func(i int) int) reg.VecVirtual {
	numbers := make([]uint64, 8)
	for i := range numbers {
		numbers[i] = uint64(of(i))
	}
	z := ZMM()
	VMOVDQU64(constant(name, numbers), z)
	return z
}
