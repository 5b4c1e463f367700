package server

import (
	"fmt"
	"net/http"

	"backsolve/partition"
	"backsolve/server/api"
	"backsolve/server/catalog"
)

// ListTables answers with all tables, also those that cannot be read.
func (s handlers) ListTables(w http.ResponseWriter, r *http.Request) {
	if err := s.catalog.Err(); err != nil {
		fail(w, err)
		return
	}
	list := s.catalog.List()
	if s.setFreshness(w, r, freshness{tag: tagOf(list.Version)}) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	answer := api.TableList{Tables: make([]api.TableEntry, len(list.Tables))}
	for i := range list.Tables {
		answer.Tables[i] = entryOf(&list.Tables[i])
	}
	writeJSON(w, http.StatusOK, answer)
}

// entryOf describes a table file.
func entryOf(i *catalog.Info) api.TableEntry {
	e := api.TableEntry{File: i.File}
	if i.Game != "" {
		e.Game, e.Size = &i.Game, &i.Size
	}
	if len(i.After) > 0 {
		e.After = &i.After
	}
	if i.Err != nil {
		text := i.Err.Error()
		e.Error = &text
		return e
	}
	states := int64(i.States)
	e.HasSteps, e.States, e.Bytes, e.PackedBytes, e.Identity = &i.HasSteps, &states, &i.Bytes, &i.Packed, &i.Identity
	e.Start = &api.Start{Position: i.Start, Outcome: api.Outcome(i.Value.Outcome.String()), Steps: stepsOf(i.Value)}
	return e
}

// GetTable answers with what a table holds.
func (s handlers) GetTable(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetTableParams) {
	if err := s.table(w, r, game, size, params); err != nil {
		fail(w, err)
	}
}

func (s *Server) table(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetTableParams) error {
	h, err := s.find(game, size, params.After)
	if err != nil {
		return err
	}
	defer h.Release()
	if h.Table() == nil {
		return onlyPairing(game, size)
	}
	if s.setFreshness(w, r, freshness{tag: tagOf(h.Identity())}) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	stats, err := h.Stats(r.Context())
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, stats)
	return nil
}

// onlyPairing says that a board has no table but answers nevertheless.
func onlyPairing(game string, size int) error {
	return fmt.Errorf("%w: %s %d×%d has no table; positions, lines and moves are answered from the second player's pairing",
		partition.ErrTooLarge, game, size, size)
}
