package game

import (
	"fmt"
	"strconv"
	"strings"
)

// Diagram draws the board of p for people, in plain ASCII: a line for each row
// with its number in front, and a last one with the letters of the columns.
func Diagram(r Rules, p Position) string { return diagram(r.Size(), p.mark) }

// diagram draws an n×n board with the given letter in each cell.
func diagram(n int, letter func(cell int) byte) string {
	width := len(strconv.Itoa(n))
	var b strings.Builder
	for row := range n {
		fmt.Fprintf(&b, "%*d ", width, n-row)
		for col := range n {
			b.WriteByte(' ')
			b.WriteByte(letter(row*n + col))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%*s ", width, "")
	for col := range n {
		b.WriteByte(' ')
		b.WriteByte('a' + byte(col))
	}
	b.WriteByte('\n')
	return b.String()
}
