package retro

import (
	"backsolve/internal/bitslice"
	"backsolve/retro/internal/work"
)

// Scratch buffers of a worker, by number. Each is as long as a unit.
const (
	overBuffer = work.FreeBuffers + iota // terminal states in the order of reading
	readBuffer                           // touched states in the order of reading
	hasBuffer
	gatherWinBuffer
	gatherLoseBuffer
	digitBuffers // from here on, MaxDigits for each set of scratch numbers
)

// rowsBuffer has the rows of a slice whose nimbers are computed; hasBuffer is not used then.
const rowsBuffer = hasBuffer

// Sets of bit-sliced numbers of a worker: three in scratch buffers, and those of the unit in
// work, which are planes of the class.
const (
	leastDigits = iota
	greatestDigits
	childDigits
	unitDigits
)

// scratchNumbers returns one of the three sets of scratch numbers, zeroed.
func scratchNumbers(w *work.Worker, set, digits, words int) bitslice.Numbers {
	n := w.Sets[set][:0]
	for d := range digits {
		n = append(n, w.Buffer(digitBuffers+set*bitslice.MaxDigits+d, words))
	}
	w.Sets[set] = n
	return n
}

// gather reads the child of link i of the worker: its outcomes and numbers, in the order of the part.
func (l *level) gather(w *work.Worker, u work.Units, i int, part bitslice.Segment) (win, lose []uint64, steps bitslice.Numbers) {
	link := w.Links[i]
	w.From, w.To = w.From[:0], w.To[:0]
	fetch := func(buffer int, plane []uint64) []uint64 {
		dst := w.DirtyBuffer(buffer, u.Words)
		w.To = append(w.To, dst)
		w.From = append(w.From, l.slice(plane, int(link.Block)))
		return dst
	}
	win = fetch(gatherWinBuffer, l.win)
	if l.lose != nil {
		lose = fetch(gatherLoseBuffer, l.lose)
	}
	steps = w.Sets[childDigits][:0]
	for d, plane := range l.digits {
		steps = append(steps, fetch(digitBuffers+childDigits*bitslice.MaxDigits+d, plane))
	}
	w.Sets[childDigits] = steps
	w.Gather(link.Plan, w.To, part, w.From)
	return win, lose, steps
}
