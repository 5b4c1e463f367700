package morris

import "backsolve/game/custom"

// squares are some squares, one inside the other.
type squares struct {
	points int
	all    uint32
	beside [24]uint32    // the neighbours of each point
	rows   [24][3]uint32 // of three points through each point
	images custom.Symmetries[uint32]
}

var six, nine, twelve = newSquares(2, false), newSquares(3, false), newSquares(3, true)

func newSquares(n int, corners bool) *squares {
	b := &squares{points: 8 * n, all: 1<<(8*n) - 1, images: custom.Symmetries[uint32]{Cells: 8 * n}}
	for p := range b.points { // odd points are middles of sides
		square, i := p&^7, p&7
		at := func(i int) uint32 { return 1 << (square | i&7) }
		side := func(corner int) uint32 { return at(corner) | at(corner+1) | at(corner+2) }
		b.beside[p] = at(i+1) | at(i-1)
		b.rows[p] = [3]uint32{side(i), side(i - 2), side(i)}
		if i%2 == 1 {
			b.rows[p] = [3]uint32{side(i - 1), side(i - 1), side(i - 1)}
		}
		if i%2 == 0 && !corners {
			continue
		}
		across := 0x010101 << i & b.all
		b.beside[p] |= (1<<p<<8 | 1<<p>>8) & across
		if n == 3 {
			b.rows[p][2] = across
		}
	}
	for i := range 16 { // turned by i/4 quarters, mirrored by i&1, turned inside out by i&2
		b.images.Maps = append(b.images.Maps, custom.NewMap[uint32](b.points, func(p int) int {
			square := p / 8
			if i&2 != 0 {
				square = n - 1 - square
			}
			return (p*(1-2*(i&1))+i/4*2)&7 | square*8
		}))
	}
	return b
}

// squares returns the board. Its receiver is not copied: moves would take a tenth longer.
func (g *Game) squares() *squares {
	switch {
	case g.Corners:
		return twelve
	case g.Men > 6:
		return nine
	}
	return six
}
