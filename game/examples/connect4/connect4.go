// Package connect4 is Connect Four on boards of any size up to 62 cells with a spare row:
// players drop discs into columns, and four in a row win.
package connect4

import (
	_ "embed" // the board
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Connect Four on a board of any number of columns and rows.
type Game struct {
	Columns, Rows int
	// Mirror counts mirror images as one state.
	Mirror bool
	bottom uint64 // the lowest cell of each column
	// toText maps cells to their places in the text, by rows from the top.
	toText, fromText custom.Map[uint64]
	mirror           custom.Map[uint64] // swaps columns from both ends
}

// State is a position: the discs of the player to move, and all discs. Each column has
// Rows+1 bits, the lowest cell first; the highest is never set.
type State struct{ mine, all uint64 }

// New returns the game on a board of 1 to 9 columns and rows with (rows+1)·columns ≤ 64.
func New(columns, rows int, mirror bool) (Game, error) {
	if columns < 1 || rows < 1 || columns > 9 || rows > 9 || (rows+1)*columns > 64 {
		return Game{}, fmt.Errorf("connect4 has no board of %d columns and %d rows; take 1 to 9 of each with (rows+1)·columns ≤ 64", columns, rows)
	}
	g, h := Game{Columns: columns, Rows: rows, Mirror: mirror}, rows+1
	for c := range columns {
		g.bottom |= 1 << (c * h)
	}
	g.fromText = custom.NewMap[uint64](rows*columns, func(cell int) int { return cell%columns*h + rows - 1 - cell/columns })
	g.toText = custom.NewMap[uint64](h*columns, func(bit int) int { return max(rows-1-bit%h, 0)*columns + bit/h })
	g.mirror = custom.NewMap[uint64](h*columns, func(bit int) int { return (columns-1-bit/h)*h + bit%h })
	return g, nil
}

// Name returns connect4-7x6, columns first.
func (g Game) Name() string { return fmt.Sprintf("connect4-%dx%d", g.Columns, g.Rows) }

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	return fmt.Sprintf("Connect Four %d×%d", g.Columns, g.Rows), "Drop discs into the columns in turn; the first to have four in a row, in any direction, wins."
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (Game) Board() string { return board }

// Start returns the empty board.
func (g Game) Start() State { return State{} }

// Terminal reports a loss if the other player has four in a row, and a draw on a full board.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	if g.four(s.all &^ s.mine) {
		return game.Lose, true
	}
	return game.Draw, bits.OnesCount64(s.all) == g.Columns*g.Rows
}

func (g Game) four(discs uint64) bool {
	h := g.Rows + 1
	for _, step := range [4]int{1, h, h - 1, h + 1} {
		two := discs & (discs >> step)
		if two&(two>>(2*step)) != 0 {
			return true
		}
	}
	return false
}

// Moves appends the positions after a disc in each column that is not full.
func (g Game) Moves(dst []State, s State) []State {
	h := g.Rows + 1
	for c := range g.Columns {
		if cell := (s.all + 1<<(c*h)) &^ s.all & ((1<<g.Rows - 1) << (c * h)); cell != 0 {
			dst = append(dst, State{s.all &^ s.mine, s.all | cell})
		}
	}
	return dst
}

// Tiers returns one more than the number of cells.
func (g Game) Tiers() int { return g.Columns*g.Rows + 1 }

// Tier returns the number of discs.
func (g Game) Tier(s State) int { return bits.OnesCount64(s.all) }

// Loops returns false: every move adds a disc.
func (g Game) Loops(int) bool { return false }

// Key returns the discs of the player to move, with a bit above each column's discs. With Mirror
// it is the lesser of the state's key and its image's.
func (g Game) Key(s State) uint64 {
	key := g.key(s)
	if g.Mirror {
		key = min(key, g.mirror.Apply(key))
	}
	return key
}

func (g Game) key(s State) uint64 { return s.mine + s.all + g.bottom }

// FromKey finds the bit above each column's discs: it is the highest one set.
func (g Game) FromKey(key uint64) (s State) {
	h := g.Rows + 1
	for c := range g.Columns {
		column := key >> (c * h) & (1<<h - 1)
		top := bits.Len64(column) - 1
		s.all |= (1<<top - 1) << (c * h)
		s.mine |= (column &^ (1 << top)) << (c * h)
	}
	return s
}

// Images appends the mirror image.
func (g Game) Images(dst []State, s State) []State {
	if g.Mirror {
		dst = append(dst, State{g.mirror.Apply(s.mine), g.mirror.Apply(s.all)})
	}
	return dst
}

// Turn returns the side to move, X first.
func (g Game) Turn(s State) game.Side { return game.Side(bits.OnesCount64(s.all) & 1) }

// Format draws the rows from the top, X for the player who began.
func (g Game) Format(s State) string {
	x, o := s.mine, s.all&^s.mine
	if g.Turn(s) == game.O {
		x, o = o, x
	}
	return custom.FormatMasks(g.toText.Apply(x), g.toText.Apply(o), g.Rows, g.Columns)
}

// Parse reads the output of Format. It refuses discs that hang in the air.
func (g Game) Parse(text string) (State, error) {
	x, o, err := custom.ParseMasks(text, g.Rows, g.Columns)
	s := State{g.fromText.Apply(x), g.fromText.Apply(x | o)}
	if bits.OnesCount64(x) > bits.OnesCount64(o) {
		s.mine ^= s.all
	}
	return custom.Parsed(g, g.FromKey(g.key(s)), text, err)
}
