package zero

import (
	"fmt"
	"slices"

	"backsolve/game"
	"backsolve/game/nim"
)

// heaps is the view of Nim. A state has the counters of the heaps, from the words' lowest bits
// on; if the order is canonical the heaps are sorted by their counters. There are as many actions
// as counters at the start, or in the heaps of Encoding.Most: a heap's actions follow those of
// the heaps before it. In the canonical order no heap ever has more counters than that, and of
// equal heaps only the first has actions.
type heaps struct {
	dimensions
	end     game.Outcome // of the empty heaps, for the player to move
	n       int
	bits    int // of the counters of a heap
	ordered bool
	unary   bool
	last    bool // the counters that are left are the last inputs of a heap
	parity  bool
	most    []int  // the counters of each heap
	first   []int  // the actions before those of each heap
	takes   []take // by their actions
}

type take struct{ heap, counters uint8 }

func newHeaps(rules game.Rules, e Encoding) (View, error) {
	if err := e.check(rules.Info(), true, HeapOrder); err != nil {
		return nil, err
	}
	v := &heaps{end: endOf(rules), n: rules.Info().Size, bits: 4, ordered: e.Canonical == HeapOrder, parity: e.Parity}
	if v.n > 8 {
		v.bits = 6
	}
	switch e.Heaps {
	case Binary, "":
	case Unary, UnaryLast:
		v.unary, v.last = true, e.Heaps == UnaryLast
	default:
		return nil, fmt.Errorf("%.40q is not a way to show heaps; give %s, %s or %s", string(e.Heaps), Binary, Unary, UnaryLast)
	}
	most := rules.Start()
	if e.Most != "" {
		var err error
		if most, err = rules.Parse(e.Most); err != nil {
			return nil, fmt.Errorf("the most counters of each heap cannot be read: %w", err)
		}
	}
	for _, counters := range nim.Counters(most) {
		v.most = append(v.most, int(counters))
	}
	if v.most = v.most[:v.n]; v.ordered {
		slices.Sort(v.most)
	}
	for heap, most := range v.most {
		v.first = append(v.first, len(v.takes))
		for counters := range most {
			v.takes = append(v.takes, take{uint8(heap), uint8(counters + 1)})
		}
	}
	v.start, _ = v.Of(most)
	v.inputs, v.actions = v.bits*v.n, len(v.takes)
	if v.unary {
		v.inputs = len(v.takes) + v.n - 1
	}
	if v.parity {
		v.inputs += 2
	}
	return v, nil
}

func (v *heaps) place(heap int) (word int, shift uint) {
	each := 64 / v.bits
	return heap / each, uint(heap % each * v.bits)
}

func (v *heaps) counters(s State, heap int) int {
	word, shift := v.place(heap)
	return int(s[word] >> shift & (1<<v.bits - 1))
}

// arrange returns the state of counters, and which heap is at each place.
func (v *heaps) arrange(counters [nim.MaxHeaps]uint8) (s State, at [nim.MaxHeaps]uint8) {
	for place := range v.n {
		at[place] = uint8(place)
		// Insert after smaller or equal ones.
		for i := place; v.ordered && i > 0 && counters[at[i]] < counters[at[i-1]]; i-- {
			at[i], at[i-1] = at[i-1], at[i]
		}
	}
	for place := range v.n {
		word, shift := v.place(place)
		s[word] |= uint64(counters[at[place]]) << shift
	}
	return s, at
}

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
		if v.counters(state, heap) > v.most[heap] {
			return false
		}
	}
	return true
}

func (v *heaps) Terminal(s State) (game.Outcome, bool) {
	if s == (State{}) {
		return v.end, true
	}
	return game.Draw, false
}

func (v *heaps) Legal(buf []int16, s State) []int16 {
	for heap := range v.n {
		counters := v.counters(s, heap)
		if v.ordered && heap > 0 && counters == v.counters(s, heap-1) {
			continue
		}
		for taken := range min(counters, v.most[heap]) {
			buf = append(buf, int16(v.first[heap]+taken))
		}
	}
	return buf
}

func (v *heaps) Play(s State, action int) State {
	t := v.takes[action]
	word, shift := v.place(int(t.heap))
	s[word] -= uint64(t.counters) << shift
	if !v.ordered {
		return s
	}
	var counters [nim.MaxHeaps]uint8
	for heap := range v.n {
		counters[heap] = uint8(v.counters(s, heap))
	}
	s, _ = v.arrange(counters)
	return s
}

func (v *heaps) Encode(dst []float32, s State) {
	clear(dst)
	counters, standing, at := 0, 0, 0
	for heap := range v.n {
		here := v.counters(s, heap)
		counters += here
		if here > 0 {
			standing++
		}
		if !v.unary {
			for bit := range v.bits {
				dst[at+bit] = float32(here >> uint(bit) & 1)
			}
			at += v.bits
			continue
		}
		if heap > 0 {
			dst[at] = -1
			at++
		}
		shown, first := min(here, v.most[heap]), at
		at += v.most[heap]
		if v.last {
			first = at - shown
		}
		for i := range shown {
			dst[first+i] = 1
		}
	}
	if v.parity {
		dst[at], dst[at+1] = float32(counters&1), float32(standing&1)
	}
}
