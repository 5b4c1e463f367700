package server

import (
	"errors"
	"net/http"

	"backsolve/game"
	"backsolve/player"
	"backsolve/probe"
	"backsolve/probe/survey"
	"backsolve/server/api"
)

// maxSteps is the largest number of steps in a table.
const maxSteps = 1<<16 - 1

func (s playRoutes) random(w http.ResponseWriter, r *http.Request, name string, size int, params api.GetRandomParams) error {
	err := errors.Join(
		check("outcome", params.Outcome == nil || params.Outcome.Valid()),
		check("steps", or(params.Steps, 0) >= 0 && or(params.Steps, 0) <= maxSteps),
		check("seed", or(params.Seed, 0) >= 0))
	if err != nil {
		return err
	}
	release, err := s.long.acquire(r) // searching rare states takes seconds
	if err != nil {
		return err
	}
	defer release()
	h, err := positionRoutes(s).find(name, size, params.After, params.Identity)
	if err != nil {
		return err
	}
	defer h.Release()
	if !h.Stored() {
		return onlyStrategy(h)
	}
	seed, fresh := seedOf(params.Seed, answerFreshness(h, params.Identity != nil))
	ctx, cancel := s.limits.withDeadline(r, errLate)
	defer cancel()
	var p game.State
	numbers := player.NewRand(uint64(seed))
	if t := h.Table(); t != nil {
		p, err = survey.Random(ctx, t, filterOf(params), numbers)
	} else {
		p, err = survey.RandomSparse(ctx, h.Sparse(), filterOf(params), numbers)
	}
	if errors.Is(err, survey.ErrNoSteps) {
		return &parameterError{"steps", err}
	}
	if err != nil {
		return err
	}
	a, err := h.Answerer().AskState(h.Rules(), p, probe.NoLine)
	if err != nil {
		return err
	}
	s.metrics.asked(h, len(a.Moves))
	s.sendAnswer(w, r, a, fresh)
	return nil
}

// filterOf returns the filter for the parameters.
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
