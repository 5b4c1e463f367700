package partition

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/bitslice"
)

// quixo cuts Quixo with the codec TwoMarks. The inner cells are the low mask bits: most
// slides touch none of them, and so keep the low index bits, those inside a word.
type quixo struct {
	TwoMarks
	slides []bitboard.Slide
	images [][]uint8 // images[slide][bit]: where a slide takes a bit
}

func newQuixo(size int, _ uint64) (*Space, error) {
	var cells []int
	border := bitboard.Border(size)
	for _, wanted := range []uint64{0, 1} {
		for c := range game.Size(size).Cells() {
			if border>>uint(c)&1 == wanted {
				cells = append(cells, c)
			}
		}
	}
	q := &quixo{TwoMarks: newTwoMarks(cells, bitboard.Lines(size), bitboard.SquareGroup(size)), slides: bitboard.Slides(size)}
	for _, s := range q.slides {
		image := make([]uint8, len(cells))
		for bit, to := range q.cells {
			from := s.Origin(to)
			if from < 0 {
				from = s.From
			}
			image[q.bit(from)] = uint8(bit)
		}
		q.images = append(q.images, image)
	}
	f := q.Facts("quixo", size, Cyclic)
	switch variant := game.Size(size); {
	case variant.Has(bitboard.BothWin):
		f.Both = BothLost // by the player who has just moved
	case variant.Has(bitboard.BothDraw):
		f.Both = BothDrawn
	}
	return listedSpace(f, q, q)
}

func (q *quixo) bit(cell int) int { return bits.TrailingZeros64(q.toBits.bits(1 << uint(cell))) }

// Terminals are the lines alone: every other position has a move.
func (q *quixo) Terminals(mask uint64, out *Terminals) { q.linesOf(mask, out) }

func (q *quixo) Moves(mask uint64, buf []Move) []Move {
	board := scatter(q.cells, mask)
	for i, s := range q.slides {
		buf = append(buf, Move{
			Child:  q.toBits.bits(s.Shift(board) | 1<<uint(s.To)),
			Within: board>>uint(s.From)&1 == 1,
			Number: uint8(i),
		})
	}
	return buf
}

// Map maps the stones of the player to move, the complement of the parent's index.
func (q *quixo) Map(mask uint64, move Move, canonical uint64, g int) bitslice.IndexMap {
	m := bitslice.IndexMap{Src: bits.OnesCount64(canonical), Dst: bits.OnesCount64(mask)}
	image, perm := q.images[move.Number], q.sym.perms[g]
	d := 0
	for rest := mask; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros64(rest)
		m.From[d] = rank(canonical, perm[image[bit]])
		d++
	}
	taken := q.bit(q.slides[move.Number].From)
	if move.Within {
		m.One = 1 << rank(mask, uint8(taken))
	} else {
		m.From[d] = rank(canonical, perm[image[taken]])
		m.One = 1 << uint(d)
	}
	return m
}
