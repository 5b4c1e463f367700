package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"backsolve/game/games"
	"backsolve/player"
	"backsolve/player/agents"
	"backsolve/probe"
	"backsolve/probe/endgame"
)

// reference is a board without a table, and the best players that are known of it.
type reference struct {
	board
	opponents []rival
}

// rival is a player to climb against.
type rival struct {
	name string
	// cost is how long a move takes, in iterations.
	cost float64
}

// references are the boards of the report without tables, those of a game by size. Nim and
// the smallest Othello are known exactly; on the others the two strongest agents of
// docs/howto/agents.md play whose matches take minutes, the second of them much longer.
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

// exactly is the player who knows the value of every position.
func exactly(cost float64) []rival { return []rival{{string(player.Optimal), cost}} }

var looking = []rival{{"minimax:depth=4", 300}, {"minimax:depth=6", 3000}}

// climbMeasure is what the series against a reference are called.
const climbMeasure = "climb"

// endings are the bounds within which the player who knows all values of a board without a
// table searches for them.
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
		Measure: climbMeasure, Game: r.game, Size: r.size, Start: "unknown",
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
	st, err := openStore[matchPoint](p.path(climbMeasure, r.board), set, newRun(p.threads.Count), p.force)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, st.close)
	m := &matches{env, st, p.threads.Count}
	for _, opponent := range r.opponents {
		for _, c := range p.climbers(r.board, iterations, false) {
			j, missing := m.job(c, opponent.name)
			j.cost += opponent.cost * float64(j.games)
			p.add(j, missing)
		}
	}
	return nil
}

// boardsValue is a flag that takes games and boards, separated by commas; nothing stands
// for all.
type boardsValue []string

func (v *boardsValue) String() string { return strings.Join(*v, ",") }
func (v *boardsValue) Type() string   { return "LIST" }

func (v *boardsValue) Set(text string) error {
	var words []string
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(allBoards(), word) {
			return fmt.Errorf("%.40q is no board of the report; give some of %s", word, strings.Join(allBoards(), ", "))
		}
		words = append(words, word)
	}
	*v = words
	return nil
}

// has reports whether a board is one of them.
func (v *boardsValue) has(b board) bool {
	return len(*v) == 0 || slices.Contains(*v, b.game) || slices.Contains(*v, b.word())
}

// allBoards are the games and boards of the report.
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
