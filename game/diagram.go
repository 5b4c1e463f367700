package game

import (
	"fmt"
	"strconv"
	"strings"
)

// Draw draws the board for people, in plain ASCII, with the given letter in each
// cell: a line for each row with its number in front, and a last one with the
// letters of the columns.
func (b *Layout) Draw(letter func(cell int) byte) string {
	n := b.info.Size
	width := len(strconv.Itoa(n))
	var text strings.Builder
	for row := range n {
		fmt.Fprintf(&text, "%*d ", width, n-row)
		for col := range n {
			text.WriteByte(' ')
			text.WriteByte(letter(row*n + col))
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "%*s ", width, "")
	for col := range n {
		text.WriteByte(' ')
		text.WriteByte('a' + byte(col))
	}
	text.WriteByte('\n')
	return text.String()
}
