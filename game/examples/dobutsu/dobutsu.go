// Package dobutsu is Dōbutsu shōgi: lion, giraffe, elephant and chick on 3×4 squares. A
// captured piece goes to the hand of the player who took it, who may drop it on any empty
// square. A chick that moves to the last rank becomes a hen. A player wins by taking the
// lion, and must if he can, or by moving a lion to the last rank where it cannot be taken.
package dobutsu

import (
	_ "embed" // the board
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"backsolve/game"
	"backsolve/game/custom"
)

// Game is Dōbutsu shōgi. An infinite game is a draw.
type Game struct{}

// State is a position seen from the player to move, who moves up. Square i, from the top left,
// has bits 4·i to 4·i+3: 0, or a piece, with theirs set for the other player's. Bits 48 to 53
// count the giraffes, elephants and chicks in hand, two bits each; bits 54 to 59 are the other
// player's. After a lion is taken the state is 0.
type State uint64

const (
	rows, columns, hands                        = 4, 3, 48
	left                                        = 0x00f00f00f00f // the left squares
	lion, giraffe, elephant, chick, hen, theirs = 1, 2, 3, 4, 5, 8
	letters, held                               = ".LGECH...lgech", "GECgec"
)

// reach has the squares that a piece may move to from each square.
var reach [theirs][rows * columns]uint16

func init() {
	for piece, near := range [...]string{lion: "01235678", giraffe: "1357", elephant: "0268", chick: "1", hen: "012357"} {
		for from := range rows * columns {
			reach[piece][from] = uint16(custom.Around(rows, columns, from, near))
		}
	}
}

// Name returns dobutsu.
func (Game) Name() string { return "dobutsu" }

// Describe returns the title and the rules.
func (Game) Describe() (title, rules string) {
	return "Dōbutsu shōgi", "Take the lion, or bring yours safely to the last rank; pieces that you take come back as your own."
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (Game) Board() string { return board }

// End says what has become of the lion.
func (Game) End(s State) string {
	if s == 0 {
		return "taken"
	}
	return "home"
}

// Turned turns the board, and exchanges small letters and capitals, and the hands.
func (Game) Turned(text string) string {
	ranks, hand, _ := strings.Cut(text, "+")
	squares := []byte(ranks)
	slices.Reverse(squares)
	theirs := strings.IndexFunc(hand+"c", unicode.IsLower)
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, string(squares)+"+"+hand[theirs:]+hand[:theirs])
}

// MoveName names the move that takes the lion. Others are called by their squares.
func (Game) MoveName(_, to State) string {
	if to == 0 {
		return "lion"
	}
	return ""
}

// Start returns the position with all pieces on the board.
func (g Game) Start() State {
	s, _ := g.Parse("gle/.c./.C./ELG+")
	return s
}

func (s State) pieceAt(square int) State { return s >> (4 * square) & 15 }

// prey returns the square of the other player's lion, or the last square if there is none, and
// whether it can be taken.
func (s State) prey() (square int, taken bool) {
	for square < rows*columns-1 && s.pieceAt(square) != lion|theirs {
		square++
	}
	for from := range rows * columns {
		piece := s.pieceAt(from)
		taken = taken || piece < theirs && reach[piece][from]>>square&1 != 0
	}
	return square, taken
}

// Terminal reports a loss if the lion is taken, or the other one is safe on the last rank.
func (Game) Terminal(s State) (game.Outcome, bool) {
	square, taken := s.prey()
	return game.Lose, square/columns == rows-1 && !taken
}

// Moves appends the position without a lion if the lion can be taken. Otherwise it appends
// the positions after moves on the board and after drops.
func (Game) Moves(dst []State, s State) []State {
	if _, taken := s.prey(); taken {
		return append(dst, 0)
	}
	for square := range rows * columns {
		piece := s.pieceAt(square)
		if piece < theirs {
			for to := reach[piece][square]; to != 0; to &= to - 1 {
				if at := bits.TrailingZeros16(to); s.pieceAt(at) == 0 || s.pieceAt(at) > theirs {
					dst = append(dst, s.afterMove(square, at))
				}
			}
		}
		for kind := State(giraffe); kind <= chick && piece == 0; kind++ {
			if one := State(1) << (hands + 2*(kind-giraffe)); s&(3*one) != 0 {
				dst = append(dst, (s - one | kind<<(4*square)).turned())
			}
		}
	}
	return dst
}

func (s State) afterMove(from, to int) State {
	piece, prey := s.pieceAt(from), s.pieceAt(to)
	if piece == chick && to < columns {
		piece = hen
	}
	if s = s&^(15<<(4*from)|15<<(4*to)) | piece<<(4*to); prey != 0 {
		s += 1 << (hands + 2*(min(prey-theirs, chick)-giraffe))
	}
	return s.turned()
}

// turned returns the position as the other player sees it.
func (s State) turned() State {
	b := bits.ReverseBytes64(uint64(s) << 16)
	b = b>>4&0x0f0f0f0f0f0f | b&0x0f0f0f0f0f0f<<4
	b ^= (b | b>>1 | b>>2) & 0x111111111111 << 3
	return State(b) | s>>6&(63<<hands) | s&(63<<hands)<<6
}

// Key returns the lesser of a position and its mirror image.
func (Game) Key(s State) uint64 { return uint64(min(s, s.mirrored())) }

// Images appends the mirror image.
func (Game) Images(dst []State, s State) []State { return append(dst, s.mirrored()) }

func (s State) mirrored() State { return s&^(left|left<<8) | s&left<<8 | s>>8&left }

// FromKey returns the position with a key.
func (Game) FromKey(key uint64) State { return State(key) }

// Format writes the ranks from the top, +, and both hands. Capitals are the pieces of the
// player to move.
func (Game) Format(s State) string {
	text := custom.FormatCells(rows, columns, func(square int) byte { return letters[s.pieceAt(square)] }) + "+"
	for i := range len(held) {
		text += strings.Repeat(held[i:i+1], int(s>>(hands+2*i)&3))
	}
	return text
}

// Parse reads the output of Format.
func (g Game) Parse(text string) (s State, err error) {
	ranks, hand, _ := strings.Cut(text, "+")
	err = custom.ParseCells(ranks, rows, columns, letters, func(square, piece int) { s |= State(piece) << (4 * square) })
	for i := range len(held) {
		s |= State(strings.Count(hand, held[i:i+1])&3) << (hands + 2*i)
	}
	return custom.Parsed(g, s, text, err)
}
