package zero

import (
	"fmt"

	"backsolve/game"
	"backsolve/game/nim"
)

// heaps is the view of Nim. A state has the counters of heap h, counted from 0, in the
// bits from 4h on; where the order is canonical the heaps are in that of their counters.
//
// There are as many actions as counters at the start: as heap h has 2h + 1 then, those of
// the heaps before it are h², and action h² + k − 1 takes k counters from it. In the
// canonical order heap h never has more, and of heaps that are alike only the first has
// actions.
type heaps struct {
	end     game.Outcome // of the empty heaps, for the player to move
	n       int
	ordered bool
	unary   bool
	parity  bool
	start   State
	takes   []take // by their actions
}

// take is a move: a number of counters from a heap.
type take struct{ heap, counters uint8 }

const counterBits = 4

func newHeaps(rules game.Rules, e Encoding) (View, error) {
	v := &heaps{end: endOf(rules), n: rules.Info().Size, parity: e.Parity}
	switch e.Canonical {
	case NoGroup, "":
	case HeapOrder:
		v.ordered = true
	default:
		return nil, fmt.Errorf("%.40q is no order of the heaps of Nim; give %s or %s", string(e.Canonical), NoGroup, HeapOrder)
	}
	switch e.Heaps {
	case Binary, "":
	case Unary:
		v.unary = true
	default:
		return nil, fmt.Errorf("%.40q is no way to show heaps; give %s or %s", string(e.Heaps), Binary, Unary)
	}
	for heap := range v.n {
		for counters := range v.most(heap) {
			v.takes = append(v.takes, take{uint8(heap), uint8(counters + 1)})
		}
	}
	v.start, _ = v.Of(rules.Start())
	return v, nil
}

// most returns how many counters a heap has at the start.
func (v *heaps) most(heap int) int { return 2*heap + 1 }

// left returns the counters of a heap.
func left(s State, heap int) int { return int(s[0] >> uint(counterBits*heap) & nim.MaxCounters) }

// arrange returns the state of counters, and which heap is at each place.
func (v *heaps) arrange(counters [nim.MaxHeaps]uint8) (s State, at [nim.MaxHeaps]uint8) {
	for place := range v.n {
		at[place] = uint8(place)
		// Into the order of those before it, behind those that are alike.
		for i := place; v.ordered && i > 0 && counters[at[i]] < counters[at[i-1]]; i-- {
			at[i], at[i-1] = at[i-1], at[i]
		}
	}
	for place := range v.n {
		s[0] |= uint64(counters[at[place]]) << uint(counterBits*place)
	}
	return s, at
}

func (v *heaps) Inputs() int {
	inputs := counterBits * v.n
	if v.unary {
		inputs = v.n*v.n + v.n - 1
	}
	if v.parity {
		inputs += 2
	}
	return inputs
}

func (v *heaps) Actions() int { return len(v.takes) }

func (v *heaps) Start() State { return v.start }

func (v *heaps) Of(s game.State) (State, func(int) game.Move) {
	state, at := v.arrange(nim.Counters(s))
	return state, func(action int) game.Move {
		t := v.takes[action]
		return game.Move{From: at[t.heap], To: t.counters}
	}
}

// sees reports whether no heap has more counters than there are actions for.
func (v *heaps) sees(s game.State) bool {
	state, _ := v.Of(s)
	for heap := range v.n {
		if left(state, heap) > v.most(heap) {
			return false
		}
	}
	return true
}

func (v *heaps) Terminal(s State) (game.Outcome, bool) {
	if s[0] == 0 {
		return v.end, true
	}
	return game.Draw, false
}

func (v *heaps) Legal(buf []int16, s State) []int16 {
	for heap := range v.n {
		counters := left(s, heap)
		if v.ordered && heap > 0 && counters == left(s, heap-1) {
			continue
		}
		for taken := range min(counters, v.most(heap)) {
			buf = append(buf, int16(heap*heap+taken))
		}
	}
	return buf
}

func (v *heaps) Play(s State, action int) State {
	t := v.takes[action]
	s[0] -= uint64(t.counters) << uint(counterBits*int(t.heap))
	if !v.ordered {
		return s
	}
	var counters [nim.MaxHeaps]uint8
	for heap := range v.n {
		counters[heap] = uint8(left(s, heap))
	}
	s, _ = v.arrange(counters)
	return s
}

func (v *heaps) Encode(dst []float32, s State) {
	clear(dst)
	counters, standing, at := 0, 0, 0
	for heap := range v.n {
		here := left(s, heap)
		counters += here
		if here > 0 {
			standing++
		}
		if !v.unary {
			for bit := range counterBits {
				dst[at+bit] = float32(here >> uint(bit) & 1)
			}
			at += counterBits
			continue
		}
		if heap > 0 {
			dst[at] = -1
			at++
		}
		for i := range min(here, v.most(heap)) {
			dst[at+i] = 1
		}
		at += v.most(heap)
	}
	if v.parity {
		dst[at], dst[at+1] = float32(counters&1), float32(standing&1)
	}
}
