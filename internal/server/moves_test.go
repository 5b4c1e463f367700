package server

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/server/api"
)

// legal asks for the legal moves of a position.
func (s *site) legal(path string) (l api.LegalMoves) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.want(http.StatusOK, path).body), &l); err != nil {
		s.t.Fatal(err)
	}
	return l
}

// The known moves are those of the position's answer, in its order.
func TestMovesThatAreKnown(t *testing.T) {
	s := start(t, nil)
	for board, position := range map[string]string{
		"quixo/3": "X../.../..O", "notakto/3": "XX./.../.X.", "nim/3": "1/3/5+o", "dawson/7": ".......", "notakto-boards/2": ".../.X./...%2B.../.../...",
		"tictactoe/3": "XXX/OO./...+o", "nim/2": "0/0",
	} {
		var want api.Answer
		if err := json.Unmarshal([]byte(s.want(http.StatusOK, "/v1/"+board+"/position?p="+position).body), &want); err != nil {
			t.Fatal(err)
		}
		got := s.legal("/v1/" + board + "/moves?p=" + position)
		if got.Position != want.Position || api.Or(got.Outcome, "") != want.Outcome || api.Or(got.Steps, -1) != api.Or(want.Steps, -1) || got.Terminal != want.Terminal ||
			api.Or(got.Nimber, -1) != api.Or(want.Nimber, -1) || api.Or(got.Source, "") != want.Source || len(got.Moves) != len(want.Moves) {
			t.Errorf("%s: %+v, want %+v", board, got, want)
			continue
		}
		for i, m := range got.Moves {
			w := want.Moves[i]
			if m.Move != w.Move || m.Position != w.Position || api.Or(m.Outcome, "") != w.Outcome || api.Or(m.Steps, -1) != api.Or(w.Steps, -1) || api.Or(m.Nimber, -1) != api.Or(w.Nimber, -1) {
				t.Errorf("%s: %+v, want %+v", board, m, w)
			}
		}
	}
	searched := searching(t, 20*time.Second).legal("/v1/othello/4/moves?p=..../.XO./.OX./....")
	if api.Or(searched.Outcome, "") != api.Lose || api.Or(searched.Score, 0) != -10 || searched.Steps != nil || len(searched.Moves) != 4 {
		t.Errorf("%+v", searched)
	}
}

// Where nothing tells the outcome there are the moves that the rules allow; a game that is
// over has an outcome all the same.
func TestMovesThatAreNot(t *testing.T) {
	s := start(t, nil)
	for _, board := range []struct {
		name string
		n    int
	}{{"othello", 6}, {"uttt", 9}, {"quixo", 5}, {"notakto", 9}} {
		rules, err := games.New(board.name, board.n)
		if err != nil {
			t.Fatal(err)
		}
		got := s.legal("/v1/" + board.name + "/" + string(rune('0'+board.n)) + "/moves?p=" + escaped(rules.Format(rules.Start())))
		var texts []string
		for _, m := range got.Moves {
			texts = append(texts, m.Move)
			if m.Outcome != nil || m.Steps != nil {
				t.Errorf("%v: %+v", rules.Info(), m)
			}
		}
		var want []string
		for _, m := range rules.Moves(nil, rules.Start()) {
			want = append(want, rules.FormatMove(m))
		}
		if got.Outcome != nil || got.Source != nil || got.Terminal || !slices.Equal(texts, want) {
			t.Errorf("%v: %+v, want the moves %v", rules.Info(), got, want)
		}
		if next := rules.Format(rules.Play(rules.Start(), mustMove(t, rules, texts[0]))); got.Moves[0].Position != next {
			t.Errorf("%v: %s leads to %s, want %s", rules.Info(), texts[0], got.Moves[0].Position, next)
		}
	}
	over := s.legal("/v1/othello/4/moves?p=XXXX/XXXX/XXXX/XXXO+o")
	if !over.Terminal || api.Or(over.Outcome, "") != api.Lose || api.Or(over.Source, "") != "rules" || len(over.Moves) != 0 {
		t.Errorf("%+v", over)
	}
	pass := s.legal("/v1/othello/4/moves?p=OX../..../..../....")
	if len(pass.Moves) != 1 || pass.Moves[0].Move != "pass" || pass.Moves[0].Position != "OX../..../..../.... o" {
		t.Errorf("%+v", pass)
	}
	s.want(http.StatusNotFound, "/v1/othello/5/moves?p=x", "there is no othello board of size 5")
	s.want(http.StatusBadRequest, "/v1/uttt/9/moves?p=x", `"column":1`)
	s.want(http.StatusBadRequest, "/v1/nim/3/moves?p=1/3/5&after=a1", "knows no such parameter")
}

// escaped is a position as it stands in an address.
func escaped(position string) string {
	b := []byte(position)
	for i, c := range b {
		if c == ' ' {
			b[i] = '+'
		}
	}
	return string(b)
}

func mustMove(t *testing.T, rules game.Rules, text string) game.Move {
	t.Helper()
	m, err := rules.ParseMove(rules.Start(), text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Playouts find a legal move, the same one with the same seed, and one that wins at once if there
// is one.
func TestPlayouts(t *testing.T) {
	s := start(t, nil)
	ask := func(path string) (p api.Playouts) {
		t.Helper()
		if err := json.Unmarshal([]byte(s.want(http.StatusOK, path).body), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	const wins = "/v1/tictactoe/3/playouts?p=XX./OO./...&seed=3&iterations=300"
	if p := ask(wins); p.Move.Move != "c3" || p.Move.Position != "XXX/OO./... o" || p.Iterations != 300 || p.Seed != 3 {
		t.Errorf("%+v", p)
	} else if e := p.Estimate; e.Mean != 1 || e.High != 1 || e.Low >= 1 || e.Low < 0.9 || e.Visits < 100 || e.Visits >= 300 {
		t.Errorf("a win at once is estimated as %+v", e)
	}
	const lost = "/v1/tictactoe/3/playouts?p=XO./OX./X..+o&seed=3&iterations=300"
	if e := ask(lost).Estimate; !(e.Mean < 0.2 && 0 <= e.Low && e.Low < e.Mean && e.Mean < e.High && e.High < 0.5) {
		t.Errorf("a lost position is estimated as %+v", e)
	}
	rules, err := games.New("uttt", 9)
	if err != nil {
		t.Fatal(err)
	}
	path := "/v1/uttt/9/playouts?p=" + escaped(rules.Example()) + "&iterations=50"
	drawn := ask(path)
	state, err := rules.Parse(drawn.Position)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.ParseMove(state, drawn.Move.Move); err != nil {
		t.Error(err)
	}
	if first, again := ask(path+"&seed=7"), ask(path+"&seed=7"); first.Move.Move != again.Move.Move {
		t.Errorf("the same seed gives %s and %s", first.Move.Move, again.Move.Move)
	}
	s.want(http.StatusBadRequest, "/v1/tictactoe/3/playouts?p=XXX/OO./...+o", "p: the game is over")
	s.want(http.StatusBadRequest, path+"0000", `"parameter":"iterations"`, "from 1 to 10000")
	s.want(http.StatusBadRequest, path+"&seed=-1", `"parameter":"seed"`)
}

// A board that is not square, and a variant, is a word in addresses and answers.
func TestWordsOfBoards(t *testing.T) {
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", int(game.Sized(2, 3, 0, bitboard.Normal))), 0, true)
	probetest.Solve(t, dir, probetest.Rules(t, "quixo", int(game.Sized(3, 2, 0, 0))), 0, false)
	s := startDir(t, dir, nil)
	s.want(http.StatusOK, "/v1/tables", `"file":"notakto-2x3,normal.tb"`, `"size":"2x3,normal"`, `"size":"3x2"`)
	s.want(http.StatusOK, "/v1/notakto/2x3,normal", `"game":"notakto"`, `"size":"2x3,normal"`)
	s.want(http.StatusOK, "/v1/notakto/2x3,normal/position?p=X../...", `"size":"2x3,normal"`, `"outcome":"win","steps":1`)
	s.want(http.StatusOK, "/v1/notakto/2x3,normal/moves?p=X../...", `"size":"2x3,normal"`)
	s.want(http.StatusOK, "/v1/quixo/3x2/position?p=../../..", `"size":"3x2"`)
	s.want(http.StatusOK, "/v1/quixo/3x2/move?p=../../..&seed=1", `"size":"3x2"`)
	s.want(http.StatusOK, "/v1/quixo/3x2/playouts?p=../../..&seed=1", `"size":"3x2"`)
	s.want(http.StatusOK, "/uwapi/notakto/2x3,normal", `"name":"2×3 normal"`, `"space":[3,2]`, `[2.5,1.5]]`)
	s.want(http.StatusNotFound, "/v1/quixo/2x3/position?p=.../...", "there is no table of quixo 2×3")
	s.want(http.StatusNotFound, "/v1/quixo/3x2,torus", "there is no quixo board of size 3x2,torus")
	s.want(http.StatusBadRequest, "/v1/quixo/3y2", `"parameter":"size"`)
}

// A board named in one word is the board of its game and size.
func TestBoardsInOneWord(t *testing.T) {
	s := start(t, nil)
	for word, same := range map[string]string{
		"quixo:3/position?p=X../.../..O":                   "quixo/3/position?p=X../.../..O",
		"notakto:3+3/position?p=.../.../...%2B.../.../...": "notakto-boards/2/position?p=.../.../...%2B.../.../...",
		"nim:1-3-5/line?p=1/3/5":                           "nim/3/line?p=1/3/5",
		"quixo:3x3":                                        "quixo/3",
		"notakto:3+3+3/move?p=.../.../...%2B.../.../...%2B.../.../...&seed=2": "notakto-boards/3/move?p=.../.../...%2B.../.../...%2B.../.../...&seed=2",
	} {
		// The description knows boards by game and size alone.
		resp, err := s.client.Get(s.url + "/v1/" + word)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := s.want(http.StatusOK, "/v1/"+same); err != nil || resp.StatusCode != want.status || string(got) != want.body {
			t.Errorf("%s: status %d, %v, %.200s, want %.200s", word, resp.StatusCode, err, got, want.body)
		}
	}
	s.want(http.StatusNotFound, "/v1/notakto:4+5/position?p=x", "there is no notakto board", "are named notakto:3+3")
	s.want(http.StatusNotFound, "/v1/chess:8/position?p=x", "there is no game")
	s.want(http.StatusNotFound, "/v1/quixo:3/4/position?p=x", "there is nothing at")
}
