package custom_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples"
	"backsolve/game/examples/dobutsu"
	"backsolve/game/examples/morris"
)

// englishBehind are English words in a game's name that the page leaves as they are.
var englishBehind = regexp.MustCompile(` \d.*[a-z]|,`)

// Every example describes its board, in all languages of the page.
func TestExamplesHaveBoards(t *testing.T) {
	for _, l := range examples.All() {
		b, name := l.Board(), l.Info().Name
		if b == nil {
			t.Errorf("%s has no board", name)
			continue
		}
		if b.Example != "" {
			if s, err := l.Parse(b.Example); err != nil {
				t.Errorf("%s: the example: %v", name, err)
			} else if _, over := l.Terminal(s); over {
				t.Errorf("%s: the example is over", name)
			}
		}
		for _, language := range []string{"de", "fr"} {
			texts := b.Texts[language]
			if title := l.Info().Title; texts[title] == "" && englishBehind.MatchString(title) {
				t.Errorf("%s: %q is not translated into %s", name, title, language)
			}
			for _, text := range b.Sides {
				if texts[text] == "" {
					t.Errorf("%s: %q is not translated into %s", name, text, language)
				}
			}
			for _, text := range b.Ends {
				if texts[text] == "" {
					t.Errorf("%s: %q is not translated into %s", name, text, language)
				}
			}
			known := texts["rules"] != ""
			for text := range texts {
				known = known || strings.HasPrefix(l.Info().Summary, text)
			}
			if !known {
				t.Errorf("%s: the rules are not translated into %s", name, language)
			}
		}
		again, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := custom.ParseBoard(string(again)); err != nil {
			t.Errorf("%s: %s is not read back: %v", name, again, err)
		}
	}
}

func TestParseBoard(t *testing.T) {
	for text, want := range map[string]string{
		`{"board": {"grid": [5, 3], "holes": ["a1"]}, "name": "x"}`:         "",
		`{"board": {"points": {"a1": [0, 0.5]}, "lines": [["a1", "b12"]]}}`: "",
		`{"board": {"columns": 7, "rows": 6, "drop": true}}`:                "",
		`{"board": {}, "pieces": {"X": [0, "disc"]}, "sides": ["a", "b"]}`:  "",
		`{"board": []}`:                                                  "not understood",
		`{"board": {"grid": [5]}}`:                                       "at most 26",
		`{"board": {"grid": [1000000, 1000000]}}`:                        "at most 26",
		`{"board": {"heaps": -1}}`:                                       "at most 26",
		`{"board": {"points": {"<b>": [0, 0]}}}`:                         `"<b>" is not named`,
		`{"board": {"lines": [["a1", "__proto__"]]}}`:                    "is not named",
		`{"board": {}, "sides": ["a"]}`:                                  "two sides, not 1",
		`{"board": {}, "sides": ["a", "b", "c"]}`:                        "two sides, not 3",
		`{"board": {}, "pieces": {"X": [2, "disc"]}}`:                    "no side",
		`{"board": {}, "pieces": {"X": [0.5, "disc"]}}`:                  "no side",
		`{"board": {}, "pieces": {"X": ["0", "disc"]}}`:                  "no side",
		`{"board": {}, "pieces": {"X": [0, "<script>"]}}`:                "no form",
		`{"board": {}, "order": ["` + strings.Repeat(" ", 1<<15) + `"]}`: "bytes",
	} {
		b, err := custom.ParseBoard(text)
		if want == "" && (err != nil || b == nil) || want != "" && (err == nil || b != nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.80s: %v, %v, want %q", text, b, err, want)
		}
	}
}

// wrongBoard is a game whose board cannot be read.
type wrongBoard struct{ heap }

func (wrongBoard) Board() string { return `{"board": 7}` }

func TestWrongBoard(t *testing.T) {
	if b := custom.List(wrongBoard{}).Board(); b != nil {
		t.Errorf("the board is %v", b)
	}
	if err := custom.Check(wrongBoard{}, 1, 1); err == nil || !strings.Contains(err.Error(), "not understood") {
		t.Errorf("the contract says %v", err)
	}
}

// play plays moves from the start and returns the position.
func play(t *testing.T, l custom.Listed, moves string) game.State {
	t.Helper()
	s := l.Start()
	for _, text := range strings.Fields(moves) {
		m, err := l.ParseMove(s, text)
		if err != nil {
			t.Fatal(err)
		}
		s = l.Play(s, m)
	}
	return s
}

// Both players see the board from the same side, and a piece dropped from the hand is named by its letter.
func TestTurned(t *testing.T) {
	l := custom.List(dobutsu.Game{})
	for moves, want := range map[string]string{
		"":          "gle/.c./.C./ELG+",
		"b2b3":      "gle/.C./.../ELG+C o",
		"b2b3 b4b3": "g.e/.l./.../ELG+Cc",
	} {
		s := play(t, l, moves)
		if got := l.Format(s); got != want {
			t.Errorf("%q leads to %s, want %s", moves, got, want)
		}
		if back, err := l.Parse(want); err != nil || back != s {
			t.Errorf("%s is read as %v: %v", want, back, err)
		}
	}
	s, err := l.Parse(".l./.../.../.L.+Cgc o")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range l.Moves(nil, s) {
		names = append(names, game.MoveText(l, s, m))
	}
	if all := strings.Join(names, " "); !strings.Contains(all, "a1=c a1=g") || !strings.Contains(all, "b4a4") {
		t.Errorf("the moves are %s", all)
	}
	if s, err := l.Parse(".../.../.../...+"); err != nil || l.End(s) != "The lion has been taken." {
		t.Errorf("the end is %q, %v", l.End(s), err)
	}
}

func TestEnd(t *testing.T) {
	l := custom.List(morris.Game{Men: 3})
	s, err := l.Parse("XX....../OOO.....+6")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.End(s); got != "The loser has only two men left." {
		t.Errorf("the end is %q", got)
	}
}
