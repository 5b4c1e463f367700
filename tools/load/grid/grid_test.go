package grid

import (
	"strings"
	"testing"
)

func TestGrids(t *testing.T) {
	rows := [][]string{{"name", "n"}, {"a longer one", "1"}}
	for name, c := range map[string]struct {
		write Writer
		want  string
	}{
		"text":     {Text, "name          n\na longer one  1\n"},
		"Markdown": {Markdown, "| name | n |\n|---|---:|\n| a longer one | 1 |\n"},
	} {
		var b strings.Builder
		if err := c.write(&b, rows); err != nil || b.String() != c.want {
			t.Errorf("%s: %q, error %v, want %q", name, b.String(), err, c.want)
		}
	}
}
