package server

import (
	"bytes"
	"net/http"
	"sync"

	"backsolve/server/api"
	"backsolve/server/catalog"
)

// handlers answer the operations of the API.
type handlers struct{ *Server }

var _ api.ServerInterface = handlers{}

// buffers are for answers that are written at once.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// find returns what answers for a board; it must be released.
func (s *Server) find(game string, size int, after *string) (catalog.Handle, error) {
	h, err := s.catalog.Find(game, size, or(after, ""))
	return h, boardError(err)
}

// GetPosition answers with the value of a position and of all its moves.
func (s handlers) GetPosition(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetPositionParams) {
	if err := s.position(w, r, game, size, params); err != nil {
		fail(w, err)
	}
}

func (s *Server) position(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetPositionParams) error {
	h, err := s.find(game, size, params.After)
	if err != nil {
		return err
	}
	defer h.Release()
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	body, err := h.Answerer().AppendAsk(buffer.AvailableBuffer(), params.P)
	if err != nil {
		return positionError(err)
	}
	body = append(body, '\n')
	s.metrics.answered(1, body, h)
	if s.setFreshness(w, r, answerFreshness(h)) {
		w.WriteHeader(http.StatusNotModified)
	} else {
		writeBody(w, http.StatusOK, jsonType, body)
	}
	buffer.Write(body) // what append has made larger is kept
	return nil
}

// GetLine answers with the value of a position and the main line.
func (s handlers) GetLine(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetLineParams) {
	if err := s.line(w, r, game, size, params); err != nil {
		fail(w, err)
	}
}

const (
	usualPlies = 1000
	maxPlies   = 10000
)

func (s *Server) line(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetLineParams) error {
	plies := or(params.MaxPlies, usualPlies)
	if err := check("max_plies", plies >= 0 && plies <= maxPlies); err != nil {
		return err
	}
	h, err := s.find(game, size, params.After)
	if err != nil {
		return err
	}
	defer h.Release()
	a, err := h.Answerer().Ask(params.P, plies)
	if err != nil {
		return positionError(err)
	}
	s.metrics.asked(h, len(a.Moves))
	return s.sendAnswer(w, r, a, answerFreshness(h))
}
