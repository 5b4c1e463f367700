package custom

import (
	"fmt"
	"strings"
)

// FormatRows writes cells, each a character, as rows of a given length separated by
// slashes: "X.O/.../..X".
func FormatRows(cells []byte, columns int) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 && i%columns == 0 {
			b.WriteByte('/')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// ParseRows reads what FormatRows writes: the given rows and columns of the given characters.
func ParseRows(text string, rows, columns int, letters string) ([]byte, error) {
	cells := []byte(strings.ReplaceAll(text, "/", ""))
	wrong := func(r rune) bool { return !strings.ContainsRune(letters, r) }
	if len(cells) != rows*columns || FormatRows(cells, columns) != text || strings.ContainsFunc(string(cells), wrong) {
		return nil, fmt.Errorf("%q has not %d rows of %d characters out of %q, separated by slashes", text, rows, columns, letters)
	}
	return cells, nil
}

// FormatMasks writes the cells of two masks as rows of X and O; bit 0 is the first cell.
func FormatMasks(x, o uint64, rows, columns int) string {
	cells := make([]byte, rows*columns)
	for i := range cells {
		cells[i] = ".XO"[x>>i&1+2*(o>>i&1)]
	}
	return FormatRows(cells, columns)
}

// ParseMasks reads what FormatMasks writes.
func ParseMasks(text string, rows, columns int) (x, o uint64, err error) {
	cells, err := ParseRows(text, rows, columns, ".XO")
	for i, c := range cells {
		switch c {
		case 'X':
			x |= 1 << i
		case 'O':
			o |= 1 << i
		}
	}
	return x, o, err
}
