package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/server/api"
)

// ListGames answers with the games and what is known of them without a table.
func (s handlers) ListGames(w http.ResponseWriter, r *http.Request) {
	list := knownGames()
	if s.setFreshness(w, r, freshness{tag: list.tag}) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(w, http.StatusOK, jsonType, list.body)
}

// gameList is the list of games as it is sent.
type gameList struct {
	body []byte
	tag  string
}

// knownGames makes the list once, as it is the same for as long as the program runs.
// Games whose boards are of no kind that is named are not in it, as nobody could draw them.
var knownGames = sync.OnceValue(func() gameList {
	list := api.GameList{Games: []api.GameInfo{}}
	for _, g := range games.All() {
		if g.New(g.MinSize).Info().Board != "" {
			list.Games = append(list.Games, describeGame(g))
		}
	}
	body := mustMarshal(list)
	sum := sha256.Sum256(body)
	return gameList{body, tagOf(hex.EncodeToString(sum[:]))}
})

// describeGame describes a game and its boards. But for size and variant, the boards
// of a game have the same Info.
func describeGame(g game.Game) api.GameInfo {
	info := g.New(g.MinSize).Info()
	d := api.GameInfo{Name: g.Name, Title: g.Title, Summary: g.Summary, Marks: info.Marks, MoveForm: info.MoveForm, Tables: partition.HasTables(g.Name)}
	if len(g.Titles) > 0 {
		d.Titles = &g.Titles
	}
	if board := api.GameInfoBoard(info.Board); board != "" {
		d.Board = &board
	}
	if kind := api.GameInfoMoveKind(info.MoveKind); kind != "" {
		d.MoveKind = &kind
	}
	if line := api.GameInfoCompleteLine(info.CompleteLine); line != "" {
		d.CompleteLine = &line
	}
	if last := api.GameInfoLastMove(info.LastMove); last != "" {
		d.LastMove = &last
	}
	if group := api.GameInfoSymmetries(info.Symmetries); group != "" {
		d.Symmetries = &group
	}
	for _, n := range g.Sizes() {
		d.Boards = append(d.Boards, describeBoard(g.New(n)))
	}
	return d
}

// describeBoard describes a board, and says who answers for it instead of a table.
func describeBoard(r game.Rules) api.BoardInfo {
	info := r.Info()
	d := api.BoardInfo{Size: info.Size, Variant: info.Variant, Start: r.Format(r.Start()), Example: r.Example()}
	if board, err := probe.NewBoard(info.Name, info.Size, ""); err == nil && board.Strategy() != nil {
		source, steps := api.Source(board.Strategy().Source), board.Strategy().HasSteps()
		d.Source, d.HasSteps = &source, &steps
	}
	return d
}
