package token

import (
	"strings"
	"testing"
)

// A token file has one token per line. Its errors do not repeat a token.
func TestParse(t *testing.T) {
	for _, file := range []string{"", "\n\n", "*", "abc* solves", "abc* solve twice", "* solve\nabc*"} {
		if _, err := Parse(file); err == nil || strings.Contains(err.Error(), "abc*") {
			t.Errorf("%q: %v", file, err)
		}
	}
	if _, err := Parse("a\n\r\n  b\tsolve \r\n*\n"); err != nil {
		t.Error(err)
	}
}
