package nearest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	names := []string{"greedy", "minimax", "random", "engine"}
	for text, want := range map[string]string{
		"":                           "",
		"g":                          "greedy",
		"MINI":                       "minimax",
		"minmax":                     "minimax",
		"radnom":                     "random",
		"stockfish":                  "",
		strings.Repeat("engine", 10): "",
	} {
		if got := Name(text, names); got != want {
			t.Errorf("%q is near %q, want %q", text, got, want)
		}
	}
}

// slowDistance is the definition of the edit distance.
func slowDistance(a, b string) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return slowDistance(a[1:], b[1:])
	}
	return 1 + min(slowDistance(a[1:], b), slowDistance(a, b[1:]), slowDistance(a[1:], b[1:]))
}

func TestDistance(t *testing.T) {
	word := rapid.StringMatching("[ab c]{0,6}")
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := distance(a, b), slowDistance(a, b); got != want {
			t.Fatalf("%q and %q are %d apart, want %d", a, b, got, want)
		}
	})
}
