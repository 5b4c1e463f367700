package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/connect4"
	"backsolve/game/holestest"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/retro/generic"
)

// decode reads the JSON of an address into v.
func (s *site) decode(path string, v any) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.want(http.StatusOK, path).body), v); err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
}

func TestUWAPILists(t *testing.T) {
	s := start(t, nil)
	for _, slash := range []string{"", "/"} {
		if got, want := s.want(http.StatusOK, "/uwapi"+slash).body, `[{"id":"notakto","name":"Notakto","type":"twoPlayer","gui":"v2"},`+
			`{"id":"quixo","name":"Quixo","type":"twoPlayer","gui":"v2"},{"id":"tictactoe","name":"Tic-tac-toe","type":"twoPlayer","gui":"v2"}]`+"\n"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if got, want := s.want(http.StatusOK, "/uwapi/notakto"+slash).body, `{"id":"notakto","name":"Notakto","allowCustomVariantCreation":false,`+
			`"supportsWinBy":false,"variants":[{"id":"3x3","name":"3×3","gui":"v2"},{"id":"4x4","name":"4×4","gui":"v2"},`+
			`{"id":"4x4-after-a1","name":"4×4 after a1","gui":"v2"}]}`+"\n"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		s.want(http.StatusOK, "/uwapi/quixo/2x2"+slash, `{"id":"2x2","name":"2×2","gui":"v2","startPosition":"../.. x",`+
			`"autoguiStartPosition":"1_----","imageAutoGUIData":{"defaultTheme":"basic"`, `"centers":[[0.5,0.5],[1.5,0.5],[0.5,1.5],[1.5,1.5]]`)
		s.want(http.StatusOK, "/uwapi/notakto/4x4-after-a1"+slash, `"startPosition":"..../..../..../X...","autoguiStartPosition":"2_------------X---"`)
		s.want(http.StatusOK, "/uwapi/quixo/2x2/instructions"+slash, `{"instructions":"# Quixo\n\n`)
		s.want(http.StatusNotFound, "/uwapi/go"+slash, `"error":`)
	}
}

func TestUWAPIRefusals(t *testing.T) {
	s := start(t, nil)
	for path, want := range map[string]int{
		"/uwapi/quixo/4x4/":                                            404,
		"/uwapi/quixo/2x3/":                                            404,
		"/uwapi/quixo/02x02/":                                          404,
		"/uwapi/quixo/two/":                                            404,
		"/uwapi/notakto/8x8/":                                          404,
		"/uwapi/quixo/2x2-after-a1/":                                   404,
		"/uwapi/notakto/4x4-after-z9/":                                 404,
		"/uwapi/notakto/4x4-after-b1/":                                 404,
		"/uwapi/quixo/2x2/positions/":                                  400,
		"/uwapi/quixo/2x2/positions/?p=nonsense":                       400,
		"/uwapi/notakto/4x4-after-a1/positions/?p=..../..../..../....": 400,
	} {
		s.want(want, path, `"error":`)
	}
}

// uwapiTwin is what a position's answer should be, from lookups of it and of the
// positions after its moves, which the rules give. Of the words, the API's README
// (github.com/GamesCrafters/GamesCraftersUWAPI, "positions") says: "one of win, tie, draw, lose";
// "if the position is a draw …, then we use -200 to signify an infinite remoteness. If we have a
// non-draw position but its remoteness is unknown …, then we use the code -100". GamesmanJava's
// Value.java: DRAW is "neither player can force a win nor end the game", TIE is "neither player
// can force a win, but it is possible to end the game". Marks fill a board, so Tic-tac-toe ties.
func uwapiTwin(t testing.TB, table *probe.Table, text string) (value string, steps int, moves map[string]string) {
	t.Helper()
	rules := table.Rules()
	p, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	look := func(p game.Position) (string, int) {
		v, err := table.Value(p)
		if err != nil {
			t.Fatal(err)
		}
		word, steps := v.Outcome.String(), v.Steps
		_, over := rules.Terminal(p)
		if word == "draw" && (over || rules.Info().Name != "quixo") {
			word = "tie"
		}
		if over {
			return word, 0
		}
		switch {
		case word == "draw":
			steps = -200
		case word == "tie", !table.HasSteps():
			steps = -100
		}
		return word, steps
	}
	moves = map[string]string{}
	for _, m := range rules.Moves(nil, p) {
		child := rules.Play(p, m)
		value, steps := look(child)
		moves[rules.FormatMove(m)] = fmt.Sprint(rules.Format(child), " ", value, steps)
	}
	if value, steps = look(p); value == "draw" && slices.ContainsFunc(slices.Collect(maps.Values(moves)), func(m string) bool { return strings.HasSuffix(m, "tie0") }) {
		value, steps = "tie", 1
	}
	return value, steps, moves
}

// Every position's answer says what lookups say, and its moves are in order.
func TestUWAPIPositions(t *testing.T) {
	s := start(t, nil)
	for variant, table := range map[string]*probe.Table{
		"quixo/2x2": open(t, "quixo", 2), "notakto/3x3": open(t, "notakto", 3),
	} {
		for _, text := range everyPosition(table.Rules()) {
			s.checkUWAPI(variant, table, text)
		}
	}
	s.want(http.StatusOK, "/uwapi/tictactoe/3x3/positions/?p=XOX/XOO/OXX+o", `"positionValue":"tie","remoteness":0,"moves":[]`)
	s.want(http.StatusOK, "/uwapi/tictactoe/3x3/positions/?p=.../.../...+x", `"positionValue":"tie","remoteness":-100,`)
	drawn := open(t, "tictactoe", 3)
	for _, text := range everyPosition(drawn.Rules())[36_000:36_100] { // nearly full boards
		s.checkUWAPI("tictactoe/3x3", drawn, text)
	}
	table := open(t, "notakto", 4) // without steps
	for _, text := range everyPosition(table.Rules())[10_000:10_100] {
		s.checkUWAPI("notakto/4x4", table, text)
	}
}

// In a game that must end, even one of your own, draws are ties; endless play is a draw. Quixo has both if
// lines of both players draw.
func TestUWAPIDraws(t *testing.T) {
	four, err := connect4.New(4, 4, true)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, l := range []custom.Listed{custom.List(four), custom.List(holestest.Game{})} {
		if err := generic.Make(t.Context(), filepath.Join(dir, l.Info().Name+".tb"), "", l.Numbers(), generic.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	boards := []int{int(game.Sized(2, 4, 0, 0)), int(game.Sized(2, 4, 0, bitboard.BothDraw))}
	for _, n := range boards {
		probetest.Solve(t, dir, probetest.Rules(t, "quixo", n), 0, true)
	}
	s := startDir(t, dir, nil)
	s.want(http.StatusOK, "/uwapi/connect4-4x4/1x1/positions?p="+url.QueryEscape(four.Format(four.Start())), `"positionValue":"tie","remoteness":-100,`, `"moveValue":"tie"`)
	s.want(http.StatusOK, "/uwapi/nine-holes/1x1/positions?p=.../.../...", `"positionValue":"draw","remoteness":-200,`, `"moveValue":"draw"`)
	for _, n := range boards {
		rules := probetest.Rules(t, "quixo", n)
		table, err := probe.Open(dir, rules)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		draws := 0
		for _, text := range everyPosition(rules) {
			p, err := rules.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := table.Value(p); err == nil && v.Outcome == game.Draw && draws < 60 {
				s.checkUWAPI("quixo/"+game.Size(n).Board(), table, text)
				draws++
			}
		}
		if draws == 0 {
			t.Errorf("%v has no draws", rules.Info())
		}
	}
}

func (s *site) checkUWAPI(variant string, table *probe.Table, text string) {
	s.t.Helper()
	var got uwapiAnswer
	s.decode("/uwapi/"+variant+"/positions/?p="+url.QueryEscape(text), &got)
	value, steps, moves := uwapiTwin(s.t, table, text)
	if got.Position != text || got.Value != value || got.Remoteness != steps || len(got.Moves) != len(moves) {
		s.t.Fatalf("%s: %+v, want %s in %d with moves %v", text, got, value, steps, moves)
	}
	best := map[string]int{}
	for i, m := range got.Moves {
		if fmt.Sprint(m.Position, " ", m.uwapiPosition.Value, m.Remoteness) != moves[m.Move] {
			s.t.Errorf("%s: %+v, want %s", text, m, moves[m.Move])
		}
		flipped := map[string]string{"win": "lose", "lose": "win", "tie": "tie", "draw": "draw"}[m.uwapiPosition.Value]
		if m.Value != flipped || turnOf(m.uwapiPosition.AutoGUI) == turnOf(got.AutoGUI) {
			s.t.Errorf("%s: %+v", text, m)
		}
		if i > 0 && order(got.Moves[i-1]) > order(m) {
			s.t.Errorf("%s: %s comes before %s", text, got.Moves[i-1].Move, m.Move)
		}
		if _, known := best[m.Value]; !known {
			best[m.Value] = m.Remoteness
		}
		if delta := max(m.Remoteness-best[m.Value], best[m.Value]-m.Remoteness); m.Remoteness >= 0 && best[m.Value] >= 0 && m.Delta != delta {
			s.t.Errorf("%s: %s has the delta %d, want %d", text, m.Move, m.Delta, delta)
		}
		if m.Value == "draw" && m.Delta != 0 {
			s.t.Errorf("%s: the draw %s has the delta %d", text, m.Move, m.Delta)
		}
		checkAutoGUIMove(s.t, table.Rules(), got.AutoGUI, m)
	}
}

// order is a number that is the smaller the better a move is.
func order(m uwapiMove) int {
	return slices.Index([]string{"win", "tie", "draw", "lose"}, m.Value)*1000 + m.Delta
}

// turnOf returns the player to move of an AutoGUI position.
func turnOf(position string) byte { return position[0] }

// checkAutoGUIMove checks that what a move's text names is where the board changes.
func checkAutoGUIMove(t testing.TB, rules game.Grid, before string, m uwapiMove) {
	t.Helper()
	words := strings.Split(m.AutoGUI, "_")
	cell := func(i int) string {
		var c int
		fmt.Sscan(words[i], &c)
		return game.CellName(rules.Info().Size, c)
	}
	switch {
	case len(words) != 4 || words[3] != "x":
		t.Errorf("the move %s is %s", m.Move, m.AutoGUI)
	case rules.Info().MoveKind == game.Marks && (words[0] != "A" || words[1] != "h" || cell(2) != m.Move):
		t.Errorf("the move %s is %s", m.Move, m.AutoGUI)
	case rules.Info().MoveKind == game.Pushes && (words[0] != "M" || cell(1)+cell(2) != m.Move):
		t.Errorf("the move %s is %s", m.Move, m.AutoGUI)
	}
	if len(before) != 2+rules.Rows()*rules.Cols() || before[1] != '_' {
		t.Errorf("the position %s", before)
	}
}
