package server

import (
	"context"
	"errors"
	"net/http"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/mcts"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
)

func (s handlers) moves(w http.ResponseWriter, r *http.Request, name string, size int, text string) error {
	board, state, err := readPosition(name, size, nil, text)
	if err != nil {
		return err
	}
	rules := board.Rules()
	known, fresh, err := s.knownAnswer(r.Context(), name, size, rules.Format(state))
	if err != nil {
		return err
	}
	return s.sendJSON(w, r, fresh, legalMoves(rules, state, known))
}

func readPosition(name string, size int, after *string, text string) (*probe.Board, game.State, error) {
	board, err := probe.NewBoard(name, size, api.Or(after, ""))
	if err != nil {
		return nil, nil, boardError(err)
	}
	state, err := board.Parse(text)
	if err != nil {
		return nil, nil, &parameterError{"p", err}
	}
	return board, state, nil
}

// readOpen is readPosition for positions that are not over.
func readOpen(name string, size int, after *string, text string) (*probe.Board, game.State, error) {
	board, state, err := readPosition(name, size, after, text)
	if err != nil {
		return nil, nil, err
	}
	if _, over := board.Rules().Terminal(state); over {
		return nil, nil, &parameterError{"p", errOver}
	}
	return board, state, nil
}

// knownAnswer returns the answer for a position, or nil if its outcome is unknown.
func (s handlers) knownAnswer(ctx context.Context, name string, size int, text string) (*probe.Answer, freshness, error) {
	h, err := s.sourceOf(ctx, query{game: name, size: size, text: text})
	if err != nil {
		return nil, freshness{}, unlessUnknown(err)
	}
	defer h.Release()
	a, err := s.ask(h, probe.NoLine)
	if err != nil {
		return nil, freshness{}, unlessUnknown(err)
	}
	return a, h.freshness(), nil
}

// unlessUnknown drops errors which say that the outcome is unknown or that too many searches are running.
func unlessUnknown(err error) error {
	if statusOf(err) == http.StatusNotFound || errors.Is(err, errThinking) {
		return nil
	}
	return err
}

// legalMoves lists moves of known value first, in their order, then the others by text.
func legalMoves(rules game.Rules, s game.State, known *probe.Answer) api.LegalMoves {
	info := rules.Info()
	answer := api.LegalMoves{Game: info.Name, Size: game.Size(info.Size), Position: rules.Format(s), Moves: []api.LegalMove{}}
	if info.Board == game.AsText {
		answer.Diagram = new(rules.Diagram(s))
	}
	listed := map[string]bool{}
	if known != nil {
		answer.Source, answer.Outcome, answer.Steps = new(api.Source(known.Source)), outcomeOf(known.Value), stepsOf(known.Value)
		answer.Nimber, answer.Score = known.Nimber.Pointer(), known.Score.Pointer()
		for _, m := range known.Moves {
			listed[m.Move] = true
			answer.Moves = append(answer.Moves, api.LegalMove{
				Move: m.Move, Position: m.Position, Outcome: outcomeOf(m.Value), Steps: stepsOf(m.Value), Nimber: m.Nimber.Pointer(), Score: m.Score.Pointer(),
			})
		}
	}
	for _, m := range rules.Moves(nil, s) {
		if text := game.MoveText(rules, s, m); !listed[text] {
			answer.Moves = append(answer.Moves, api.LegalMove{Move: text, Position: rules.Format(rules.Play(s, m))})
		}
	}
	outcome, over := rules.Terminal(s)
	if l, ok := rules.(custom.Listed); ok && over {
		answer.End = new(l.End(s))
	}
	if answer.Terminal = over; over && known == nil {
		answer.Source, answer.Outcome = new(api.Source(probe.FromRules)), outcomeOf(probe.Value{Outcome: outcome})
	}
	return answer
}

func outcomeOf(v probe.Value) *api.Outcome { return new(api.Outcome(v.Outcome.String())) }

const (
	usualIterations = 2000
	maxIterations   = 10_000
)

func (s handlers) playouts(w http.ResponseWriter, r *http.Request, name string, size int, params api.GetPlayoutsParams) error {
	iterations := api.Or(params.Iterations, usualIterations)
	err := errors.Join(check("iterations", iterations >= 1 && iterations <= maxIterations), check("seed", api.Or(params.Seed, 0) >= 0))
	if err != nil {
		return err
	}
	board, state, err := readOpen(name, size, nil, params.P)
	if err != nil {
		return err
	}
	rules := board.Rules()
	seed, fresh := seedOf(params.Seed, freshness{tag: tagOf("playouts")})
	m, found, err := s.playOut(r, rules, state, iterations, uint64(seed))
	if err != nil {
		return err
	}
	return s.sendJSON(w, r, fresh, api.Playouts{
		Game: name, Size: game.Size(size), Position: rules.Format(state), Iterations: iterations, Seed: seed, Estimate: found,
		Move: api.LegalMove{Move: game.MoveText(rules, state, m), Position: rules.Format(rules.Play(state, m))},
	})
}

// playOut searches for a move, within the quota of the client and the processors.
func (s handlers) playOut(r *http.Request, rules game.Rules, state game.State, iterations int, seed uint64) (m game.Move, found api.Estimate, err error) {
	ctx, done, err := s.takeTime(r)
	if err != nil {
		return m, found, err
	}
	defer done()
	select {
	case s.turns <- struct{}{}:
		defer s.turns.release()
	case <-ctx.Done():
		return m, found, context.Cause(ctx)
	}
	agent, err := mcts.New(rules, mcts.Options{Iterations: iterations})
	if err != nil {
		return m, found, err
	}
	return think(ctx, agent, state, seed)
}

// think lets an agent choose a move; found is empty unless the agent is an mcts.
func think(ctx context.Context, agent player.Agent, state game.State, seed uint64) (m game.Move, found api.Estimate, err error) {
	p, err := agent.Begin(seed)
	if err != nil {
		return m, found, err
	}
	defer p.Close()
	m, err = player.Move(ctx, p, state)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if e, ok := p.(mcts.Estimator); ok && err == nil {
		mean, n := e.Estimate()
		interval := arena.Share(mean, float64(n)) // Wilson's of 95 %, which is never empty
		found = api.Estimate{Mean: mean, Low: interval.Low, High: interval.High, Visits: n}
	}
	return m, found, err
}
