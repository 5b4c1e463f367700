package notakto

import "backsolve/game"

// MaxPaired is the largest board of the pairing that can be written down.
const MaxPaired = game.MaxLayout / 4 * 4

// Paired reports whether the second player wins on the n×n board by a pairing
// of its cells: n = 4, 8, 12, …, 24 (Theorem 1 of Chen, Wang, Laturia, Crandall
// and Blanco, How to play Notakto, 2020).
//
// The pairing carries each line to a line without a common cell. Suppose that all
// marked cells have a marked partner and no line is complete. The first player
// marks a cell, and the second player answers with its partner. If the answer
// completes a line, the partners of that line's cells are all marked; they are a
// line, too, and the answer is not on it: the first player has completed it
// before, and lost. So the second player never completes a line, and since a full
// board has complete lines, the first player does.
func Paired(n int) bool { return n >= 4 && n <= MaxPaired && n%4 == 0 }

// Pair returns the partner of a cell of a board for which Paired is true. In coordinates from 1
// it is, for (x, y), ((n+1) − x + (−1)^x, y + (−1)^(y+1)): rows change places in pairs, columns
// are mirrored and then change places in pairs. It makes no difference whether rows are counted
// from the top or from the bottom, and columns from the left or from the right.
func Pair(n, cell int) int {
	row, col := cell/n, cell%n
	row, col = row^1, (n-1-col)^1
	return row*n + col
}

// Unpaired returns the marked cells whose partner is not marked; if there are none, the pairing
// has been kept. Paired is true of the board's size.
func Unpaired(w Wide) (cells []int) {
	for cell := range w.Cells() {
		if w.Marked(cell) && !w.Marked(Pair(w.size, cell)) {
			cells = append(cells, cell)
		}
	}
	return cells
}

// Pairing is the formula of the agent that plays by the pairing. If one mark is without its
// partner, it marks that. Otherwise it avoids, if it can, to complete a line or to leave one mark
// without its partner, which would win for an opponent who knows the pairing.
var Pairing = game.Formula{
	Name:    "pairing",
	Summary: "the second player's pairing of Notakto on boards of size 4, 8, 12, …",
	Boards:  "notakto 4×4, 8×8, 12×12 and so on up to 24×24",
	New: func(r game.Rules) (func(game.State) func(game.Move) int, bool) {
		i := r.Info()
		if i.Name != name || !Paired(i.Size) {
			return nil, false
		}
		return func(s game.State) func(game.Move) int {
			w, _ := AsWide(i.Size, s)
			unpaired := len(Unpaired(w))
			return func(m game.Move) int { return rankPaired(w, Cell(i.Size, m), unpaired) }
		}, true
	},
}

// rankPaired ranks the move on a cell of a position with a number of marks without a partner.
func rankPaired(w Wide, cell, unpaired int) int {
	left := unpaired + 1
	if w.Marked(Pair(w.size, cell)) {
		left = unpaired - 1
	}
	switch {
	case w.CompletedBy(cell):
		return 3
	case left == 0:
		return 0
	case left == 1:
		return 2
	}
	return 1
}
