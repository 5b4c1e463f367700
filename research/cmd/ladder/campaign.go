package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/qlearning"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
)

//go:embed campaign.json
var campaignText []byte

// campaign is what the report measures, by groups of boards.
var campaign = func() (all []campaignGroup) {
	if err := json.Unmarshal(campaignText, &all); err != nil {
		panic(fmt.Sprintf("campaign.json, which is part of this program, cannot be read: %v", err))
	}
	return all
}()

// campaignGroup is series of boards, those of a game by size.
type campaignGroup struct {
	Boards []board
	Tables bool // boards without a table are left out
	Series []campaignSeries
}

// campaignSeries is the points of a file.
type campaignSeries struct {
	Measure string
	Game    string // of the boards, "" for all
	States  int    // of an accuracy, 0 for those of the report
	Points  []campaignPoints
}

// campaignPoints are the matches of mcts and other agents against opponents, or their exams.
type campaignPoints struct {
	Coarse    bool     // mcts has only the coarse iterations
	Only      bool     // without mcts
	Agents    []string // besides mcts
	Opponents []string
	First     bool // only the first opponent that can play counts
}

type board struct {
	game string
	size int
}

func (b board) word() string { return boardWord(b.game, b.size) }

// UnmarshalText reads the name of a board: quixo 3.
func (b *board) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), &b.game, &b.size)
	return err
}

const (
	// learned and byActions are the labels of the agents trained for the report.
	learned   = "qlearning"
	byActions = "qlearning-actions" // as published
	// networkKind begins the labels of networks, before the number of simulations.
	networkKind = "network"
)

// trainingGames bring the learning rates close to 0.
var trainingGames = map[string]int{learned: 20_000, byActions: 8_000}

// coarse are the iterations against opponents that blunder.
var coarse = []int{0, 100, 300, 1000, 3000, 10000, 100000}

// endings limits the search of the perfect player on boards without tables.
var endings = endgame.Limits{Timeout: time.Minute, Memory: 1 << 30, Threads: 1}

// planner collects the jobs of a report and keeps its files open.
type planner struct {
	*reporter
	cmd     *cobra.Command
	jobs    []job
	closers []func() error
}

// plan adds what is missing of a board, unless it has no table.
func (p *planner) plan(b board, g *campaignGroup) error {
	rules, err := games.New(b.game, b.size)
	if err != nil {
		return err
	}
	env := &agents.Env{Rules: rules, Dir: *p.dir}
	set, steps := settings{Game: b.game, Size: b.size, Seed: p.seed}, false
	if g.Tables {
		table, err := env.Table()
		if missing := (*probe.MissingError)(nil); errors.As(err, &missing) {
			fmt.Fprintf(p.cmd.ErrOrStderr(), "%s is left out: %v\n", b.word(), err)
			return nil
		}
		if err != nil {
			return err
		}
		p.closers = append(p.closers, env.Close)
		steps = table.HasSteps()
		if set, err = set.of(env, p.seed); err != nil {
			return err
		}
		p.train(b, rules, learned)
		p.train(b, rules, byActions)
	} else {
		limits := endings
		limits.Concurrency = p.threads.Count
		env.OnDemand = probe.OnDemand{Solver: endgame.New(limits)}
		p.closers = append(p.closers, env.Close)
		set.Start = "unknown"
		if slices.Contains(g.Series[0].Points[0].Opponents, perfect.String()) {
			answers, err := env.Answerer(p.cmd.Context(), false)
			if err != nil {
				return err
			}
			a, err := answers.AskState(rules, rules.Start(), probe.NoLine)
			if err != nil {
				return err
			}
			set.Start = a.Value.String()
		}
	}
	for _, s := range g.Series {
		if s.Game != "" && s.Game != b.game {
			continue
		}
		if err := p.add(b, env, set, &s, steps); err != nil {
			return err
		}
	}
	return nil
}

// add adds the missing points of a series.
func (p *planner) add(b board, env *agents.Env, set settings, s *campaignSeries, steps bool) error {
	if set.Measure = s.Measure; set.Measure == "accuracy" || set.Measure == "exam" {
		set.States = cmp.Or(s.States, p.states.Count)
		st, err := openSeries[accuracyPoint](p, env, set)
		if err != nil {
			return err
		}
		for _, c := range p.contenders(b, &s.Points[0]) {
			p.jobs = append(p.jobs, exam(st, c)...)
		}
		return nil
	}
	if set.Measure == "times" { // no table has a part in them
		set = settings{Measure: set.Measure, Game: b.game, Size: b.size, States: timed, Seed: p.seed}
		st, err := openSeries[timePoint](p, env, set)
		if err != nil {
			return err
		}
		for _, c := range p.contenders(b, &s.Points[0]) {
			p.jobs = append(p.jobs, clock(st, c)...)
		}
		return nil
	}
	set.Games, set.TurnLimit = p.games.Count, p.turns.Count
	if set.Measure == "length" { // as many games as the agent moves second in otherwise
		set.Games, set.Replies = max(1, set.Games/2), true
	}
	st, err := openSeries[matchPoint](p, env, set)
	if err != nil {
		return err
	}
	for _, points := range s.Points {
		for _, opponent := range points.Opponents {
			if perfect, err := parseStrength(opponent); err == nil && perfect.Policy == player.Shortest && !steps {
				continue
			}
			for _, c := range p.contenders(b, &points) {
				p.jobs = append(p.jobs, match(st, c, opponent)...)
			}
			if points.First {
				break
			}
		}
	}
	return nil
}

// contenders returns the agents of points on a board. Random play stands for mcts:0. Networks
// are left out where there are no weights.
func (p *planner) contenders(b board, points *campaignPoints) (all []contender) {
	for _, n := range p.iterations.numbers {
		if !points.Only && (slices.Contains(coarse, n) || !points.Coarse) && (n > 0 || !slices.Contains(points.Agents, "random")) {
			all = append(all, mcts(n))
		}
	}
	for _, name := range points.Agents {
		c := contender{name, name}
		if trainingGames[name] > 0 {
			c.name = `qlearning:weights="` + p.weights(b, name) + `"`
		}
		if simulations, ok := strings.CutPrefix(name, networkKind+":"); ok {
			path := filepath.Join(p.data, networkKind+"-"+b.word()+".weights")
			if _, err := os.Stat(path); err != nil {
				continue
			}
			c.name = `zero:weights="` + path + `",sims=` + simulations
		}
		all = append(all, c)
	}
	return all
}

// openSeries opens the file of a series.
func openSeries[P any](p *planner, env *agents.Env, set settings) (*store[P], error) {
	st, err := openStore[P](filepath.Join(p.data, set.file()), set, newRun(p.threads.Count), p.force, env)
	if err == nil {
		p.closers = append(p.closers, st.close)
	}
	return st, err
}

func (p *planner) weights(b board, label string) string {
	return filepath.Join(p.data, label+"-"+b.word()+".json")
}

// train adds the training of an agent. Its cost is 0, so it comes first.
func (p *planner) train(b board, rules game.Rules, label string) {
	path := p.weights(b, label)
	grid, ok := game.GridOf(rules)
	if _, err := os.Stat(path); err == nil || !ok {
		return
	}
	p.jobs = append(p.jobs, job{
		what: b.word() + ": training of " + label,
		do: func(ctx context.Context, _ func(share float64)) error {
			o := qlearning.DefaultOptions(trainingGames[label], p.seed)
			o.Actions = label == byActions
			w, err := qlearning.Train(ctx, grid, o, nil)
			if err != nil {
				return err
			}
			return w.Save(path)
		},
	})
}

// run does the jobs, the cheapest first so that a short run brings points of each kind, and
// closes the files. It returns the number of jobs that are left.
func (p *planner) run() (left int, err error) {
	deadline := time.Time{}
	if p.budget > 0 {
		deadline = time.Now().Add(p.budget)
	}
	slices.SortStableFunc(p.jobs, func(a, b job) int { return cmp.Compare(a.cost, b.cost) })
	left, err = p.runJobs(p.cmd, "report", p.jobs, deadline)
	return left, errors.Join(err, p.close())
}

func (p *planner) close() (err error) {
	for _, c := range slices.Backward(p.closers) {
		err = errors.Join(err, c())
	}
	p.closers = nil
	return err
}
