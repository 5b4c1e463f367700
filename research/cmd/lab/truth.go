package main

import (
	"context"
	"errors"
	"time"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
	"backsolve/internal/search"
	"backsolve/research/grade"
	"backsolve/research/selfplay"
)

// The most cells left in positions drawn from games of which only the ends are known: the
// default, and the largest that takes no hours.
const (
	usedLeft = 12
	mostLeft = 20
)

// endings limits the search of such positions.
var endings = endgame.Limits{Timeout: time.Minute, Memory: 1 << 30, Threads: 1}

// endsAlone reports whether only the ends of games are known, by search.
func endsAlone(rules game.Rules) bool {
	_, ok := search.NewEnding(rules)
	return ok
}

// newEnv returns the environment of agents and answers, of which atOnce are asked at once.
func newEnv(rules game.Rules, dir string, atOnce int) *agents.Env {
	env := &agents.Env{Rules: rules, Dir: dir}
	if endsAlone(rules) {
		limits := endings
		limits.Concurrency = atOnce
		env.OnDemand = probe.OnDemand{Solver: endgame.New(limits)}
	}
	return env
}

// network is a trained network with its board and the first position of its training.
type network struct {
	*zero.Weights
	rules game.Rules
	start game.State
}

func loadNetwork(path string) (*network, error) {
	w, err := zero.Load(path)
	if err != nil {
		return nil, err
	}
	rules, err := parseBoard(w.Game, w.Size)
	if err != nil {
		return nil, err
	}
	start, err := selfplay.StartOf(&w.Made)
	return &network{w, rules, start}, err
}

// newSubject returns a subject without an agent.
func newSubject(ctx context.Context, env *agents.Env, steps bool, threads int) (*grade.Subject, error) {
	answers, err := env.Answerer(ctx, steps)
	if err != nil {
		return nil, err
	}
	s := &grade.Subject{Rules: env.Rules, Answers: answers, Seed: 1, Threads: threads}
	if endsAlone(env.Rules) {
		s.Late = usedLeft
	}
	return s, nil
}

// fromText returns the first position, "" if it is the start of the game.
func fromText(s *grade.Subject) string {
	start := s.Start()
	if start == s.Rules.Start() {
		return ""
	}
	return s.Rules.Format(start)
}

// boardText names the board, and the first position if it is not the start of the game.
func boardText(s *grade.Subject) string {
	board := s.Rules.Info().String()
	if from := fromText(s); from != "" {
		board += " from " + from
	}
	return board
}

// sides returns the sides that a champion has to play, none if champion is not asked for. It
// fails if the value of the start is needed and unknown.
func (m *measures) sides(s *grade.Subject) ([]game.Side, error) {
	whole := m.expert && m.states == 0 && s.Late > 0
	if !m.champion && !whole {
		return nil, nil
	}
	sides, err := s.Sides()
	switch {
	case err != nil && errors.Is(err, probe.ErrUnknown) && m.champion:
		return nil, cli.Usagef("nobody knows here who wins %s, so that it has no champion yet; ask for --measure expert and some --states", boardText(s))
	case err != nil && errors.Is(err, probe.ErrUnknown):
		return nil, cli.Usagef("of %v only positions with few cells left are known; draw some of them with --states", s.Rules.Info())
	case err != nil:
		return nil, err
	case !m.champion:
		return nil, nil
	}
	return sides, nil
}
