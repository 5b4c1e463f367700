package games

import (
	"strconv"
	"strings"
	"testing"
)

// Every board is named by its size and by its variant, several boards of a game by that
// game's name.
func TestNamed(t *testing.T) {
	for _, g := range All() {
		for _, n := range g.Sizes() {
			variant := g.New(n).Info().Variant
			words := []string{g.Name + ":" + strconv.Itoa(n)}
			if _, err := strconv.Atoi(variant); err != nil { // else it may be another board's size
				words = append(words, g.Name+":"+variant)
			}
			if g.Several != "" && n > 1 {
				words = append(words, g.Several+":"+variant)
			}
			for _, word := range words {
				if name, size, ok, err := Named(word); name != g.Name || size != n || !ok || err != nil {
					t.Errorf("%s names %s %d, %t, %v", word, name, size, ok, err)
				}
			}
		}
	}
	for word, want := range map[string]string{"notakto:3": "notakto 3", "quixo:4": "quixo 4", "notakto:3+3+3": "notakto-boards 3", "notakto-boards:2": "notakto-boards 2"} {
		name, size, ok, err := Named(word)
		if r, wrong := New(name, size); !ok || err != nil || wrong != nil || r.Info().Name != strings.Fields(want)[0] || size != int(want[len(want)-1]-'0') {
			t.Errorf("%s names %s %d, %v, want %s", word, name, size, err, want)
		}
	}
	for _, word := range []string{"", "quixo", "notakto-boards", "3+3"} {
		if name, n, ok, err := Named(word); name != "" || n != 0 || ok || err != nil {
			t.Errorf("%q names %s %d, %t, %v", word, name, n, ok, err)
		}
	}
}

func TestNamedUnknown(t *testing.T) {
	const several = "; several boards, from 1 to 8 of them, are named notakto:3+3, notakto:3+3+3 and so on; other boards, up to 4 from 1×1 to 4×4, as in 3+4+4"
	for word, want := range map[string]string{
		"chess:8":                            `there is no game "chess"; ` + knownGames(),
		"quixo:":                             `there is no quixo board ""; sizes go from 2 to 8, as in quixo:4`,
		"quixo:4+4":                          `there is no quixo board "4+4"; sizes go from 2 to 8, as in quixo:4`,
		"notakto:4+5":                        `there is no notakto board "4+5"; sizes go from 1 to 24, as in notakto:3` + several,
		"notakto:3+4+4+4+4":                  `there is no notakto board "3+4+4+4+4"; sizes go from 1 to 24, as in notakto:3` + several,
		"notakto:25":                         `there is no notakto board "25"; sizes go from 1 to 24, as in notakto:3` + several,
		"uttt:3":                             `there is no uttt board "3"; its size is 9, as in uttt:9`,
		"notakto:" + strings.Repeat("3", 99): `there is no notakto board "` + strings.Repeat("3", 20) + `"; sizes go from 1 to 24, as in notakto:3` + several,
	} {
		if _, _, ok, err := Named(word); !ok || err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", word, err, want)
		}
	}
}

// FuzzNamed accepts a word that names a board, or an error of one line.
func FuzzNamed(f *testing.F) {
	for _, word := range []string{"notakto:3+3+3", "quixo:4x4", "nim:1-3-5", "quixo", ":", "notakto:+", "notakto:\xff", "quixo:04"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		name, n, ok, err := Named(word)
		if ok != strings.Contains(word, ":") {
			t.Fatalf("%q: %t", word, ok)
		}
		switch {
		case err != nil:
			if len(err.Error()) > 600 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: the message is %q", word, err)
			}
		case ok:
			if _, err := New(name, n); err != nil {
				t.Errorf("%q names %s %d: %v", word, name, n, err)
			}
		}
	})
}
