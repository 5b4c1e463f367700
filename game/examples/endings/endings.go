// Package endings is the end of a game of chess: a king and a rook, or a king and a queen,
// against a king. Its positions are numbered by ranks, all legal ones.
package endings

import (
	"bytes"
	_ "embed" // the boards
	"errors"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/rank"
)

// Game is an ending. White has the piece, R for a rook or Q for a queen.
type Game struct{ Piece byte }

// State has the squares of White's king, the piece and Black's king, row by row from a8, and
// whether Black is to move.
type State struct {
	men   [3]uint8
	black bool
}

const white, piece, king = 0, 1, 2

// Name returns krk or kqk.
func (g Game) Name() string { return strings.ToLower("k" + string(g.Piece) + "k") }

// Describe returns the title and the rules.
func (g Game) Describe() (title, rules string) {
	name := map[byte]string{'R': "rook", 'Q': "queen"}[g.Piece]
	return "King and " + name + " against king", "As in chess: White wins by a mate. It is a draw if Black can take the " + name + ", or only cannot move."
}

//go:embed krk.json
var rookBoard string

//go:embed kqk.json
var queenBoard string

// Board describes the board for drawing.
func (g Game) Board() string { return map[byte]string{'R': rookBoard, 'Q': queenBoard}[g.Piece] }

// Start returns a position in which White needs the most moves.
func (g Game) Start() State {
	return State{men: [3]uint8{0, 9, map[byte]uint8{'R': 18, 'Q': 37}[g.Piece]}}
}

func adjacent(king uint8) uint64 { return custom.Around(8, 8, int(king), "01235678") }

// lines returns the squares that the piece attacks: along each line up to the first man.
func (g Game) lines(from uint8, men uint64) (attacked uint64) {
	for i, step := range [8][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		for r, c := int(from)/8+step[0], int(from)%8+step[1]; (r|c)&^7 == 0 && (i < 4 || g.Piece == 'Q'); r, c = r+step[0], c+step[1] {
			to := uint64(1) << (8*r + c)
			if attacked |= to; men&to != 0 {
				break
			}
		}
	}
	return attacked
}

func (g Game) check(m [3]uint8) bool { return g.lines(m[piece], 1<<m[white])>>m[king]&1 != 0 }

// legal reports whether the men stand apart, and the player who has moved is not in check.
func (g Game) legal(s State) bool {
	m := s.men
	apart := m[white] != m[piece] && m[piece] != m[king] && (adjacent(m[white])|1<<m[white])>>m[king]&1 == 0
	return apart && (s.black || !g.check(m))
}

func (s State) takes() bool {
	return s.black && adjacent(s.men[king])&^adjacent(s.men[white])>>s.men[piece]&1 != 0
}

// Terminal reports that Black is mated, can take the piece, or cannot move.
func (g Game) Terminal(s State) (game.Outcome, bool) {
	var few [8]State
	switch {
	case !s.black:
		return 0, false
	case s.takes():
		return game.Draw, true
	case len(g.Moves(few[:0], s)) > 0:
		return 0, false
	case g.check(s.men):
		return game.Lose, true
	}
	return game.Draw, true
}

// Moves moves Black's king or a man of White to a free square.
func (g Game) Moves(dst []State, s State) []State { return g.steps(dst, s, s.black) }

// steps appends the legal positions after a man of Black, or of White, moves to a free square.
func (g Game) steps(dst []State, s State, black bool) []State {
	m := s.men
	for man, to := range [3]uint64{adjacent(m[white]), g.lines(m[piece], 1<<m[white]|1<<m[king]), adjacent(m[king])} {
		for ; to != 0 && black == (man == king); to &= to - 1 {
			after := State{m, !s.black}
			if after.men[man] = uint8(bits.TrailingZeros64(to)); g.legal(after) {
				dst = append(dst, after)
			}
		}
	}
	return dst
}

// Turn returns X for White and O for Black.
func (Game) Turn(s State) game.Side { return game.Side(custom.Bit(s.black, 0)) }

// Key returns the rank.
func (g Game) Key(s State) uint64 {
	i, _ := g.Rank(s)
	return i
}

// FromKey returns the state with a rank.
func (g Game) FromKey(key uint64) State {
	s, _ := g.Unrank(0, key)
	return s
}

// Format writes the board, with +b where Black is to move.
func (g Game) Format(s State) string {
	text := custom.FormatCells(8, 8, func(cell int) byte { return g.letters()[1+bytes.LastIndexByte(s.men[:], byte(cell))] })
	return text + map[bool]string{true: "+b"}[s.black]
}

func (g Game) letters() string { return ".K" + string(g.Piece) + "k" }

// Parse reads the output of Format.
func (g Game) Parse(text string) (State, error) {
	cells, black := strings.CutSuffix(text, "+b")
	s := State{black: black}
	err := custom.ParseCells(cells, 8, 8, g.letters(), func(cell, letter int) {
		if letter > 0 {
			s.men[letter-1] = uint8(cell)
		}
	})
	if err == nil && !g.legal(s) {
		err = errors.New("the men do not stand as the rules of chess allow")
	}
	return custom.Parsed(g, s, text, err)
}

var sets = sync.OnceValue(func() *rank.Sets[uint64] {
	return rank.NewBoard(64, 1, custom.SquareMaps[uint64](8)).Sets(1, 1, 1)
})

// Units returns one.
func (Game) Units() int { return 1 }

// Size returns the number of ranks: two for each way to place the men.
func (Game) Size(int) uint64 { return 2 * sets().Size() }

// Stays returns true.
func (Game) Stays(int) bool { return true }

// Home returns the unit.
func (Game) Home(State) int { return 0 }

// Rank returns the rank of a state, and how many symmetries keep it.
func (Game) Rank(s State) (i uint64, syms int) {
	i, syms = sets().Rank(1<<s.men[white], 1<<s.men[piece], 1<<s.men[king])
	return 2*i + custom.Bit(s.black, 0), syms
}

// Unrank returns the state with a rank, and whether there is one.
func (g Game) Unrank(_ int, i uint64) (s State, ok bool) {
	var men [3]uint64
	ok = sets().Unrank(men[:], i/2)
	for man, at := range men {
		s.men[man] = uint8(bits.TrailingZeros64(at))
	}
	s.black = i%2 == 1
	return s, ok && g.legal(s)
}

// Unmoves takes moves back: men go back the way they came. If Black could have taken the piece,
// the game was over.
func (g Game) Unmoves(dst []State, s State) []State {
	first := len(dst)
	dst = g.steps(dst, s, !s.black)
	return dst[:first+len(slices.DeleteFunc(dst[first:], State.takes))]
}
