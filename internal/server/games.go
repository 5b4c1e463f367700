package server

import (
	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
	"backsolve/partition"
)

// gameList is the response for a version of the list of games.
type gameList struct {
	version int
	body    []byte
	tag     string
}

func (s *Server) listGames() *gameList {
	version := games.Version()
	if list := s.games.Load(); list != nil && list.version == version {
		return list
	}
	body := mustMarshal(api.GameList{Games: knownGames(), Jobs: s.jobs != nil})
	list := &gameList{version, body, tagOfBody(body)}
	s.games.Store(list)
	return list
}

// knownGames leaves out games that no client could draw, as their kind of board has no name, and
// those whose rules turn out to be wrong.
func knownGames() []api.GameInfo {
	list := []api.GameInfo{}
	for _, g := range games.All() {
		if d, err := describeGame(g); err == nil && d.Board != nil {
			list = append(list, d)
		}
	}
	return list
}

// describeGame describes a game and its boards, whose Info differs only in size and variant.
func describeGame(g game.Game) (d api.GameInfo, err error) {
	defer custom.Catch(&err)
	rules := g.New(g.MinSize)
	info := rules.Info()
	listed, byPositions := rules.(custom.Listed)
	d = api.GameInfo{
		Name: g.Name, Title: g.Title, Summary: g.Summary, Marks: info.Marks, MoveForm: info.MoveForm, Tables: partition.HasTables(g.Name) || byPositions,
		Board: orNil(api.GameInfoBoard(info.Board)), MoveKind: orNil(api.GameInfoMoveKind(info.MoveKind)), CompleteLine: orNil(api.GameInfoCompleteLine(info.CompleteLine)),
		LastMove: orNil(api.GameInfoLastMove(info.LastMove)), Symmetries: orNil(api.GameInfoSymmetries(info.Symmetries)),
	}
	if len(g.Titles) > 0 {
		d.Titles = &g.Titles
	}
	if byPositions {
		d.Layout = listed.Board()
	}
	for _, n := range g.Sizes() {
		d.Boards = append(d.Boards, describeBoard(g.New(n)))
	}
	return d, nil
}

// orNil returns nil for a property that a game leaves open.
func orNil[T ~string](word T) *T {
	if word == "" {
		return nil
	}
	return &word
}

func describeBoard(r game.Rules) api.BoardInfo {
	info := r.Info()
	d := api.BoardInfo{Size: game.Size(info.Size), Variant: info.Variant, Start: r.Format(r.Start()), Example: r.Example()}
	if board, err := probe.NewBoard(info.Name, info.Size, ""); err == nil && board.Strategy() != nil {
		source, steps := api.Source(board.Strategy().Source), board.Strategy().HasSteps()
		d.Source, d.HasSteps = &source, &steps
	}
	return d
}
