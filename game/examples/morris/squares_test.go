package morris

import (
	"encoding/json"
	"math/bits"
	"slices"
	"testing"
)

// The neighbours and rows of each point are those on the lines of the board, which are written by hand.
func TestLines(t *testing.T) {
	for _, g := range []Game{{Men: 6}, {Men: 9}, {Men: 12, Corners: true}} {
		var board struct {
			Board struct{ Lines [][]string }
			Order []string
		}
		if err := json.Unmarshal([]byte(g.Board()), &board); err != nil {
			t.Fatal(err)
		}
		var beside [24]uint32
		var rows [24][]uint32
		for _, line := range board.Board.Lines {
			row, before := uint32(0), -1
			for _, name := range line {
				p := slices.Index(board.Order, name)
				if row |= 1 << p; before >= 0 {
					beside[p] |= 1 << before
					beside[before] |= 1 << p
				}
				before = p
			}
			for men := row; len(line) == 3 && men != 0; men &= men - 1 {
				rows[bits.TrailingZeros32(men)] = append(rows[bits.TrailingZeros32(men)], row)
			}
		}
		b := g.squares()
		for p := range b.points {
			own := slices.Compact(slices.Sorted(slices.Values(b.rows[p][:])))
			if slices.Sort(rows[p]); b.beside[p] != beside[p] || !slices.Equal(own, rows[p]) {
				t.Errorf("%s: %s has the neighbours %x and the rows %x, on the board %x and %x", g.Name(), board.Order[p], b.beside[p], own, beside[p], rows[p])
			}
		}
	}
}

// Where all men stand on a full board it is a draw.
func TestFullBoard(t *testing.T) {
	g := Game{Men: 12, Corners: true}
	if outcome, over := g.Terminal(State{0x555555, 0xaaaaaa, 24}); !over || outcome.String() != "draw" {
		t.Errorf("it is %v, %v", outcome, over)
	}
}
