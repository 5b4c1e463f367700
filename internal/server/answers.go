package server

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
	"backsolve/internal/server/catalog"
)

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// find returns a board's table or strategy; if identity is not nil, it must match. The caller releases it.
func (s handlers) find(game string, size int, after, identity *string) (catalog.Handle, error) {
	h, err := s.catalog.Find(game, size, api.Or(after, ""))
	if err != nil {
		return h, boardError(err)
	}
	if err := checkIdentity(h, identity); err != nil {
		h.Release()
		return catalog.Handle{}, err
	}
	return h, nil
}

func checkIdentity(h catalog.Handle, identity *string) error {
	switch {
	case identity == nil:
		return nil
	case len(*identity) != 2*sha256.Size || strings.Trim(*identity, "0123456789abcdef") != "":
		return check("identity", false)
	case !h.Stored():
		return onlyStrategy(h)
	case *identity != h.Identity():
		return refusal(http.StatusNotFound, "the table of %v has another identity, %s; GET /v1/tables lists the tables", h, h.Identity())
	}
	return nil
}

// boundPosition replaces the generated binding of GetPosition, which takes ten times as long.
func (s handlers) boundPosition(w http.ResponseWriter, r *http.Request) {
	var values [4]string
	there, err := readQuery(r.URL.RawQuery, queryParameters[positionPattern], values[:])
	if err != nil {
		fail(w, err)
		return
	}
	size, ok := game.ParseSize(r.PathValue("size"))
	if !ok {
		fail(w, check("size", false))
		return
	}
	if there&1 == 0 {
		fail(w, &parameterError{"p", errMissing})
		return
	}
	params := api.GetPositionParams{P: values[0]}
	for i, field := range []**string{&params.After, &params.Identity, &params.Fields} {
		if there&(2<<i) != 0 {
			*field = new(values[i+1]) // a copy, so that values stays on the stack
		}
	}
	s.GetPosition(w, r, r.PathValue("game"), size, params)
}

func (s handlers) position(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetPositionParams) error {
	if err := checkFields(params.Fields); err != nil {
		return err
	}
	h, err := s.sourceOf(r.Context(), query{game, size, params.After, params.Identity, params.P, false})
	if err != nil {
		return err
	}
	defer h.Release()
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	body, moves := (*buffer)[:0], 0
	if params.Fields == nil {
		body, moves, err = probe.AppendAsk(h.answers, body, h.text)
	} else {
		var value [1]probe.Value
		var failed [1]error
		probe.Values(h.answers, []string{h.text}, value[:], failed[:])
		body, err = value[0].AppendJSON(body), failed[0]
	}
	if err != nil {
		return positionError(err)
	}
	body = append(body, '\n')
	*buffer = body
	s.metrics.countAnswer(h.Handle, moves)
	return s.send(w, r, h.freshness(), jsonType, body)
}

const (
	usualPlies = 1000
	maxPlies   = 10000
)

func (s handlers) line(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetLineParams) error {
	plies := api.Or(params.MaxPlies, usualPlies)
	if err := check("max_plies", plies >= 0 && plies <= maxPlies); err != nil {
		return err
	}
	h, err := s.sourceOf(r.Context(), query{game, size, params.After, params.Identity, params.P, false})
	if err != nil {
		return err
	}
	defer h.Release()
	a, err := s.ask(h, plies)
	if err != nil {
		return err
	}
	return s.sendAnswer(w, r, a, h.freshness())
}
