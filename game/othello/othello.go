// Package othello is the rules of Othello: a player places a disc so that it encloses runs of the
// opponent's discs, in straight lines between itself and others of the player's own, and turns
// these over. A player who cannot do so passes; when neither can, the one with more discs wins.
package othello

import (
	"fmt"
	"math/bits"
	"strings"

	"backsolve/game"
)

const (
	name    = "othello"
	title   = "Othello"
	summary = "Each player in turn places a disc that encloses, in straight lines, discs of the opponent between itself and another " +
		"one of the player's own, and turns these over; who cannot passes. When nobody can, whoever has more discs wins."
)

// The sizes of boards, which are even: the game begins in the middle.
const (
	MinSize = 4
	MaxSize = 8
	Step    = 2
)

// Game is the entry in the list of games.
var Game = game.Game{
	Name:    name,
	Title:   title,
	Summary: summary,
	MinSize: MinSize,
	MaxSize: MaxSize,
	Step:    Step,
	New:     func(n int) game.Rules { return game.Opaque[game.Position](New(n)) },
}

// rules are Othello on one board; black, who begins, has X and white has O. Every
// board of empty, X and O cells with either side to move is a position.
type rules struct {
	game.Board
	moves []game.Move // on all cells, by their text
	// rays are the cells from each one to the edge, in each direction in which there
	// are some.
	rays [64][][]uint8
}

// New returns the rules of Othello on the n×n board, n = 4, 6 or 8.
func New(n int) game.Grid {
	info := game.Info{
		Name: name, Title: title, Size: n, Marks: 2, Summary: summary,
		MoveForm: "the cell where a disc is placed, or " + game.PassText, MoveKind: game.Encloses,
	}
	board := game.NewBoard(info, "")
	r := &rules{Board: game.NewBoard(info, board.Format(start(n))), moves: game.CellMoves(n, n)}
	for cell := range n * n {
		r.rays[cell] = raysFrom(n, cell/n, cell%n)
	}
	return r
}

func raysFrom(n, row, col int) (rays [][]uint8) {
	for down := -1; down <= 1; down++ {
		for right := -1; right <= 1; right++ {
			if down == 0 && right == 0 {
				continue
			}
			var ray []uint8
			for i, j := row+down, col+right; 0 <= i && i < n && 0 <= j && j < n; i, j = i+down, j+right {
				ray = append(ray, uint8(i*n+j))
			}
			if ray != nil {
				rays = append(rays, ray)
			}
		}
	}
	return rays
}

// start returns the four discs in the middle: white has those on the diagonal of a1, as d4 and
// e5, so that games are written as usual.
func start(n int) game.Position {
	cell := func(row, col int) uint64 { return 1 << uint(row*n+col) }
	below, right := n/2, n/2
	return game.Position{
		X: cell(below-1, right-1) | cell(below, right),
		O: cell(below, right-1) | cell(below-1, right),
	}
}

func (r *rules) Start() game.Position { return start(r.Size()) }

// flips returns the opponent's discs that a disc of the player to move on a cell turns over.
func (r *rules) flips(p game.Position, cell uint8) (turned uint64) {
	own, other := p.Mover(), p.Waiting()
	for _, ray := range r.rays[cell&63] {
		var run uint64
		for _, c := range ray {
			at := uint64(1) << (c & 63)
			if other&at == 0 {
				if own&at != 0 {
					turned |= run
				}
				break
			}
			run |= at
		}
	}
	return turned
}

func (r *rules) legal(p game.Position, cell uint8) bool {
	return (p.X|p.O)>>(cell&63)&1 == 0 && r.flips(p, cell) != 0
}

func (r *rules) stuck(p game.Position) bool {
	for _, m := range r.moves {
		if r.legal(p, m.To) {
			return false
		}
	}
	return true
}

func passed(p game.Position) game.Position {
	p.Mark = p.Mark.Other()
	return p
}

// Terminal says that the game is over when neither player can place a disc, and won by
// the player with more.
func (r *rules) Terminal(p game.Position) (game.Outcome, bool) {
	if !r.stuck(p) || !r.stuck(passed(p)) {
		return game.Draw, false
	}
	return game.Compared(bits.OnesCount64(p.Mover()), bits.OnesCount64(p.Waiting())), true
}

func (r *rules) Moves(buf []game.Move, p game.Position) []game.Move {
	before := len(buf)
	for _, m := range r.moves {
		if r.legal(p, m.To) {
			buf = append(buf, m)
		}
	}
	if len(buf) == before && !r.stuck(passed(p)) {
		buf = append(buf, game.Pass)
	}
	return buf
}

func (r *rules) Play(p game.Position, m game.Move) game.Position {
	if m != game.Pass {
		turned := r.flips(p, m.To)
		if placed := turned | 1<<(m.To&63); p.Mark == game.X {
			p.X, p.O = p.X|placed, p.O&^turned
		} else {
			p.X, p.O = p.X&^turned, p.O|placed
		}
	}
	return passed(p)
}

func (r *rules) ParseMove(p game.Position, text string) (game.Move, error) {
	m := game.Pass
	if strings.TrimSpace(text) != game.PassText {
		cells, err := r.ParseCells(text, 1, r.FormatMove(r.moves[0]))
		if err != nil {
			return game.Move{}, err
		}
		m = game.Move{From: uint8(cells[0]), To: uint8(cells[0])}
	}
	return game.Legal(m, r.FormatMove(m), r.illegal(p, m))
}

// illegal says why m is not a legal move in p, or "" if it is.
func (r *rules) illegal(p game.Position, m game.Move) string {
	legal := r.Moves(nil, p)
	cell := r.FormatMove(m)
	switch {
	case len(legal) == 0:
		return "the game is over, as neither player can place a disc"
	case m == game.Pass && legal[0] != game.Pass:
		return fmt.Sprintf("a disc can be placed, as on %s; only who can place none passes", r.FormatMove(legal[0]))
	case m == legal[0]:
		return ""
	case legal[0] == game.Pass:
		return "no disc can be placed; " + game.PassText
	case (p.X|p.O)>>(m.To&63)&1 == 1:
		return "there is a disc on " + cell + "; take an empty cell"
	case !r.legal(p, m.To):
		return "a disc on " + cell + " would enclose none of the opponent's; take a cell where it does, as " + r.FormatMove(legal[0])
	}
	return ""
}

func (r *rules) FormatMove(m game.Move) string {
	if m == game.Pass {
		return game.PassText
	}
	return game.CellName(r.Size(), int(m.To))
}
