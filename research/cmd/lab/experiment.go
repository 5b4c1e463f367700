package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/strict"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/internal/interval"
	"backsolve/research/selfplay"
)

// experiment is what lab run does: trainings that are measured, and series of agents on boards.
type experiment struct {
	Base  *selfplay.Run `json:"base,omitempty"`  // what the arms change, but for its board and iterations
	Seeds int           `json:"seeds,omitempty"` // from 1 on; 0 leaves each arm its own
	Arms  []arm         `json:"arms,omitempty"`  // compared with the first one
	plan
	Ladders []ladders `json:"ladders,omitempty"`
}

// arm is a training: a change of the base, or a description of its own beside the experiment.
type arm struct {
	Name   string          `json:"name"`
	Change json.RawMessage `json:"change,omitempty"`
	Run    string          `json:"run,omitempty"`
	Plan   *plan           `json:"plan,omitempty"` // instead of the experiment's
}

// plan says how the last network of a training is measured: chosen by no exact values.
type plan struct {
	Simulations []int  `json:"simulations,omitempty"`
	States      int    `json:"states,omitempty"` // graded, 0 for all
	Exact       string `json:"exact,omitempty"`  // what is graded by exact values: "" for both, expert, champion or none
	Left        int    `json:"left,omitempty"`   // most empty cells of positions drawn from endgames, 0 for the default
	Games       int    `json:"games,omitempty"`  // against each opponent and the first arm
	Every       int    `json:"every,omitempty"`  // iterations between grades in training
	Elo         int    `json:"elo,omitempty"`    // iterations between networks in the tournament
	Visits      []int  `json:"visits,omitempty"` // simulations after which visits are reported
}

// ladders is a series on each of some boards.
type ladders struct {
	Boards []string     `json:"boards"` // quixo 3
	rules  []game.Rules // of these
	series
}

// noMeasure grades nothing by exact values.
const noMeasure = "none"

func (p *plan) check() error {
	switch {
	case len(p.Simulations) == 0 || p.States < 0 || p.States > maxStates || p.Left < 0 || p.Left > mostLeft || p.Games < 0 || p.Games%2 != 0 || p.Games > maxGames || p.Every < 0 || p.Elo < 0:
		return fmt.Errorf("give a number of simulations, 0 to %d states, at most %d cells left, and an even number of games", maxStates, mostLeft)
	case !slices.Contains([]string{"", expertMeasure, championMeasure, noMeasure}, p.Exact) || p.Exact == noMeasure && p.Games == 0:
		return fmt.Errorf("exact is %q; give expert, champion, or none together with games, or leave it out", p.Exact)
	case !slices.IsSorted(p.Visits) || len(p.Visits) > 0 && (p.Visits[0] < 1 || p.Visits[len(p.Visits)-1] > zero.MaxSimulations):
		return fmt.Errorf("the visits are after no numbers of simulations; give ascending ones from 1 to %d", zero.MaxSimulations)
	}
	return nil
}

// keeps returns after how many iterations weights are kept, besides the last ones.
func (p *plan) keeps() int {
	a, b := p.Every, p.Elo
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

type work struct {
	name string // of its directory
	arm  int
	run  selfplay.Run
	plan plan
}

// readExperiment returns an experiment and its trainings, by seed so that the first are soon complete.
func readExperiment(path string) (x *experiment, all []work, err error) {
	x = &experiment{}
	if err := files.ReadJSON(path, x); err != nil {
		return nil, nil, fmt.Errorf("there is no experiment: %w", err)
	}
	if all, err = x.works(filepath.Dir(path)); err == nil {
		err = x.readBoards()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return x, all, err
}

func (x *experiment) works(dir string) (all []work, err error) {
	if x.Seeds < 0 || x.Seeds > 100 || x.Base != nil && x.Seeds < 2 || len(x.Arms)+len(x.Ladders) == 0 {
		return nil, fmt.Errorf("give an arm or a ladder, and 2 to 100 seeds of a base")
	}
	for i, a := range x.Arms {
		if a.Name == "" || a.Name != filepath.Base(a.Name) || slices.ContainsFunc(x.Arms[:i], func(b arm) bool { return b.Name == a.Name }) {
			return nil, fmt.Errorf("%q does not name one arm; give each a name of its own, which a directory can have", a.Name)
		}
		w := work{name: a.Name, arm: i, plan: x.plan}
		if a.Plan != nil {
			w.plan = *a.Plan
		}
		if w.run, err = x.describe(dir, &a); err != nil {
			return nil, err
		}
		if err := w.plan.check(); err != nil {
			return nil, fmt.Errorf("the arm %s: %w", a.Name, err)
		}
		all = append(all, w)
	}
	if x.Seeds == 0 {
		return all, nil
	}
	var seeded []work
	for seed := range uint64(x.Seeds) {
		for _, w := range all {
			w.run.Seed, w.name = seed+1, trialName(w.name, seed+1)
			seeded = append(seeded, w)
		}
	}
	return seeded, nil
}

func trialName(arm string, seed uint64) string { return fmt.Sprintf("%s-%d", arm, seed) }

func (x *experiment) describe(dir string, a *arm) (run selfplay.Run, err error) {
	if (a.Run == "") == (x.Base == nil) {
		return run, fmt.Errorf("the arm %s needs the file of its description as run, or a base that it changes", a.Name)
	}
	if a.Run != "" {
		described, err := readDescription(filepath.Join(dir, a.Run))
		if err != nil {
			return run, err
		}
		return *described, nil
	}
	run = *x.Base
	run.Network.Widths = slices.Clone(run.Network.Widths) // which a change would overwrite
	if len(a.Change) > 0 {
		if err := strict.Unmarshal(a.Change, &run); err != nil {
			return run, fmt.Errorf("the change of the arm %s cannot be read: %w", a.Name, err)
		}
	}
	otherBoard := run.Game != x.Base.Game || run.Size != x.Base.Size
	if run.Iterations != x.Base.Iterations || run.Seed != x.Base.Seed || otherBoard && x.Games > 0 {
		return run, fmt.Errorf("the arm %s changes the seed or the number of iterations, or the board of arms that play each other; arms have these in common", a.Name)
	}
	if err := run.Check(); err != nil {
		return run, fmt.Errorf("the arm %s: %w", a.Name, err)
	}
	return run, nil
}

func (x *experiment) readBoards() error {
	for i := range x.Ladders {
		l := &x.Ladders[i]
		for _, text := range l.Boards {
			rules, err := boardOf(text)
			if err != nil {
				return err
			}
			l.rules = append(l.rules, rules)
		}
	}
	return nil
}

func boardOf(text string) (game.Rules, error) {
	name, size, err := games.Board(text)
	if err != nil {
		return nil, err
	}
	return games.New(name, size)
}

// write prints the tables and writes them as CSV. done has the trainings of each arm.
func (x *experiment) write(cmd *cobra.Command, dir string, done [][]*trial) error {
	for _, t := range []struct {
		name string
		rows [][]string
	}{{"table", x.table(done)}, {"games", x.games(done)}} {
		if len(t.rows) < 2 {
			continue
		}
		if err := files.WriteTable(filepath.Join(dir, t.name+".csv"), t.rows); err != nil {
			return err
		}
		if err := cli.WriteGrid(cmd.OutOrStdout(), 0, t.rows); err != nil {
			return err
		}
	}
	return nil
}

func (x *experiment) each(done [][]*trial, do func(arm string, trials []*trial, at int)) {
	most := 0
	for _, trials := range done {
		for _, t := range trials {
			most = max(most, len(t.Grades))
		}
	}
	for at := range most {
		for i, trials := range done {
			if len(trials) > 0 && !slices.ContainsFunc(trials, func(t *trial) bool { return at >= len(t.Grades) }) {
				do(x.Arms[i].Name, trials, at)
			}
		}
	}
}

// table has a row for each arm and number of simulations.
func (x *experiment) table(done [][]*trial) [][]string {
	rows := [][]string{{"arm", "simulations", "seeds", "states", "keeps the win", "difference", "zeros", "random", "sign", "held out", "champions", "wrong"}}
	x.each(done, func(arm string, trials []*trial, at int) {
		g := trials[0].Grades[at]
		won, champions, wrong, difference := g.won(), "-", "-", "-"
		if won == nil && len(g.Result.Champion) == 0 {
			return
		}
		c := collect(trials, at)
		if first := collect(done[0], at).keep; x.Base != nil && arm != x.Arms[0].Name && len(first) == len(c.keep) {
			var paired []float64
			for seed, keep := range first {
				paired = append(paired, c.keep[seed]-keep)
			}
			difference = mean(paired, -100)
		}
		zeros, states, random := "-", "-", "-"
		if won != nil {
			states, random = fmt.Sprint(won.Won.States), percent(&won.Won.Random)
		}
		if control := g.Result.Control; control != nil {
			if e := (keptGrade{Result: control}).won(); e != nil {
				zeros = percent(&e.Won.Keep)
			}
			if _, wrong := walked(control.Champion); len(control.Champion) > 0 && wrong == 0 {
				zeros += " champion"
			}
		}
		if len(g.Result.Champion) > 0 {
			champions, wrong = fmt.Sprintf("%d of %d", c.champions, len(trials)), fmt.Sprintf("%d of %d", c.wrong, c.kept)
		}
		rows = append(rows, []string{arm, fmt.Sprint(g.Simulations), fmt.Sprint(len(trials)), states, mean(c.keep, 0), difference,
			zeros, random, mean(c.sign, 0), mean(c.heldOut, 0), champions, wrong})
	})
	return rows
}

// games has a row for each arm, number of simulations and opponent, with exact intervals.
func (x *experiment) games(done [][]*trial) [][]string {
	rows := [][]string{{"arm", "simulations", "seeds", "opponent", "games", "different", "won as first", "of different", "won as second", "of different"}}
	x.each(done, func(arm string, trials []*trial, at int) {
		add := func(of func(*result) *result, suffix string) {
			first := of(trials[0].Grades[at].Result)
			if first == nil {
				return
			}
			for _, g := range first.Games {
				var all, different [2]arena.Tally
				for _, t := range trials {
					for _, h := range of(t.Grades[at].Result).Games {
						if h.Opponent == g.Opponent {
							all[0], all[1] = all[0].Plus(h.First), all[1].Plus(h.Second)
							different[0], different[1] = different[0].Plus(h.Different[0]), different[1].Plus(h.Different[1])
						}
					}
				}
				rows = append(rows, []string{arm + suffix, fmt.Sprint(trials[0].Grades[at].Simulations), fmt.Sprint(len(trials)), g.Opponent,
					fmt.Sprint(all[0].Games() + all[1].Games()), fmt.Sprint(different[0].Games() + different[1].Games()),
					wins(all[0]), exactly95(different[0]), wins(all[1]), exactly95(different[1])})
			}
		}
		add(func(r *result) *result { return r }, "")
		add(func(r *result) *result { return r.Control }, ", zeros")
	})
	return rows
}

func exactly95(t arena.Tally) string {
	return interval.Text(inPercent(interval.Share(t.Wins, t.Games())))
}

// mean formats the mean of percentages over seeds with its interval; of one seed the number.
func mean(values []float64, low float64) string {
	switch len(values) {
	case 0:
		return "-"
	case 1:
		return fmt.Sprintf("%.2f", values[0])
	}
	return interval.Text(interval.Mean(values, low, 100))
}

type collected struct {
	keep, sign, heldOut    []float64
	champions, kept, wrong int
}

func collect(seeds []*trial, at int) (c collected) {
	for _, t := range seeds {
		if at >= len(t.Grades) { // by the plan of another arm
			continue
		}
		g := t.Grades[at]
		if e := g.won(); e != nil {
			c.keep = append(c.keep, 100*e.Won.Keep)
			if e.All.Sign != nil {
				c.sign = append(c.sign, 100**e.All.Sign)
			}
			if e.HeldOutWon != nil {
				c.heldOut = append(c.heldOut, 100*e.HeldOutWon.Keep)
			}
		}
		kept, wrong := walked(g.Result.Champion)
		c.kept, c.wrong = c.kept+kept, c.wrong+wrong
		if wrong == 0 {
			c.champions++
		}
	}
	return c
}

// walked sums the states in which the value was kept so far, and the wrong moves in them.
func walked(walks []*grade.Walk) (kept, wrong int) {
	for _, w := range walks {
		kept, wrong = kept+w.Kept, wrong+w.Wrong
	}
	return kept, wrong
}

// won returns the shares of states, nil if none of them is won.
func (g keptGrade) won() *expertResult {
	if e := g.Result.Expert; e != nil && e.Won != nil {
		return e
	}
	return nil
}
