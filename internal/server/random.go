package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/server/api"
	"backsolve/internal/server/catalog"
)

const maxSteps = 1<<16 - 1 // of a table

func (s handlers) random(w http.ResponseWriter, r *http.Request, name string, size int, params api.GetRandomParams) error {
	err := errors.Join(
		check("outcome", params.Outcome == nil || params.Outcome.Valid()),
		check("steps", api.Or(params.Steps, 0) >= 0 && api.Or(params.Steps, 0) <= maxSteps),
		check("seed", api.Or(params.Seed, 0) >= 0))
	if err != nil {
		return err
	}
	h, err := s.find(name, size, params.After, params.Identity)
	if err != nil {
		return err
	}
	defer h.Release()
	if !h.Stored() {
		return onlyStrategy(h)
	}
	ctx, done, err := s.takeTime(r) // as searching rare states takes seconds
	if err != nil {
		return err
	}
	defer done()
	seed, fresh := seedOf(params.Seed, answerFreshness(h, params.Identity != nil))
	a, err := drawNear(ctx, h, filterOf(params), api.Or(params.Only, false), player.NewRand(uint64(seed)))
	if errors.Is(err, survey.ErrNoSteps) {
		return &parameterError{"steps", err}
	}
	if err != nil {
		return err
	}
	s.metrics.countAnswer(h, len(a.Moves))
	return s.sendAnswer(w, r, a, fresh)
}

const maxDraws = 1000 // of positions until one has an only move

// drawNear is drawOne. Where no position with that many steps has an only move, it takes fewer, or else any number.
func drawNear(ctx context.Context, h catalog.Handle, f survey.Filter, only bool, numbers *rand.Rand) (*probe.Answer, error) {
	a, err := drawOne(ctx, h, f, only, numbers)
	for only && f.Steps != nil && errors.Is(err, survey.ErrNoSuchState) {
		if *f.Steps > 0 {
			f.Steps = new(*f.Steps - 1)
		} else {
			f.Steps = nil
		}
		a, err = drawOne(ctx, h, f, only, numbers)
	}
	return a, err
}

func drawOne(ctx context.Context, h catalog.Handle, f survey.Filter, only bool, numbers *rand.Rand) (*probe.Answer, error) {
	for range maxDraws {
		p, err := survey.Random(ctx, h.Open(), f, numbers)
		if err != nil {
			return nil, err
		}
		a, err := h.Answerer().AskState(h.Rules(), p, probe.NoLine)
		if err != nil || !only || len(a.Moves) > 1 && a.Moves[1].Outcome != a.Outcome { // the best comes first
			return a, err
		}
	}
	return nil, fmt.Errorf("%w: none of %d random ones has an only move; ask for another outcome or number of steps", survey.ErrNoSuchState, maxDraws)
}

func filterOf(params api.GetRandomParams) survey.Filter {
	filter := survey.Filter{Steps: params.Steps}
	if params.Outcome == nil {
		return filter
	}
	for _, o := range []game.Outcome{game.Win, game.Lose, game.Draw} {
		if o.String() == string(*params.Outcome) {
			filter.Outcome = &o
		}
	}
	return filter
}
