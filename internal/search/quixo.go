package search

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
)

// push is one move of Quixo on a mask or, packed, on two at once.
type push struct {
	game.Move
	turn       int8   // by which the path is rotated
	from, to   uint64 // the cell taken and the cell marked
	path, keep uint64 // the cells that move and those that stay
}

func newPushes(rules game.Grid) []push {
	n := rules.Size()
	slides := map[game.Move]bitboard.Slide{}
	for _, s := range bitboard.Slides(n) {
		slides[game.Move{From: uint8(s.From), To: uint8(s.To)}] = s
	}
	var pushes []push
	for _, m := range rules.Moves(nil, rules.Start()) { // no tile is the opponent's: all moves
		p := push{Move: m, from: 1 << m.From, to: 1 << m.To}
		slide := slides[m]
		for cell := range n * n {
			switch origin := slide.Origin(cell); origin {
			case -1: // to
			case cell:
				p.keep |= 1 << uint(cell)
			default:
				p.path |= 1 << uint(origin)
				p.turn = int8(cell - origin)
			}
		}
		pushes = append(pushes, p)
	}
	return pushes
}

func (p *push) slide(mask uint64) uint64 {
	return mask&p.keep | bits.RotateLeft64(mask&p.path, int(p.turn))
}

func newQuixo(rules game.Grid) Rules[Masks] {
	if rules.Size() <= maxPacked {
		return newPacked(rules)
	}
	return newWide(rules)
}

const maxPacked = 5 // the largest board whose two masks fit into one word

// packed has the masks of both players in one word for playouts, the waiting player's 32 bits higher.
type packed struct {
	wide
	bothLines  lines
	bothPushes []push
}

func newPacked(rules game.Grid) *packed {
	q := &packed{wide: *newWide(rules)}
	q.bothLines = q.lines.packed()
	for _, p := range q.pushes {
		p.from <<= 32 // where the waiting player's mark forbids to take it
		p.path |= p.path << 32
		p.keep |= p.keep << 32
		q.bothPushes = append(q.bothPushes, p)
	}
	return q
}

// Playout draws from all moves and leaves the board alone where the drawn one is
// not legal, which costs less than an unpredictable branch.
func (q *packed) Playout(s Masks, r *Rand) game.Outcome {
	both := s.Mover | s.Waiting<<32
	lines, pushes := q.bothLines, q.bothPushes
	for ply := 0; ply < MaxPlies; {
		p := &pushes[r.Below(len(pushes))]
		after := bits.RotateLeft64(p.slide(both)|p.to, 32)
		if both&p.from == 0 {
			both = after
			ply++
		}
		if complete := lines.complete(both); complete != 0 {
			return afterPlies(ply, complete<<32 != 0)
		}
	}
	return game.Draw
}

// afterPlies returns the outcome for the player who began a playout, given whether the player to move has a line.
func afterPlies(plies int, moverHasLine bool) game.Outcome {
	if moverHasLine {
		return asAtStart(game.Win, plies)
	}
	return asAtStart(game.Lose, plies)
}

type wide struct {
	grids
	lines  lines
	masks  []uint64 // of the lines
	pushes []push
	number [64][64]uint8 // of a move, by the cell taken and the cell marked
}

func newWide(rules game.Grid) *wide {
	q := &wide{lines: newLines(rules.Size()), masks: bitboard.Lines(rules.Size()), pushes: newPushes(rules)}
	for i, p := range q.pushes {
		q.number[p.From][p.To] = uint8(i)
	}
	return q
}

func (q *wide) Terminal(s Masks) (game.Outcome, bool) {
	switch {
	case q.lines.complete(s.Mover) != 0:
		return game.Win, true
	case q.lines.complete(s.Waiting) != 0:
		return game.Lose, true
	}
	return game.Draw, false
}

func (q *wide) Moves(buf []game.Move, s Masks) []game.Move {
	if _, over := q.Terminal(s); over {
		return buf
	}
	for i := range q.pushes {
		if p := &q.pushes[i]; s.Waiting&p.from == 0 {
			buf = append(buf, p.Move)
		}
	}
	return buf
}

func (q *wide) Play(s Masks, m game.Move) Masks {
	p := &q.pushes[q.number[m.From&63][m.To&63]]
	return Masks{Mover: p.slide(s.Waiting), Waiting: p.slide(s.Mover) | p.to}
}

func (q *wide) Playout(s Masks, r *Rand) game.Outcome {
	lines, pushes := q.lines, q.pushes
	for ply := 0; ply < MaxPlies; {
		p := &pushes[r.Below(len(pushes))]
		after := Masks{Mover: p.slide(s.Waiting), Waiting: p.slide(s.Mover) | p.to}
		if s.Waiting&p.from == 0 {
			s = after
			ply++
		}
		movers := lines.complete(s.Mover)
		if movers|lines.complete(s.Waiting) != 0 {
			return afterPlies(ply, movers != 0)
		}
	}
	return game.Draw
}

// Evaluate adds up the lines of each player, by the square of the marks in them: few pushes fill
// a line that has many, and push away a tile of the opponent as easily as a blank one.
func (q *wide) Evaluate(s Masks) int {
	sum := 0
	for _, line := range q.masks {
		own, other := bits.OnesCount64(s.Mover&line), bits.OnesCount64(s.Waiting&line)
		sum += own*own - other*other
	}
	return sum
}
