package server

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
)

// The list has every game whose boards are of a kind that is named, with all of them, as
// the rules describe them.
func TestListGames(t *testing.T) {
	s := start(t, nil)
	var list api.GameList
	if err := json.Unmarshal([]byte(s.want(http.StatusOK, "/v1/games").body), &list); err != nil {
		t.Fatal(err)
	}
	var drawn []game.Game
	for _, g := range games.All() {
		if g.New(g.MinSize).Info().Board != "" {
			drawn = append(drawn, g)
		}
	}
	if len(list.Games) != len(drawn) {
		t.Fatalf("%d games, want %d", len(list.Games), len(drawn))
	}
	for i, g := range drawn {
		got := list.Games[i]
		if got.Name != g.Name || got.Title != g.Title || !maps.Equal(api.Or(got.Titles, nil), g.Titles) || got.Summary != g.Summary || len(got.Boards) != len(g.Sizes()) {
			t.Errorf("%s is described as %+v", g.Name, got)
		}
		for _, b := range got.Boards {
			r, err := games.New(g.Name, int(b.Size))
			if err != nil {
				t.Fatal(err)
			}
			info := r.Info()
			if b.Variant != info.Variant || b.Start != r.Format(r.Start()) || b.Example != r.Example() {
				t.Errorf("%v is described as %+v", info, b)
			}
			kind, line := string(api.Or(got.MoveKind, "")), string(api.Or(got.CompleteLine, ""))
			if known := board(t, g.Name, int(b.Size)).Strategy(); known == nil && (b.Source != nil || b.HasSteps != nil) ||
				known != nil && (api.Or(b.Source, "") != api.Source(known.Source) || api.Or(b.HasSteps, !known.HasSteps()) != known.HasSteps()) {
				t.Errorf("%v is described as %+v, and answered by %v", info, b, known)
			}
			if string(api.Or(got.Board, "")) != string(info.Board) {
				t.Errorf("%v has a board of the kind %q, but its game is described as %+v", info, info.Board, got)
			}
			if got.Marks != info.Marks || got.MoveForm != info.MoveForm || kind != string(info.MoveKind) || line != string(info.CompleteLine) ||
				string(api.Or(got.LastMove, "")) != string(info.LastMove) || string(api.Or(got.Symmetries, "")) != string(info.Symmetries) {
				t.Errorf("%v has %+v, but its game is described as %+v", info, info, got)
			}
		}
	}
	s.want(http.StatusBadRequest, "/v1/games?size=3", "takes no parameters")
	s.want(http.StatusOK, "/v1/games", `"jobs":false}`)
	start(t, func(o *Options) { o.Jobs = queueOf(t) }).want(http.StatusOK, "/v1/games", `"jobs":true}`)
}

// board returns a board as answers see it.
func board(t *testing.T, name string, n int) *probe.Board {
	t.Helper()
	b, err := probe.NewBoard(name, n, "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What tells games apart for those who draw them.
func TestGamesAreToldApart(t *testing.T) {
	s := start(t, nil)
	s.want(http.StatusOK, "/v1/games",
		`{"board":"grid","boards":[{"example":".","size":1,"start":".","variant":"1x1"}`,
		`{"board":"heaps","boards":[{"example":"1","has_steps":true,"size":1,"source":"formula","start":"1","variant":"1"},{"example":"1/3","has_steps":true,"size":2,`,
		`{"board":"row","boards":[{"example":".","has_steps":true,"size":1,"source":"search","start":".","variant":"3x1"}`,
		`{"board":"nine","boards":[{`, `{"board":"boards","boards":[{`, `"move_kind":"enclose","name":"othello"`, `"name":"othello","summary":`, `"tables":false,"title":"Othello"`,
		`"tables":true,"title":"Quixo"`,
		`"last_move":"wins","marks":0,"move_form":"the letter of a heap and the number of counters that are taken from it","name":"nim"`,
		`"complete_line":"loses","marks":1,"move_form":"the cell that is marked","move_kind":"mark","name":"notakto","summary":"Both players mark`,
		`"complete_line":"wins","marks":2,"move_form":"the cell that is taken and the cell where it is pushed back in","move_kind":"push","name":"quixo"`)
}

// The list of games includes rules that are added later.
func TestGamesOfRules(t *testing.T) {
	s := new(Server)
	before := s.listGames()
	if again := s.listGames(); again != before {
		t.Error("the list is made again though nothing has changed")
	}
	if _, err := games.AddRules(strings.NewReader(renamed("later-1")), "later-1", ""); err != nil {
		t.Fatal(err)
	}
	if after := s.listGames(); after.tag == before.tag || !bytes.Contains(after.body, []byte(`"name":"later-1"`)) {
		t.Errorf("the list is %.200s", after.body)
	}
}
