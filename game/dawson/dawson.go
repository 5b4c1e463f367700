// Package dawson has the rules of Dawson's chess: two rows of pawns face each other
// with an empty one between, and captures are forced. The last player to move loses, as
// T. R. Dawson published it (Caissa's Wild Roses, 1935), or wins in the normal version.
//
// A pawn that advances is captured by one from a file beside it, that one is captured
// from there, and so on. At the end it is the other player's turn, the file of the
// advance is blocked and its neighbours are empty. So a move is a file, which goes out of
// play with its neighbours.
package dawson

import (
	"fmt"
	"math/bits"

	"backsolve/game"
)

// MaxFiles is the largest number of files, one for each letter.
const MaxFiles = game.MaxLayout

// Game and Normal are the entries in the list of games: the last player to move loses in
// Game and wins in Normal.
var (
	Game = define(rules{name: "dawson", title: "Dawson's chess", misere: true,
		summary: "Pawns face each other on N files, and captures are forced: a move on a file takes it and those beside it out of play. Whoever moves last loses."},
		map[string]string{"de": "Dawsons Schach", "fr": "Échecs de Dawson"})
	Normal = define(rules{name: "dawson-normal", title: "Dawson's chess, normal play",
		summary: "Pawns face each other on N files, and captures are forced: a move on a file takes it and those beside it out of play. Whoever moves last wins."},
		map[string]string{"de": "Dawsons Schach, Normalspiel", "fr": "Échecs de Dawson, jeu normal"})
)

func define(r rules, titles map[string]string) game.Game {
	return game.Game{
		Name: r.name, Title: r.title, Titles: titles, Summary: r.summary, MinSize: 1, MaxSize: MaxFiles,
		New: func(n int) game.Rules {
			board := r
			board.n, board.nimbers = n, nimbers(n)
			return game.Opaque[position](&board)
		},
	}
}

// position has the files on which moves were made, file a in the lowest bit. No two are
// neighbours.
type position uint32

// Played returns the files on which moves were made in a state of either game, file a in the
// lowest bit. It panics on states of other games.
func Played(s game.State) uint32 { return uint32(s.(position)) }

// rules are either game on n files. Every set of files without neighbours is a position.
type rules struct {
	name, title, summary string
	misere               bool
	n                    int
	nimbers              []uint8 // by the number of files in a row
}

var _ game.ExactRules[position] = (*rules)(nil)

// Info describes the board.
func (r *rules) Info() game.Info {
	return game.Info{
		Name: r.name, Title: r.title, Size: r.n, Variant: fmt.Sprintf("3x%d", r.n), Board: game.OnRow, Summary: r.summary,
		MoveForm: "the letter of the file on which a pawn advances", LastMove: game.LastMove(r.misere),
	}
}

func (*rules) Start() position { return 0 }

// Turn is the parity of the blocked files: each move blocks one.
func (*rules) Turn(p position) game.Side { return game.Side(bits.OnesCount32(uint32(p)) & 1) }

// openFiles returns the files on which pawns face each other.
func (r *rules) openFiles(p position) uint32 {
	played := uint32(p)
	return (1<<uint(r.n) - 1) &^ (played | played<<1 | played>>1)
}

// Terminal: the player who is not to move made the last move.
func (r *rules) Terminal(p position) (game.Outcome, bool) {
	if r.openFiles(p) != 0 {
		return game.Draw, false
	}
	return game.WinIf(r.misere), true
}

func (r *rules) Moves(buf []game.Move, p position) []game.Move {
	for open := r.openFiles(p); open != 0; open &= open - 1 {
		file := uint8(bits.TrailingZeros32(open))
		buf = append(buf, game.Move{From: file, To: file})
	}
	return buf
}

func (*rules) Play(p position, m game.Move) position { return p | 1<<m.To }

// Exact says how all positions are known. A row of adjacent open files is a game of its own, as
// no move reaches beyond it; only the lengths of these rows matter. Under normal play the nimbers
// of the rows add up.
func (r *rules) Exact() game.Exact[position] {
	e := game.Exact[position]{Key: r.rows}
	if !r.misere {
		e.Nimber, e.Outcome = r.nimber, r.outcome
	}
	return e
}

func (r *rules) outcome(p position) game.Outcome { return game.WinIf(r.nimber(p) != 0) }

func (r *rules) nimber(p position) int {
	sum := uint8(0)
	for open := r.openFiles(p); open != 0; {
		var length int
		length, open = firstRow(open)
		sum ^= r.nimbers[length]
	}
	return int(sum)
}

// rows returns the lengths of the rows of open files, the longest first: runs of ones with a zero
// between them.
func (r *rules) rows(p position) uint64 {
	var count [MaxFiles + 1]int
	for open := r.openFiles(p); open != 0; {
		var length int
		length, open = firstRow(open)
		count[length]++
	}
	key := uint64(0)
	for length := r.n; length > 0; length-- {
		for range count[length] {
			key = key<<uint(length+1) | (1<<uint(length) - 1)
		}
	}
	return key
}

// firstRow returns the length of the first row of open files, which must exist, and
// the open files after it.
func firstRow(open uint32) (length int, rest uint32) {
	open >>= uint(bits.TrailingZeros32(open))
	length = bits.TrailingZeros32(^open)
	return length, open >> uint(length)
}

// nimbers returns the Grundy values of 0 to n open files in a row: a move leaves those
// before the files that it takes and those behind them.
func nimbers(n int) []uint8 {
	values := make([]uint8, n+1)
	for length := 1; length <= n; length++ {
		var reached [256]bool
		for file := range length {
			before, behind := max(file-1, 0), max(length-file-2, 0)
			reached[values[before]^values[behind]] = true
		}
		for reached[values[length]] {
			values[length]++
		}
	}
	return values
}
