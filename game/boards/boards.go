// Package boards has the rules of misère Notakto on several 3×3 boards at once. Both
// players mark with X, a board with a complete line is dead, and the player who completes
// the line of the last board loses.
package boards

import (
	"math/bits"
	"slices"
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/notakto"
)

// MaxBoards is the largest number of boards.
const MaxBoards = 8

const (
	n     = 3 // of the n×n boards
	cells = n * n
	masks = 1 << cells // of the marks on a board
)

const (
	name    = "notakto-boards"
	title   = "Notakto on several boards"
	summary = "There are several 3×3 boards. Each player in turn marks an empty cell of one of them with X; " +
		"a board with a complete row, column or main diagonal is dead, and whoever completes a line on the last board alive loses."
)

// Game is the entry in the list of games. Its size is the number of boards.
var Game = game.Game{
	Name: name, Title: title, Summary: summary, MinSize: 1, MaxSize: MaxBoards, Several: notakto.Game.Name,
	Titles: map[string]string{"de": "Notakto auf mehreren Brettern", "fr": "Notakto sur plusieurs plateaux"},
	New:    func(number int) game.Rules { return game.Opaque[position](&rules{number}) },
}

// position has the marks of each board, by cell. All combinations are valid.
type position [MaxBoards]uint16

// rules are the game on a number of boards.
type rules struct{ number int }

var _ game.ExactRules[position] = (*rules)(nil)

// Info describes the boards.
func (r *rules) Info() game.Info {
	return game.Info{
		Name: name, Title: title, Size: r.number, Variant: strings.Repeat("+3", r.number)[1:], Board: game.OfBoards, Marks: 1, Summary: summary,
		MoveForm: "the number of a board and the cell that is marked on it", LastMove: game.LastLoses,
	}
}

func (*rules) Start() position { return position{} }

// Turn is the parity of the number of marks, as each move adds one.
func (r *rules) Turn(p position) game.Side {
	marks := 0
	for _, board := range p {
		marks += bits.OnesCount16(board)
	}
	return game.Side(marks & 1)
}

// dead says of each board whether it has a complete line.
var dead = func() (dead [masks]bool) {
	for board := range dead {
		dead[board] = slices.ContainsFunc(bitboard.Lines(n), func(line uint64) bool { return uint64(board)&line == line })
	}
	return dead
}()

// Terminal says that the player to move has won once all boards are dead: the other
// player has killed the last one.
func (r *rules) Terminal(p position) (game.Outcome, bool) {
	for _, board := range p[:r.number] {
		if !dead[board] {
			return game.Draw, false
		}
	}
	return game.Win, true
}

// byText are the cells in the order of their names: a1, a2, a3, b1 and so on.
var byText = func() (order [cells]uint8) {
	for i := range order {
		order[i] = uint8((n-1-i%n)*n + i/n)
	}
	return order
}()

// A move has the board in From, the first one 0, and the cell in To.

func (r *rules) Moves(buf []game.Move, p position) []game.Move {
	for i, board := range p[:r.number] {
		for _, cell := range byText {
			if !dead[board] && board>>cell&1 == 0 {
				buf = append(buf, game.Move{From: uint8(i), To: cell})
			}
		}
	}
	return buf
}

func (*rules) Play(p position, m game.Move) position {
	p[m.From] |= 1 << m.To
	return p
}

// withSteps is the largest number of boards whose positions are also solved one at a
// time, for the steps to the end: some hundred thousand.
const withSteps = 4

// Exact says how all positions are known: by the misère quotient, and on a few boards
// also because they are few but for symmetry and the order of the boards.
func (r *rules) Exact() game.Exact[position] {
	e := game.Exact[position]{Outcome: r.outcome}
	if r.number <= withSteps {
		e.Key = r.key
	}
	return e
}

// outcome says that the player to move loses where the elements of the boards multiply
// to one that is lost.
func (r *rules) outcome(p position) game.Outcome {
	q := quotient()
	product := one
	for _, board := range p[:r.number] {
		product = q.times[product][q.of[board]]
	}
	if q.isLost(product) {
		return game.Lose
	}
	return game.Win
}

// classes numbers the boards that are alike: dead ones are 0, and images of each other
// under the symmetries of the square have the same number.
var classes = func() (of [masks]uint8) {
	count := uint8(0)
	for board := range of {
		if dead[board] || of[board] != 0 {
			continue
		}
		count++
		for _, g := range bitboard.LineGroup(n) {
			of[g.Apply(uint64(board))] = count
		}
	}
	return of
}()

// key returns the classes of the boards that are alive, in their order.
func (r *rules) key(p position) uint64 {
	var list [MaxBoards]uint8
	for i, board := range p[:r.number] {
		list[i] = classes[board]
	}
	slices.Sort(list[:])
	key := uint64(0)
	for _, class := range list {
		key = key<<8 | uint64(class)
	}
	return key
}
