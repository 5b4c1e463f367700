package server

import (
	"net/http"

	"backsolve/internal/server/api"
)

// handlers implements the operations of the API, which api.ServerInterface describes.
type handlers struct{ *Server }

var _ api.ServerInterface = handlers{}

func (s handlers) GetPosition(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetPositionParams) {
	failIf(w, s.position(w, r, game, int(size), params))
}

func (s handlers) GetLine(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetLineParams) {
	failIf(w, s.line(w, r, game, int(size), params))
}

// PostPositions checks a body of known length first; a chunked one is answered while it arrives.
func (s handlers) PostPositions(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.PostPositionsParams) {
	failIf(w, s.positions(w, r, game, int(size), params))
}

func (s handlers) ListGames(w http.ResponseWriter, r *http.Request) {
	list := s.listGames()
	s.send(w, r, freshness{tag: list.tag}, jsonType, list.body)
}

func (s handlers) GetMoves(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetMovesParams) {
	failIf(w, s.moves(w, r, game, int(size), params.P))
}

func (s handlers) GetPlayouts(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetPlayoutsParams) {
	failIf(w, s.playouts(w, r, game, int(size), params))
}

func (s handlers) ListOpponents(w http.ResponseWriter, r *http.Request) {
	list := mustMarshal(s.opponents.list())
	s.send(w, r, freshness{tag: tagOfBody(list)}, jsonType, list)
}

func (s handlers) GetReply(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetReplyParams) {
	failIf(w, s.reply(w, r, game, int(size), params))
}

func (s handlers) GetMove(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetMoveParams) {
	failIf(w, s.move(w, r, game, int(size), params))
}

func (s handlers) GetRandom(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetRandomParams) {
	failIf(w, s.random(w, r, game, int(size), params))
}

func (s handlers) ListTables(w http.ResponseWriter, r *http.Request) {
	if err := s.catalog.Err(); err != nil {
		fail(w, err)
		return
	}
	list := s.catalog.List()
	answer := api.TableList{Tables: make([]api.TableEntry, len(list.Tables))}
	for i := range list.Tables {
		answer.Tables[i] = entryOf(&list.Tables[i])
	}
	s.sendJSON(w, r, freshness{tag: tagOf(list.Version)}, answer)
}

func (s handlers) GetTable(w http.ResponseWriter, r *http.Request, game string, size api.Size, params api.GetTableParams) {
	failIf(w, s.table(w, r, game, int(size), params))
}
