package main

import (
	"slices"
	"time"

	"backsolve/game/games"
	"backsolve/player"
	"backsolve/player/agents"
	"backsolve/probe"
	"backsolve/probe/endgame"
)

// reference is a board without a table, with its best known players.
type reference struct {
	board
	opponents []rival
}

type rival struct {
	name string
	cost float64 // of a move, in iterations
}

// references are those of the report. Nim and the smallest Othello are known exactly; on the
// others the opponents are the two strongest agents of docs/howto/agents.md whose matches take
// minutes.
var references = []reference{
	{board{"nim", 3}, exactly(0)},
	{board{"nim", 4}, exactly(0)},
	{board{"nim", 5}, exactly(0)},
	{board{"nim", 6}, exactly(0)},
	{board{"nim", 7}, exactly(0)},
	{board{"othello", 4}, exactly(2000)},
	{board{"othello", 6}, looking},
	{board{"uttt", 9}, looking},
}

// exactly is the perfect player.
func exactly(cost float64) []rival { return []rival{{string(player.Optimal), cost}} }

var looking = []rival{{"minimax:depth=4", 300}, {"minimax:depth=6", 3000}}

// endings limits the search of the perfect player on boards without tables.
var endings = endgame.Limits{Timeout: time.Minute, Memory: 1 << 30, Threads: 1}

// planReference adds what is missing of a board without a table.
func (p *planner) planReference(r reference) error {
	rules, err := games.New(r.game, r.size)
	if err != nil {
		return err
	}
	limits := endings
	limits.Concurrency = p.threads.Count
	env := &agents.Env{Rules: rules, Dir: *p.dir, OnDemand: probe.OnDemand{Solver: endgame.New(limits)}}
	p.closers = append(p.closers, env.Close)
	set := settings{
		Measure: "climb", Game: r.game, Size: r.size, Start: "unknown",
		Games: p.games.Count, TurnLimit: p.turns.Count, Seed: p.seed,
	}
	iterations := p.fewer()
	if r.opponents[0].name == string(player.Optimal) {
		answers, err := env.Answerer(p.cmd.Context(), false)
		if err != nil {
			return err
		}
		a, err := answers.AskState(rules, rules.Start(), probe.NoLine)
		if err != nil {
			return err
		}
		set.Start, iterations = a.Value.String(), p.iterations.numbers
	}
	st, err := openSeries[matchPoint](p, r.board, env, set)
	if err != nil {
		return err
	}
	for _, opponent := range r.opponents {
		for _, c := range p.climbers(r.board, iterations, false) {
			for _, j := range match(st, c, opponent.name) {
				j.cost += opponent.cost * float64(set.Games)
				p.jobs = append(p.jobs, j)
			}
		}
	}
	return nil
}

// wants reports whether --boards asks for a board.
func (r *reporter) wants(b board) bool {
	return len(r.boards) == 0 || slices.Contains(r.boards, b.game) || slices.Contains(r.boards, b.word())
}

// allBoards returns the games and boards of the report.
func allBoards() (words []string) {
	boards := slices.Clone(reportBoards)
	for _, r := range references {
		boards = append(boards, r.board)
	}
	for _, b := range boards {
		if !slices.Contains(words, b.game) {
			words = append(words, b.game)
		}
		words = append(words, b.word())
	}
	return words
}
