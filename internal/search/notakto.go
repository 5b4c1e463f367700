package search

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
)

type crosses struct {
	grids
	all   uint64
	moves []game.Move
	// through are the lines through each cell: its row, its column and the
	// diagonals it lies on; where there are fewer than four, one is repeated.
	through [64][4]uint64
	lines   []uint64
}

func newNotakto(rules game.Grid) Rules[Masks] {
	n := rules.Size()
	g := &crosses{
		all:   bitboard.All(n),
		moves: rules.Moves(nil, rules.Start()),
		lines: bitboard.Lines(n),
	}
	for cell := range n * n {
		through := g.through[cell][:0]
		for _, line := range g.lines {
			if line>>uint(cell)&1 == 1 {
				through = append(through, line)
			}
		}
		for len(through) < len(g.through[cell]) {
			through = append(through, through[0])
		}
	}
	return g
}

func (g *crosses) Terminal(s Masks) (game.Outcome, bool) {
	for _, line := range g.lines {
		if s.Mover&line == line {
			return game.Win, true
		}
	}
	return game.Draw, false
}

func (g *crosses) Moves(buf []game.Move, s Masks) []game.Move {
	if _, over := g.Terminal(s); over {
		return buf
	}
	for _, m := range g.moves {
		if s.Mover>>m.To&1 == 0 {
			buf = append(buf, m)
		}
	}
	return buf
}

func (g *crosses) Play(s Masks, m game.Move) Masks {
	return Masks{Mover: s.Mover | 1<<(m.To&63)}
}

func (g *crosses) Playout(s Masks, r *Rand) game.Outcome {
	var empty [64]uint8
	count := 0
	for left := g.all &^ s.Mover; left != 0; left &= left - 1 {
		empty[count&63] = uint8(bits.TrailingZeros64(left))
		count++
	}
	marked := s.Mover
	for ply := 1; ; ply++ {
		i := r.Below(count)
		cell := empty[i&63]
		count--
		empty[i&63] = empty[count&63]
		marked |= 1 << (cell & 63)
		t := &g.through[cell&63]
		if marked&t[0] == t[0] || marked&t[1] == t[1] || marked&t[2] == t[2] || marked&t[3] == t[3] {
			return asAtStart(game.Win, ply) // for the player then to move
		}
	}
}

// Evaluate counts the empty cells that complete no line. If they were only marked in turn, an odd number would
// win for the player to move; the fewer there are, the likelier it is.
func (g *crosses) Evaluate(s Masks) int {
	safe := g.all &^ s.Mover
	for _, line := range g.lines {
		if left := line &^ s.Mover; left&(left-1) == 0 {
			safe &^= left
		}
	}
	count := bits.OnesCount64(safe)
	if count%2 == 0 {
		return count - len(g.lines)*len(g.lines)
	}
	return len(g.lines)*len(g.lines) - count
}
