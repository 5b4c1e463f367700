package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"backsolve/game"
	"backsolve/internal/player/zero"
	"backsolve/internal/strict"
	"backsolve/research/internal/files"
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
	if len(a.Change) > 0 {
		if err := strict.Unmarshal(a.Change, &run); err != nil {
			return run, fmt.Errorf("the change of the arm %s cannot be read: %w", a.Name, err)
		}
	}
	if run.Iterations != x.Base.Iterations || run.Game != x.Base.Game || run.Size != x.Base.Size || run.Seed != x.Base.Seed {
		return run, fmt.Errorf("the arm %s changes the board, the seed or the number of iterations; arms have these in common", a.Name)
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

// boardOf returns the rules of a board: quixo 3.
func boardOf(text string) (game.Rules, error) {
	var name, word string
	if n, _ := fmt.Sscan(text, &name, &word); n == 2 {
		if size, ok := game.ParseSize(word); ok {
			return parseBoard(name, int(size))
		}
	}
	return nil, fmt.Errorf("%q is not a board; give a game and a size, as in quixo 3", text)
}
