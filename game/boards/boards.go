// Package boards has the rules of misère Notakto on several boards at once. Both
// players mark with X, a board with a complete line is dead, and the player who completes
// the line of the last board loses.
package boards

import (
	"math/bits"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/game/notakto"
)

// MaxBoards is the largest number of boards, all 3×3. There are up to maxSummed of other sizes.
const MaxBoards = 8

// The misère quotient is for boards of 3×3.
const (
	n     = 3
	cells = n * n
	masks = 1 << cells // of the marks on a board
)

const (
	name    = "notakto-boards"
	title   = "Notakto on several boards"
	summary = "There are several boards. Each player in turn marks an empty cell of one of them with X; " +
		"a board with a complete row, column or main diagonal is dead, and whoever completes a line on the last board alive loses."
)

// Game is the entry in the list of games. Its size is the number of 3×3 boards, or a game.Summed size.
var Game = game.Game{
	Name: name, Title: title, Summary: summary, MinSize: 1, MaxSize: MaxBoards, Several: notakto.Game.Name,
	Titles:   map[string]string{"de": "Notakto auf mehreren Brettern", "fr": "Notakto sur plusieurs plateaux"},
	Variants: game.Variants{Boards: maxSummed, Side: maxSide},
	New: func(size int) game.Rules {
		if sides := game.Size(size).Sides(); sides != nil {
			return game.Opaque[position](&rules{sides})
		}
		return game.Opaque[position](threes(size))
	},
}

// position has the marks of each board, by cell. All combinations are valid.
type position [MaxBoards]uint16

type rules struct{ sides []int }

func threes(number int) *rules { return &rules{slices.Repeat([]int{n}, number)} }

func (r *rules) isThrees() bool {
	return !slices.ContainsFunc(r.sides, func(side int) bool { return side != n })
}

func (r *rules) marksOf(p *position) []uint16 { return p[:len(r.sides)] }

func (r *rules) tree(p *position, board int) uint16 { return trees().of[r.sides[board]][p[board]] }

func (r *rules) isDead(p *position, board int) bool { return r.tree(p, board) == 0 }

var _ game.ExactRules[position] = (*rules)(nil)

// Info describes the boards.
func (r *rules) Info() game.Info {
	size, variant := len(r.sides), strings.Repeat("+3", len(r.sides))[1:]
	if !r.isThrees() {
		sum := game.Summed(r.sides...)
		size, variant = int(sum), sum.String()
	}
	return game.Info{
		Name: name, Title: title, Size: size, Variant: variant, Board: game.OfBoards, Marks: 1, Summary: summary,
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

// Terminal says that the player to move has won once all boards are dead: the other player has
// killed the last one.
func (r *rules) Terminal(p position) (game.Outcome, bool) {
	for i := range r.sides {
		if !r.isDead(&p, i) {
			return game.Draw, false
		}
	}
	return game.Win, true
}

// A move has the board in From, the first one 0, and the cell in To.

func (r *rules) Moves(buf []game.Move, p position) []game.Move {
	for i, side := range r.sides {
		if r.isDead(&p, i) {
			continue
		}
		for at := range side * side { // in the order of the cells' names: a1, a2 and so on
			if cell := (side-1-at%side)*side + at/side; p[i]>>cell&1 == 0 {
				buf = append(buf, game.Move{From: uint8(i), To: uint8(cell)})
			}
		}
	}
	return buf
}

func (*rules) Play(p position, m game.Move) position {
	p[m.From] |= 1 << m.To
	return p
}

// withSteps is the most boards whose positions are also solved one at a time, for the steps to
// the end, if they have at most mostSums sums of trees.
const (
	withSteps = 4
	mostSums  = 1_000_000
)

// Exact says how all positions are known: by the misère quotient or as sums of forms. With a few
// boards, few positions are left once the order of the boards is ignored and equal games are
// joined; these are also solved one by one.
func (r *rules) Exact() game.Exact[position] {
	e := game.Exact[position]{}
	e.Outcome = r.bySums
	if r.isThrees() {
		e.Outcome = r.byQuotient
	}
	if len(r.sides) <= withSteps && r.sums() <= mostSums {
		e.Key = func(p position) uint64 { return r.key(&p) }
	}
	return e
}

// sums returns the number of sums of trees of the boards, in any order.
func (r *rules) sums() int {
	n, same := 1, 0
	sides := slices.Sorted(slices.Values(r.sides))
	for i, side := range sides {
		if same++; i > 0 && sides[i-1] != side {
			same = 1
		}
		n = n * (int(trees().of[side][0]) + same) / same
	}
	return n
}

// byQuotient says that the player to move loses if the product of the boards' elements is a lost
// one.
func (r *rules) byQuotient(p position) game.Outcome {
	q := quotient()
	product := one
	for _, board := range r.marksOf(&p) {
		product = q.times[product][q.of[board]]
	}
	return game.WinIf(!q.lost.has(product))
}

func (r *rules) bySums(p position) game.Outcome {
	var forms [maxSummed]uint8
	for i := range r.sides {
		forms[i] = trees().form[r.tree(&p, i)]
	}
	return game.WinIf(!lostSums[slices.Max(r.sides)]()[placeAny(forms[0], forms[1], forms[2])].has(forms[3]))
}

// key returns the trees of up to four boards in their order.
func (r *rules) key(p *position) (key uint64) {
	var list [withSteps]uint16
	for i := range r.sides {
		list[i] = r.tree(p, i)
	}
	slices.Sort(list[:])
	for _, tree := range list {
		key = key<<16 | uint64(tree)
	}
	return key
}
