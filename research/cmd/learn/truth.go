package main

import (
	"context"
	"errors"
	"time"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/player/agents"
	"backsolve/player/zero"
	"backsolve/probe"
	"backsolve/probe/endgame"
	"backsolve/research/grade"
	"backsolve/search"
)

// The number of cells that are left at most in positions that are drawn of games whose ends
// alone are known: where none is given, and the largest that takes no hours.
const (
	usedLeft = 12
	mostLeft = 20
)

// endings are the bounds within which such positions are solved.
var endings = endgame.Limits{Timeout: time.Minute, Memory: 1 << 30, Threads: 1}

// endsAlone reports whether of the games on a board the ends alone are known, by a search.
func endsAlone(rules game.Rules) bool {
	_, ok := search.NewEnding(rules)
	return ok
}

// newEnv returns what agents and answers of a board are made for, of which so many are
// asked at once.
func newEnv(rules game.Rules, dir string, atOnce int) *agents.Env {
	env := &agents.Env{Rules: rules, Dir: dir}
	if endsAlone(rules) {
		limits := endings
		limits.Concurrency = atOnce
		env.OnDemand = probe.OnDemand{Solver: endgame.New(limits)}
	}
	return env
}

// loadNetwork reads weights, and makes the rules of their board.
func loadNetwork(path string) (*zero.Weights, game.Rules, error) {
	w, err := zero.Load(path)
	if err != nil {
		return nil, nil, err
	}
	rules, err := parseBoard(w.Game, w.Size)
	return w, rules, err
}

// newSubject returns a board with what knows the values of its states, or of the ends of its
// games alone, for so many threads.
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

// fromText is the position that games begin with, "" where it is the start of the game.
func fromText(s *grade.Subject) string {
	start := s.Start()
	if start == s.Rules.Start() {
		return ""
	}
	return s.Rules.Format(start)
}

// boardText names the board, and where games begin if that is not the start of the game.
func boardText(s *grade.Subject) string {
	board := s.Rules.Info().String()
	if from := fromText(s); from != "" {
		board += " from " + from
	}
	return board
}

// sides returns the sides that a champion has to play, none where that is not asked for. The
// error says what cannot be measured on a board of whose start nobody knows the value.
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
