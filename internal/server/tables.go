package server

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"backsolve/game"
	"backsolve/internal/server/api"
	"backsolve/internal/server/catalog"
	"backsolve/partition"
)

func entryOf(i *catalog.Info) api.TableEntry {
	e := api.TableEntry{File: i.File}
	if i.Game != "" {
		e.Game, e.Size = &i.Game, new(game.Size(i.Size))
	}
	if i.Dir != "" {
		e.Directory = new(filepath.Base(i.Dir))
	}
	if len(i.After) > 0 {
		e.After = &i.After
	}
	if i.Err != nil {
		e.Error = new(forClients(i.Err))
		return e
	}
	e.HasSteps, e.States, e.Bytes, e.PackedBytes, e.Identity = &i.HasSteps, new(int64(i.States)), &i.Bytes, &i.Packed, &i.Identity
	e.Start = &api.Start{Position: i.Start, Outcome: api.Outcome(i.Value.Outcome.String()), Steps: stepsOf(i.Value)}
	return e
}

func (s handlers) table(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetTableParams) error {
	h, err := s.find(game, size, params.After, params.Identity)
	if err != nil {
		return err
	}
	defer h.Release()
	if !h.Stored() {
		return onlyStrategy(h)
	}
	ctx, cancel := s.limits.withDeadline(r, errLate)
	defer cancel()
	stats, err := h.Stats(ctx)
	if err != nil {
		return err
	}
	return s.sendJSON(w, r, answerFreshness(h, params.Identity != nil), stats)
}

func onlyStrategy(h catalog.Handle) error {
	why := fmt.Errorf("%w: %v has no table", partition.ErrTooLarge, h.Answerer().Info())
	if err := partition.Solvable(h.Answerer().Info()); errors.Is(err, partition.ErrNoTables) {
		why = err
	}
	return fmt.Errorf("%w; positions, lines and moves are answered from %s", why, h.StrategyTitle())
}
