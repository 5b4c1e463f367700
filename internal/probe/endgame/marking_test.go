package endgame

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"backsolve/internal/search"
)

// markingSearch is the twin of package retro for Notakto, which shares no code with it: a depth-first search.
// The players mark cells in turn and must not complete a line: a player without a legal cell loses.
//
// A game is a set of live lines, as masks of the cells that are not marked yet. The last open cell of a line is
// forbidden, so the lines through it are dead. Parts that share no line are independent, so each counts as a
// heap of Nim; a cell on no live line is a heap of one.
type markingSearch struct {
	known map[string]nimber
	left  int // positions that may still be kept
	ctx   context.Context
	nodes uint64
	err   error
}

// nimber is what is known of a part's nimber.
type nimber struct {
	value    int8   // −1 while it is not known
	excluded uint64 // the numbers that it is known not to be
}

// errMemory means that a search has reached its limit of positions.
var errMemory = errors.New("the search needs more memory")

// newMarkingSearch returns a solver that keeps at most so many positions, of some hundred bytes each.
func newMarkingSearch(positions int) *markingSearch {
	return &markingSearch{known: map[string]nimber{}, left: positions}
}

// Lost takes lines, each of two cells or more, and a number of cells on none. The error is the cause of ctx when
// that ends, or errMemory.
func (m *markingSearch) Lost(ctx context.Context, lines []uint64, free int) (bool, error) {
	m.ctx, m.err = ctx, context.Cause(ctx)
	lost := m.lost(lines, free&1)
	return lost, m.err
}

// lost reports whether the player to move loses the sum of a game and a heap of Nim.
// After an error the result is undefined, and is not kept.
func (m *markingSearch) lost(lines []uint64, heap int) bool {
	parts := components(lines)
	for len(parts) > 1 && m.err == nil {
		heap ^= m.nimberOf(parts[0])
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return heap == 0
	}
	return m.equals(canonical(parts[0]), heap)
}

func (m *markingSearch) nimberOf(part []uint64) (heap int) {
	for part = canonical(part); m.err == nil && !m.equals(part, heap); {
		heap++
	}
	return heap
}

// equals asks whether the player to move loses a part and a heap together, so that they count alike.
func (m *markingSearch) equals(part []uint64, heap int) bool {
	key := keyOf(part)
	n, found := m.known[key]
	switch {
	case found && n.value >= 0:
		return int(n.value) == heap
	case found && n.excluded>>uint(heap)&1 == 1:
		return false
	}
	if m.stop() {
		return false
	}
	for less := range heap {
		if m.equals(part, less) {
			return false
		}
	}
	for _, next := range moves(part) {
		if m.lost(next.lines, heap^next.free) {
			m.exclude(key, heap)
			return false
		}
		if m.err != nil {
			return false
		}
	}
	if m.err == nil {
		m.keep(key, nimber{value: int8(heap)})
	}
	return m.err == nil
}

func (m *markingSearch) stop() bool {
	if m.nodes++; m.nodes%256 == 0 && m.err == nil {
		m.err = context.Cause(m.ctx)
	}
	if m.left <= 0 && m.err == nil {
		m.err = errMemory
	}
	return m.err != nil
}

func (m *markingSearch) exclude(key string, heap int) {
	n, found := m.known[key]
	if !found {
		n.value = -1
	}
	n.excluded |= 1 << uint(heap)
	if n.value < 0 && m.err == nil {
		m.keep(key, n)
	}
}

func (m *markingSearch) keep(key string, n nimber) {
	before := len(m.known)
	m.known[key] = n
	m.left -= len(m.known) - before
}

// marked is the live lines after a move, and whether an odd number of cells is then on none.
type marked struct {
	lines []uint64
	free  int
	order int
}

// moves has one of those that are alike, the simplest first.
func moves(lines []uint64) (all []marked) {
	seen := map[uint64]bool{}
	for cells := union(lines); cells != 0; cells &= cells - 1 {
		cell := cells & -cells
		if on := through(lines, cell); !seen[on] {
			seen[on] = true
			all = append(all, mark(lines, cell))
		}
	}
	slices.SortStableFunc(all, func(a, b marked) int { return cmp.Compare(a.order, b.order) })
	return all
}

func mark(lines []uint64, cell uint64) marked {
	var forbidden uint64
	for _, line := range lines {
		if rest := line &^ cell; rest != line && rest&(rest-1) == 0 {
			forbidden |= rest
		}
	}
	next := marked{lines: make([]uint64, 0, len(lines))}
	for _, line := range lines {
		if line&forbidden == 0 {
			next.lines = append(next.lines, line&^cell)
		}
	}
	next.lines = leastOf(next.lines)
	open := union(next.lines)
	next.free = bits.OnesCount64(union(lines)&^cell&^forbidden&^open) & 1
	for ; open != 0; open &= open - 1 {
		n := bits.OnesCount64(through(next.lines, open&-open))
		next.order += n * n
	}
	return next
}

// through returns which of the lines a cell is on, as a mask.
func through(lines []uint64, cell uint64) (on uint64) {
	for i, line := range lines {
		if line&cell != 0 {
			on |= 1 << uint(i)
		}
	}
	return on
}

func union(lines []uint64) (cells uint64) {
	for _, line := range lines {
		cells |= line
	}
	return cells
}

// leastOf works in place: it drops lines that have all cells of another one, or are another.
func leastOf(lines []uint64) []uint64 {
	slices.SortFunc(lines, func(a, b uint64) int { return bits.OnesCount64(a) - bits.OnesCount64(b) })
	least := lines[:0]
	for _, line := range lines {
		if !slices.ContainsFunc(least, func(l uint64) bool { return l&^line == 0 }) {
			least = append(least, line)
		}
	}
	return least
}

// components are the parts that share no cell, the one with the most cells last.
func components(lines []uint64) (parts [][]uint64) {
	left := slices.Clone(lines)
	for len(left) > 0 {
		cells := left[0]
		for grown := uint64(0); grown != cells; {
			grown = cells
			for _, line := range left {
				if line&cells != 0 {
					cells |= line
				}
			}
		}
		var part []uint64
		left = slices.DeleteFunc(left, func(line uint64) bool {
			if line&cells == 0 {
				return false
			}
			part = append(part, line)
			return true
		})
		parts = append(parts, part)
	}
	slices.SortStableFunc(parts, func(a, b []uint64) int {
		return bits.OnesCount64(union(a)) - bits.OnesCount64(union(b))
	})
	return parts
}

// canonical renumbers the cells of a part, so that parts of the same form mostly
// have the same lines: cells differ by the lines that they are on, these by
// their cells, and so on.
func canonical(lines []uint64) []uint64 {
	var cells []int
	for open := union(lines); open != 0; open &= open - 1 {
		cells = append(cells, bits.TrailingZeros64(open))
	}
	var colour [64]uint64
	for range 3 {
		var next [64]uint64
		for _, line := range lines {
			sum := uint64(bits.OnesCount64(line))
			for rest := line; rest != 0; rest &= rest - 1 {
				sum += search.Mix(colour[bits.TrailingZeros64(rest)])
			}
			for rest := line; rest != 0; rest &= rest - 1 {
				next[bits.TrailingZeros64(rest)] += search.Mix(sum)
			}
		}
		colour = next
	}
	slices.SortStableFunc(cells, func(a, b int) int { return cmp.Compare(colour[a], colour[b]) })
	var number [64]int
	for i, cell := range cells {
		number[cell] = i
	}
	same := make([]uint64, len(lines))
	for i, line := range lines {
		for rest := line; rest != 0; rest &= rest - 1 {
			same[i] |= 1 << uint(number[bits.TrailingZeros64(rest)])
		}
	}
	slices.Sort(same)
	return same
}

func keyOf(lines []uint64) string {
	width := (bits.Len64(union(lines)) + 7) / 8
	key := make([]byte, 0, 8*len(lines)+1)
	for _, line := range lines {
		key = binary.LittleEndian.AppendUint64(key, line)
		key = key[:len(key)-8+width]
	}
	return string(append(key, byte(len(lines))))
}
