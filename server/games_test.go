package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"backsolve/game/games"
	"backsolve/server/api"
)

// The list has every game with all its boards, as the rules describe them.
func TestListGames(t *testing.T) {
	s := start(t, nil)
	var list api.GameList
	if err := json.Unmarshal([]byte(s.want(http.StatusOK, "/v1/games").body), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Games) != len(games.All()) {
		t.Fatalf("%d games, want %d", len(list.Games), len(games.All()))
	}
	for i, g := range games.All() {
		got := list.Games[i]
		if got.Name != g.Name || got.Title != g.Title || got.Summary != g.Summary || len(got.Boards) != g.MaxSize-g.MinSize+1 {
			t.Errorf("%s is described as %+v", g.Name, got)
		}
		for _, b := range got.Boards {
			r, err := games.New(g.Name, b.Size)
			if err != nil {
				t.Fatal(err)
			}
			info := r.Info()
			if b.Variant != info.Variant || b.Start != r.Format(r.Start()) || b.Example != r.Example() {
				t.Errorf("%v is described as %+v", info, b)
			}
			kind, line := string(or(got.MoveKind, "")), string(or(got.CompleteLine, ""))
			if got.Marks != info.Marks || got.MoveForm != info.MoveForm || kind != string(info.MoveKind) || line != string(info.CompleteLine) ||
				string(or(got.Symmetries, "")) != string(info.Symmetries) {
				t.Errorf("%v has %+v, but its game is described as %+v", info, info, got)
			}
		}
	}
	s.want(http.StatusBadRequest, "/v1/games?size=3", "takes no parameters")
}

// What tells games apart for those who draw them.
func TestGamesAreToldApart(t *testing.T) {
	s := start(t, nil)
	s.want(http.StatusOK, "/v1/games",
		`{"boards":[{"example":".","size":1,"start":".","variant":"1x1"}`,
		`"complete_line":"loses","marks":1,"move_form":"the cell that is marked","move_kind":"mark","name":"notakto","summary":"Both players mark`,
		`"complete_line":"wins","marks":2,"move_form":"the cell that is taken and the cell where it is pushed back in","move_kind":"push","name":"quixo"`)
}
