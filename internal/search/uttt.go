package search

import (
	"math/bits"

	"backsolve/game"
	"backsolve/game/uttt"
)

// ultimate is Ultimate Tic-Tac-Toe. Of a state's words the first two have the cells of
// the mover and of the other in the boards 0 to 6, nine bits each; the third has those
// in the boards 7 and 8, the board to play in, and the boards that each has won.
type ultimate struct {
	moves  []game.Move // on all cells, by their text
	places [81]place
}

type place struct{ board, within uint8 }

// Where in the third word things begin, each of nine bits but the board to play in.
const (
	lastMover   = 0 // of the boards 7 and 8
	lastWaiting = 18
	toPlay      = 36
	wonMover    = 40
	wonWaiting  = 49
)

const nine = uttt.Full // cells of a board

// complete says of each mask of a board whether it has a line, and threats which cells would make one.
var complete, threats = func() (complete [512]bool, threats [512]uint16) {
	for mask := range complete {
		complete[mask] = uttt.Complete(uint16(mask))
	}
	for mask := range threats {
		for cell := range uttt.Boards {
			if mask>>cell&1 == 0 && complete[mask|1<<cell] {
				threats[mask] |= 1 << cell
			}
		}
	}
	return complete, threats
}()

func newUltimate(rules game.Rules) Rules[Words] {
	g := &ultimate{moves: rules.Moves(nil, rules.Start())} // all cells are empty
	for cell := range g.places {
		board, within := uttt.Place(cell)
		g.places[cell] = place{uint8(board), uint8(within)}
	}
	return g
}

type boards [uttt.Boards]uint16

func wordsOf(mover, waiting boards, toPlayIn uint8) (s Words) {
	var won [2]uint64
	for player, of := range [2]boards{mover, waiting} {
		for b := range 7 {
			s[player] |= uint64(of[b]) << (9 * b)
		}
		for b := 7; b < uttt.Boards; b++ {
			s[2] |= uint64(of[b]) << (lastWaiting*player + 9*(b-7))
		}
		for b, cells := range of {
			if complete[cells&nine] {
				won[player] |= 1 << b
			}
		}
	}
	s[2] |= uint64(toPlayIn)<<toPlay | won[0]<<wonMover | won[1]<<wonWaiting
	return s
}

func unpack(s Words) (mover, waiting boards) {
	for b := range uttt.Boards {
		m, w := cellsOf(s, uint(b))
		mover[b], waiting[b] = uint16(m), uint16(w)
	}
	return mover, waiting
}

// Ultimate returns the position of a state of Ultimate Tic-Tac-Toe in which X is to move.
func Ultimate(s Words) uttt.State {
	mover, waiting := unpack(s)
	return uttt.State{X: mover, O: waiting, Board: uint8(s[2] >> toPlay & 15)}
}

func cellsOf(s Words, board uint) (mover, waiting uint64) {
	if board < 7 {
		return s[0] >> (9 * board & 63) & nine, s[1] >> (9 * board & 63) & nine
	}
	at := 9 * (board - 7)
	return s[2] >> ((lastMover + at) & 63) & nine, s[2] >> ((lastWaiting + at) & 63) & nine
}

func wonOf(s Words) (mover, waiting uint64) {
	return s[2] >> wonMover & nine, s[2] >> wonWaiting & nine
}

// Of returns the state of an uttt.State.
func (g *ultimate) Of(p game.State) Words {
	s := p.(uttt.State)
	if s.Turn == game.O {
		s.X, s.O = s.O, s.X
	}
	return wordsOf(boards(s.X), boards(s.O), s.Board)
}

func (g *ultimate) Hash(s Words) uint64 {
	mixed := s[0]*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(s[1]*0xc2b2ae3d27d4eb4f, 32) ^ bits.RotateLeft64(s[2]*0x94d049bb133111eb, 17)
	return (mixed ^ mixed>>29) * 0x9fb21c651e98df25
}

func (g *ultimate) Terminal(s Words) (game.Outcome, bool) {
	mover, waiting := wonOf(s)
	switch {
	case complete[mover]:
		return game.Win, true
	case complete[waiting]:
		return game.Lose, true
	}
	return game.Draw, s[2]>>toPlay&15 == uttt.Any && g.closedBoards(s)
}

func (g *ultimate) closedBoards(s Words) bool {
	for b := range uint(uttt.Boards) {
		if freeIn(s, b) != 0 {
			return false
		}
	}
	return true
}

// freeIn returns the cells of a board that can be marked, if the board may be played in.
func freeIn(s Words, board uint) uint64 {
	mover, waiting := wonOf(s)
	if (mover|waiting)>>board&1 == 1 {
		return 0
	}
	m, w := cellsOf(s, board)
	return nine &^ (m | w)
}

// openCells returns the cells that may be marked in each board.
func (g *ultimate) openCells(s Words) (open boards) {
	if mover, waiting := wonOf(s); complete[mover] || complete[waiting] {
		return open
	}
	if board := uint(s[2] >> toPlay & 15); board != uttt.Any {
		open[board] = uint16(freeIn(s, board))
		return open
	}
	for b := range open {
		open[b] = uint16(freeIn(s, uint(b)))
	}
	return open
}

func (g *ultimate) Moves(buf []game.Move, s Words) []game.Move {
	open := g.openCells(s)
	for _, m := range g.moves {
		if p := g.places[m.To]; open[p.board]>>p.within&1 == 1 {
			buf = append(buf, m)
		}
	}
	return buf
}

func (g *ultimate) Play(s Words, m game.Move) Words {
	p := g.places[m.To]
	const last = 1<<lastWaiting - 1
	next := Words{s[1], s[0], s[2]>>lastWaiting&last | s[2]&last<<lastWaiting}
	if p.board < 7 {
		next[1] |= 1 << ((9*p.board + p.within) & 63)
	} else {
		next[2] |= 1 << ((lastWaiting + 9*(p.board-7) + p.within) & 63)
	}
	mover, waiting := wonOf(s)
	if _, own := cellsOf(next, uint(p.board)); complete[own] {
		mover |= 1 << p.board
	}
	next[2] |= waiting<<wonMover | mover<<wonWaiting
	board := uint64(p.within)
	if complete[mover] || freeIn(next, uint(p.within)) == 0 {
		board = uttt.Any
	}
	next[2] |= board << toPlay
	return next
}

// ultimateGame has what each player has marked and won, 0 being who begins.
type ultimateGame struct {
	cells [2]boards
	won   [2]uint16
	board uint8
}

func (p *ultimateGame) freeCells(board uint8) uint16 {
	if (p.won[0]|p.won[1])>>board&1 == 1 {
		return 0
	}
	return nine &^ (p.cells[0][board] | p.cells[1][board])
}

func (p *ultimateGame) mark(player int, board, within uint8) bool {
	own := &p.cells[player][board]
	*own |= 1 << within
	if complete[*own&nine] {
		p.won[player] |= 1 << board
		if complete[p.won[player]&nine] {
			return true
		}
	}
	if p.board = within; p.freeCells(within) == 0 {
		p.board = uttt.Any
	}
	return false
}

// draw draws a free cell, each with the same probability; false where there is none.
func (p *ultimateGame) draw(r *Rand) (board, within uint8, ok bool) {
	board = p.board
	if board == uttt.Any {
		if board, ok = p.drawBoard(r); !ok {
			return 0, 0, false
		}
	}
	cells := p.freeCells(board)
	for range r.Below(bits.OnesCount16(cells)) {
		cells &= cells - 1
	}
	return board, uint8(bits.TrailingZeros16(cells)), true
}

// drawBoard draws boards in proportion to their free cells; ok is false where there are none.
func (p *ultimateGame) drawBoard(r *Rand) (board uint8, ok bool) {
	var counts [uttt.Boards]int
	sum := 0
	for b := range counts {
		counts[b] = bits.OnesCount16(p.freeCells(uint8(b)))
		sum += counts[b]
	}
	if sum == 0 {
		return 0, false
	}
	drawn := r.Below(sum)
	for drawn >= counts[board] {
		drawn -= counts[board]
		board++
	}
	return board, true
}

func (g *ultimate) Playout(s Words, r *Rand) game.Outcome { return playUltimate(s, false, r) }

// WeightedPlayout prefers moves that win boards or keep the opponent from it, and those
// on cells in the middle.
func (g *ultimate) WeightedPlayout(s Words, r *Rand) game.Outcome { return playUltimate(s, true, r) }

func playUltimate(s Words, weighted bool, r *Rand) game.Outcome {
	p := ultimateGame{board: uint8(s[2] >> toPlay & 15)}
	p.cells[0], p.cells[1] = unpack(s)
	mover, waiting := wonOf(s)
	p.won = [2]uint16{uint16(mover), uint16(waiting)}
	for ply := 0; ; ply++ {
		var board, within uint8
		var ok bool
		if weighted {
			board, within, ok = p.drawByWeight(ply&1, r)
		} else {
			board, within, ok = p.draw(r)
		}
		if !ok {
			return game.Draw
		}
		if p.mark(ply&1, board, within) {
			return asAtStart(game.Win, ply)
		}
	}
}
