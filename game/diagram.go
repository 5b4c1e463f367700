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
	rows, cols := b.Rows(), b.Cols()
	width := len(strconv.Itoa(rows))
	var text strings.Builder
	for row := range rows {
		fmt.Fprintf(&text, "%*d ", width, rows-row)
		for col := range cols {
			text.WriteByte(' ')
			text.WriteByte(letter(row*cols + col))
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "%*s ", width, "")
	for col := range cols {
		text.WriteByte(' ')
		text.WriteByte('a' + byte(col))
	}
	text.WriteByte('\n')
	return text.String()
}
