package main

import "fmt"

// views are all that the page can show, by their names.
var views = []struct {
	name, fragment string
	prepare        string // what is clicked before, as a CSS selector; "" where nothing is
}{
	{"tables", "", ""},
	{"analysis", "#notakto/4?moves=a1.b2.c3.d1", "main-line summary"},
	{"analysis-of-pushes", "#quixo/4?p=XXOO/O.XO/O..X/XXO._x&moves=d1d4.a2a1", "main-line summary"},
	{"tile-taken", "#quixo/4", cell("a1")},
	{"game", "#quixo/4?mode=play&moves=a1a4.d4a4", ""},
	{"game-with-values", "#tictactoe/3?mode=play&values=1&policy=optimal&blunder=0.2", ""},
	{"two-people", "#quixo/4?mode=play&you=both&moves=a1a4", "opponent-panel .buttons button:nth-child(3)"},
	{"game-over", "#notakto/3?mode=play&you=both&moves=a1.b2.c3", ""},
	{"drawn-game-over", "#tictactoe/3?moves=b2.a3.b3.b1.c2.a2.a1.c3.c1", ""},
	{"draw-offered", "#quixo/4?mode=play&you=both&p=..OX/.O.O/X..O/O.XX_x&moves=a2a1.a2a1", ""},
	{"set-up", "#quixo/4?mode=edit&p=X.../..../..../...O_o", ""},
	{"statistics", "#quixo/4?mode=statistics", ""},
	{"heaps", "#nim/5?moves=e2", ""},
	{"heaps-set-up", "#nim/4?mode=edit&p=1/3/15/7", ""},
	{"files", "#dawson-normal/9?moves=b", ""},
	{"many-files", "#dawson/24?mode=play&moves=h.n", ""},
	{"several-boards", "#notakto-boards/3?p=XXX/.../...%2BX../.X./...%2B.../.../...", ""},
	{"nine-boards", "#uttt/9?p=XXX..O.../...O...../.....O.../.X......./O..OOO.../....X..../......X../.X......./........X_o_b1", ""},
	{"nine-boards-game", "#uttt/9?mode=play&you=both&moves=e5.d4.b1", ""},
	{"discs", "#othello/6?moves=d5.c5", ""},
	{"pass", "#othello/4?p=OX../..../..../...._x", ""},
	{"heaps-over", "#nim/2?moves=b2.a1.b1", ""},
	{"rows", "#hounds/1?moves=a2b2", "main-line summary"},
	{"drawing", "#morris-3/1?mode=play&you=both&moves=a2.b2", ""},
	{"wrong-link", "#notakto/3?foo=1&mode=win", ""},
	{"help", "#notakto/3", "#open-help"},
}

// viewShots are pictures of all views on a desktop and on a phone, light and dark, in a
// language.
func viewShots(language string) (all []shot) {
	for _, v := range views {
		for _, scheme := range []string{"light", "dark"} {
			for _, phone := range []bool{false, true} {
				s := shot{name: fmt.Sprintf("%s-desktop-%s", v.name, scheme), width: 1180, height: 1000, scheme: scheme, language: language, fragment: v.fragment, whole: true}
				if phone {
					s.name, s.width, s.height, s.phone = fmt.Sprintf("%s-phone-%s", v.name, scheme), 360, 740, true
				}
				if v.prepare != "" {
					s.prepare = []string{v.prepare}
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// cell selects a cell of the board.
func cell(name string) string { return fmt.Sprintf(`[data-cell=%q]`, name) }
