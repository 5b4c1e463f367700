package mcts

import (
	"math/bits"

	"backsolve/search"
)

// index finds the node of a state: a hash table of node numbers with open
// addressing, at most half full.
type index[S comparable] struct {
	core  search.Rules[S]
	slots []int32 // the node's number + 1, 0 where there is none
	shift uint    // of a hash to a slot
	used  int
}

// reset empties the index and gives it room for a number of nodes and as many as
// there was room for before.
func (x *index[S]) reset(nodes int) {
	size := max(len(x.slots), 1<<10)
	for size < 2*nodes {
		size *= 2
	}
	if size == len(x.slots) {
		clear(x.slots)
	} else {
		x.slots = make([]int32, size)
	}
	x.shift = uint(64 - bits.TrailingZeros(uint(size)))
	x.used = 0
}

// find returns the node of a state, −1 if it has none, and the slot that it has or
// would have.
func (x *index[S]) find(accounts []account[S], s S) (v int32, slot int) {
	for i := x.slot(s); ; i = (i + 1) & (len(x.slots) - 1) {
		switch v := x.slots[i] - 1; {
		case v < 0 || accounts[v].state == s:
			return v, i
		}
	}
}

// put enters the node of a state that had none, in the slot where find has sought it.
func (x *index[S]) put(accounts []account[S], v int32, slot int) {
	if 2*(x.used+1) > len(x.slots) {
		x.grow(accounts)
		_, slot = x.find(accounts, accounts[v].state)
	}
	x.used++
	x.slots[slot] = v + 1
}

// grow enters all nodes that were there in an index of twice the size.
func (x *index[S]) grow(accounts []account[S]) {
	nodes := x.used
	x.reset(len(x.slots))
	for v := range nodes {
		x.enter(accounts, int32(v))
	}
}

// enter enters a node wherever it has to go.
func (x *index[S]) enter(accounts []account[S], v int32) {
	_, slot := x.find(accounts, accounts[v].state)
	x.put(accounts, v, slot)
}

func (x *index[S]) slot(s S) int {
	return int(x.core.Hash(s) >> x.shift)
}
