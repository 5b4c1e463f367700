package mcts

import (
	"math/bits"

	"backsolve/internal/search"
)

// index maps states to nodes: a hash table with open addressing, at most half full.
type index[S comparable] struct {
	core  search.Rules[S]
	slots []int32 // the node's number + 1, 0 where there is none
	shift uint    // of a hash to a slot
	used  int
}

// reset empties the index and makes room for nodes. It never shrinks.
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

// find returns the node of a state, or −1, and the slot where it is or belongs.
func (x *index[S]) find(details []detail[S], s S) (v int32, slot int) {
	for i := int(x.core.Hash(s) >> x.shift); ; i = (i + 1) & (len(x.slots) - 1) {
		if v := x.slots[i] - 1; v < 0 || details[v].state == s {
			return v, i
		}
	}
}

// put inserts a new node in the slot that find returned for its state.
func (x *index[S]) put(details []detail[S], v int32, slot int) {
	if 2*(x.used+1) > len(x.slots) {
		x.grow(details)
		_, slot = x.find(details, details[v].state)
	}
	x.used++
	x.slots[slot] = v + 1
}

func (x *index[S]) grow(details []detail[S]) {
	nodes := x.used
	x.reset(len(x.slots))
	for v := range nodes {
		x.enter(details, int32(v))
	}
}

func (x *index[S]) enter(details []detail[S], v int32) {
	_, slot := x.find(details, details[v].state)
	x.put(details, v, slot)
}
