package custom

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"backsolve/game"
)

// FormatCells writes the character of each cell, in rows separated by slashes:
// "X.O/.../..X".
func FormatCells(rows, columns int, letter func(cell int) byte) string {
	var b strings.Builder
	b.Grow(rows * (columns + 1))
	for cell := range rows * columns {
		if cell > 0 && cell%columns == 0 {
			b.WriteByte('/')
		}
		b.WriteByte(letter(cell))
	}
	return b.String()
}

// ParseCells reads the output of FormatCells, and calls set with the index of each cell's
// character in letters.
func ParseCells(text string, rows, columns int, letters string, set func(cell, letter int)) error {
	cells := strings.ReplaceAll(text, "/", "")
	wrong := func(r rune) bool { return !strings.ContainsRune(letters, r) }
	if len(cells) != rows*columns || FormatCells(rows, columns, func(cell int) byte { return cells[cell] }) != text || strings.ContainsFunc(cells, wrong) {
		return fmt.Errorf("%q has not %d rows of %d characters out of %q, separated by slashes", text, rows, columns, letters)
	}
	for cell := range len(cells) {
		set(cell, strings.IndexByte(letters, cells[cell]))
	}
	return nil
}

// FormatMasks writes the cells of two masks as rows of X and O; bit 0 is the first cell.
func FormatMasks(x, o uint64, rows, columns int) string {
	return FormatCells(rows, columns, func(cell int) byte { return ".XO"[x>>cell&1+2*(o>>cell&1)] })
}

// ParseMasks reads the output of FormatMasks.
func ParseMasks(text string, rows, columns int) (x, o uint64, err error) {
	err = ParseCells(text, rows, columns, ".XO", func(cell, letter int) {
		x, o = x|Bit(letter == 1, cell), o|Bit(letter == 2, cell)
	})
	return x, o, err
}

// longestRow is how many columns have letters.
const longestRow = 26

// splitRows splits the text of a position into its rows and the rest.
func splitRows(text string) (rows, rest string) {
	if i := strings.IndexAny(text, "+ "); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// columns returns the number of cells in each row of a text that FormatCells writes, which a plus
// sign or a space may end; it is 0 if the text has another form or only one row.
func columns(text string) int {
	board, _ := splitRows(text)
	rows := strings.Split(board, "/")
	for _, row := range rows {
		if len(rows) < 2 || len(row) != len(rows[0]) {
			return 0
		}
	}
	return len(rows[0])
}

// MoveNames returns the names of the moves from a position to those after it. If the game is not
// a MoveNamer, or its name is "", and its positions are rows of cells, a name is the cells that
// the move empties and fills, as a2 or a1b2, and then the cells of captured men, or pass: columns
// are letters, and rows are counted from the bottom, unless Board.Order names the cells. If moves
// differ only in the piece, their names end with it, as b2=C. Otherwise the name is the text of
// the position.
func MoveNames[S comparable](g Game[S], from S, after []S) []string {
	return moveNames(g, from, after, boardOf(g), func(text string) string { return text })
}

// moveNames is MoveNames for texts as a particular player sees them.
func moveNames[S comparable](g Game[S], from S, after []S, b *Board, seen func(string) string) []string {
	names, pieces, count := make([]string, len(after)), make([]string, len(after)), map[string]int{}
	namer, named := g.(MoveNamer[S])
	if b == nil {
		b = new(Board)
	}
	other, before := otherView(g), seen(g.Format(from))
	for i, to := range after {
		if named {
			names[i] = namer.MoveName(from, to)
		}
		if names[i] != "" {
			continue
		}
		text := g.Format(to)
		if other != nil {
			text = other(text)
		}
		names[i], pieces[i] = changes(before, seen(text), b)
		count[names[i]]++
	}
	alike := maps.Clone(count)
	for i, name := range names {
		if alike[name] > 1 && pieces[i] != "" {
			names[i] += "=" + pieces[i]
			count[name]--
			count[names[i]]++
		}
	}
	for i, to := range after {
		if names[i] == "" || count[names[i]] > 1 {
			names[i] = strings.ReplaceAll(g.Format(to), " ", "+")
		}
	}
	return names
}

// otherView returns a function that writes the text of a position as the other player sees it, or
// nil if both see the same.
func otherView(g any) func(text string) string {
	if turned, ok := g.(Turned); ok {
		return turned.Turned
	}
	if r, ok := g.(Relative); ok && r.Relative() {
		return exchange
	}
	return nil
}

func exchange(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case 'X':
			return 'O'
		case 'O':
			return 'X'
		}
		return r
	}, text)
}

// changes names a move between two texts, and the piece that it places; it is "" if these are not
// rows of cells.
func changes(from, to string, b *Board) (name, piece string) {
	n := columns(from)
	if n == 0 || b.Shape.Heaps > 0 || n > longestRow || columns(to) != n {
		return "", ""
	}
	before, after := rowCells(from), rowCells(to)
	if len(before) != len(after) {
		return "", ""
	}
	mover, onto := byte(0), false // a piece may take another by moving to its cell
	for i := range after {
		if before[i] != after[i] && after[i] != '.' && (mover == 0 || onto && before[i] == '.') {
			mover, onto = after[i], before[i] != '.'
		}
	}
	var left, filled, taken string
	for i := range before {
		if before[i] == after[i] {
			continue
		}
		at := fmt.Sprintf("%c%d", 'a'+i%n, (len(before)-i-1)/n+1)
		if len(b.Order) == len(before) {
			at = b.Order[i]
		}
		switch {
		case after[i] == '.' && (mover == 0 || sameSide(before[i], mover)):
			left += at
		case after[i] == '.':
			taken += at
		case before[i] == '.' || onto:
			filled += at
		}
	}
	if left == "" && mover != 0 {
		piece = string(mover)
	}
	return cmp.Or(left+filled+taken, game.PassText), piece
}

// sameSide reports whether two pieces belong to one player: X, O, or letters of the same case.
func sameSide(a, b byte) bool {
	const players = "XO"
	return a == b || strings.IndexByte(players, a)+strings.IndexByte(players, b) == -2 && a&0x20 == b&0x20
}

func rowCells(text string) string {
	board, _ := splitRows(text)
	return strings.ReplaceAll(board, "/", "")
}
