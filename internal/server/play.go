package server

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
)

var errOver = errors.New("the game is over; there is no move to be made")

func (s handlers) move(w http.ResponseWriter, r *http.Request, name string, size int, params api.GetMoveParams) error {
	strength := player.Strength{Policy: player.Policy(api.Or(params.Policy, api.Optimal)), Blunder: api.Or(params.Blunder, 0)}
	err := errors.Join(
		check("policy", api.Or(params.Policy, api.Optimal).Valid()),
		check("blunder", strength.Blunder >= 0 && strength.Blunder <= 1),
		check("seed", api.Or(params.Seed, 0) >= 0))
	if err != nil {
		return err
	}
	h, err := s.sourceOf(r.Context(), query{name, size, params.After, params.Identity, params.P, strength.Policy == player.Shortest})
	if err != nil {
		return err
	}
	defer h.Release()
	if err := strength.Check(h.answers.HasSteps()); err != nil {
		err = fmt.Errorf("%w; this board is answered by its pairing, which has none", err)
		if t := h.Table(); t != nil {
			err = t.NoSteps()
		}
		return &parameterError{"policy", err}
	}
	var rules game.Rules
	if h.Stored() {
		rules = h.Rules() // to make them takes longer than to rate the moves
	} else if rules, err = games.New(name, size); err != nil {
		return err
	}
	p, err := rules.Parse(h.text)
	if err != nil {
		return &parameterError{"p", err}
	}
	v, moves, err := h.answers.Rate(rules, p, nil)
	if err != nil {
		return positionError(err)
	}
	s.metrics.countAnswer(h.Handle, len(moves))
	if len(moves) == 0 {
		return &parameterError{"p", errOver}
	}
	seed, fresh := seedOf(params.Seed, h.freshness())
	m, err := strength.Choose(player.NewRand(uint64(seed)), rules, h.answers, p, moves)
	if err != nil {
		return positionError(err)
	}
	return s.sendJSON(w, r, fresh, api.Choice{
		Game: name, Size: api.BoardSize(size), Position: rules.Format(p), Outcome: api.Outcome(v.Outcome.String()), Steps: stepsOf(v),
		Policy: api.Policy(strength.Policy), Blunder: strength.Blunder, Seed: seed,
		Move: api.Move{
			Move: game.MoveText(rules, p, m.Move), Outcome: api.Outcome(m.Outcome.String()), Steps: stepsOf(m.Value), Nimber: m.Nimber.Pointer(),
			Position: rules.Format(rules.Play(p, m.Move)),
		},
	})
}

// seedOf returns the client's seed, or a new one, whose answer must not be cached.
func seedOf(sent *int64, kept freshness) (int64, freshness) {
	if sent != nil {
		return *sent, kept
	}
	return rand.Int64N(1 << 53), freshness{} // what JavaScript reads exactly
}

func stepsOf(v probe.Value) *int {
	if v.Steps < 0 {
		return nil
	}
	return &v.Steps
}
