package server

import (
	"errors"
	"math/rand/v2"
	"net/http"

	"backsolve/player"
	"backsolve/probe"
	"backsolve/server/api"
)

// errOver is the error for positions without moves.
var errOver = errors.New("the game is over; there is no move to be made")

// playRoutes choose moves: of opponents, by playouts, at random.
type playRoutes struct{ *Server }

func (s playRoutes) move(w http.ResponseWriter, r *http.Request, game string, size int, params api.GetMoveParams) error {
	strength := player.Strength{Policy: player.Policy(or(params.Policy, api.Optimal)), Blunder: or(params.Blunder, 0)}
	err := errors.Join(
		check("policy", or(params.Policy, api.Optimal).Valid()),
		check("blunder", strength.Blunder >= 0 && strength.Blunder <= 1),
		check("seed", or(params.Seed, 0) >= 0))
	if err != nil {
		return err
	}
	h, err := positionRoutes(s).sourceOf(r.Context(), query{game, size, params.After, params.Identity, params.P, strength.Policy == player.Shortest})
	if err != nil {
		return err
	}
	defer h.Release()
	if err := strength.Check(h.answers.HasSteps()); err != nil {
		return noSteps(h.Handle, err)
	}
	a, err := positionRoutes(s).ask(h, probe.NoLine)
	if err != nil {
		return err
	}
	if len(a.Moves) == 0 {
		return &parameterError{"p", errOver}
	}
	seed, fresh := seedOf(params.Seed, h.freshness())
	m := a.Moves[strength.Choose(player.NewRand(uint64(seed)), len(a.Moves), func(i int) (probe.Value, int) { return a.Moves[i].Value, a.Moves[i].TieBreak })]
	s.sendJSON(w, r, fresh, api.Choice{
		Game: a.Game, Size: api.BoardSize(a.Size), Position: a.Position, Outcome: api.Outcome(a.Outcome.String()), Steps: stepsOf(a.Value),
		Policy: api.Policy(strength.Policy), Blunder: strength.Blunder, Seed: seed,
		Move: api.Move{Move: m.Move, Outcome: api.Outcome(m.Outcome.String()), Steps: stepsOf(m.Value), Nimber: nimberOf(m.Nimber), Position: m.Position},
	})
	return nil
}

// seedOf returns the seed of a random answer: the client's, or a new one, whose answer must not
// be cached.
func seedOf(sent *int64, kept freshness) (int64, freshness) {
	if sent != nil {
		return *sent, kept
	}
	return rand.Int64N(1 << 53), freshness{} // what JavaScript reads exactly
}

// stepsOf returns the steps of a value, or nil.
func stepsOf(v probe.Value) *int {
	if v.Steps < 0 {
		return nil
	}
	return &v.Steps
}

// nimberOf returns a nimber, or nil.
func nimberOf(n probe.Nimber) *int {
	if value, known := n.Value(); known {
		return &value
	}
	return nil
}
