package game

import "strings"

// Diagram draws the board of p for people, in plain ASCII: a line for each row
// with its number in front, and a last one with the letters of the columns.
func Diagram(r Rules, p Position) string {
	n := r.Size()
	var b strings.Builder
	for row := range n {
		b.WriteByte('1' + byte(n-1-row))
		b.WriteByte(' ')
		for col := range n {
			b.WriteByte(' ')
			b.WriteByte(p.mark(row*n + col))
		}
		b.WriteByte('\n')
	}
	b.WriteString("  ")
	for col := range n {
		b.WriteByte(' ')
		b.WriteByte('a' + byte(col))
	}
	b.WriteByte('\n')
	return b.String()
}
