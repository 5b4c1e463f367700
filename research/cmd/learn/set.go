package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"backsolve/cmd/cli"
	"backsolve/internal/player/zero"
	"backsolve/research/internal/files"
	"backsolve/research/selfplay"
)

// The file of a set beside the descriptions, and that of a training's measurements among the
// data.
const (
	setFile    = "set.json"
	resultFile = "result.json"
)

// set is the trainings of a page.
type set struct {
	dir  string
	data string   // the directory of the measurements
	Rows []setRow `json:"rows"`
	Runs []plan   `json:"runs"`
}

// setRow compares a board with what is published.
type setRow struct {
	Board     string   `json:"board"`
	Published string   `json:"published"`
	Runs      []string `json:"runs"`
	Missing   string   `json:"missing,omitempty"` // what it would take, if there are no Runs
}

// plan says how a training is measured. Its description is run.json in the directory of its
// name.
type plan struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Every is after how many iterations it is graded in training, Elo after how many a
	// network enters the tournament; 0 for never.
	Every int `json:"every"`
	Elo   int `json:"elo,omitempty"`
	// With each of Simulations the last network is measured: by States (0 for all) if Expert,
	// as Champion, and by Games.
	Simulations []int `json:"simulations"`
	Expert      bool  `json:"expert"`
	States      int   `json:"states,omitempty"`
	Champion    bool  `json:"champion"`
	Games       int   `json:"games,omitempty"`
	// Visits are the numbers of simulations after which visits are reported.
	Visits []int `json:"visits,omitempty"`
	// Fixed are agents that rate the networks of the tournament and the measured one.
	Fixed []string `json:"fixed,omitempty"`
	// Meets are trainings on the same board, whose measured networks its own one plays.
	Meets []string `json:"meets,omitempty"`
}

// keeps returns after how many iterations weights are kept: at least those of all networks
// that are graded or enter the tournament.
func (p *plan) keeps() int {
	a, b := p.Every, p.Elo
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// kept is the measurements of a training.
type kept struct {
	Plan      plan          `json:"plan"`
	Trained   int           `json:"trained"`   // iterations
	Seconds   float64       `json:"seconds"`   // of training, by the clock
	Iteration int           `json:"iteration"` // of the measured network
	Grades    []keptGrade   `json:"grades"`
	Elo       []rating      `json:"elo,omitempty"`
	Visits    []visited     `json:"visits,omitempty"`
	Fixed     *fixedRatings `json:"fixed,omitempty"`
	Meetings  []meeting     `json:"meetings,omitempty"`
	Run       selfplay.Run  `json:"-"` // of its description
	log       []logged
}

type keptGrade struct {
	Simulations int     `json:"simulations"`
	Result      *result `json:"result"`
}

// names returns the names of the trainings.
func (s *set) names() (all []string) {
	for _, p := range s.Runs {
		all = append(all, p.Name)
	}
	return all
}

func loadSet(dir, data string) (*set, error) {
	s := &set{dir: dir, data: data}
	if err := files.ReadJSON(filepath.Join(dir, setFile), s); err != nil {
		return nil, err
	}
	for _, row := range s.Rows {
		for _, name := range row.Runs {
			if !slices.Contains(s.names(), name) {
				return nil, fmt.Errorf("%s: the row %q names the training %q, which is not in the set", s.path(setFile), row.Board, name)
			}
		}
	}
	for _, p := range s.Runs {
		if !slices.IsSorted(p.Visits) || len(p.Visits) > 0 && (p.Visits[0] < 1 || p.Visits[len(p.Visits)-1] > zero.MaxSimulations) {
			return nil, fmt.Errorf("%s: the visits of %q are after no numbers of simulations; give ascending ones from 1 to %d", s.path(setFile), p.Name, zero.MaxSimulations)
		}
		if p.Name == "" || p.Name != filepath.Base(p.Name) || p.Every < 0 || p.Elo < 0 || p.States < 0 || p.States > maxStates || p.Games < 0 || p.Games > maxGames || p.Games%2 != 0 {
			return nil, fmt.Errorf("%s: the plan of %q is none; its name is that of a directory, and its numbers are 0 or more, that of games even", s.path(setFile), p.Name)
		}
		err := checkFixed(p.Fixed)
		if err == nil {
			err = s.checkMeets(&p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the plan of %q: %w", s.path(setFile), p.Name, err)
		}
	}
	return s, nil
}

func (s *set) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

func (s *set) dataPath(name, file string) string { return filepath.Join(s.data, name, file) }

func (s *set) description(name string) (*selfplay.Run, error) {
	return readDescription(s.path(name, runFile))
}

// readDescription reads the description of a training.
func readDescription(path string) (*selfplay.Run, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the description cannot be read: %w; learn describe prints one", err)
	}
	run, err := selfplay.ParseRun(data)
	if err != nil {
		return nil, &cli.UsageError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	return run, nil
}

// results reads the measurements of a training, nil if there are none.
func (s *set) results(name string) (*kept, error) {
	k := &kept{}
	err := files.ReadJSON(s.dataPath(name, resultFile), k)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	run, err := s.description(name)
	if err != nil {
		return nil, err
	}
	k.Run, k.Plan.Name = *run, name // the directory names it, whatever it was called when measured
	k.log, err = readLog(s.dataPath(name, logFile))
	return k, err
}

func (s *set) keep(k *kept) error { return files.WriteJSON(s.dataPath(k.Plan.Name, resultFile), k) }

func readLog(path string) (all []logged, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for lines := json.NewDecoder(bytes.NewReader(data)); lines.More(); {
		entry := logged{Report: &selfplay.Report{}}
		if err := lines.Decode(&entry); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", path, err)
		}
		all = append(all, entry)
	}
	return all, nil
}

// done reports whether the measurements are of the last network after a number of iterations
// and of a plan, but for rivals, which are met later.
func (k *kept) done(p plan, iterations int) bool {
	if k == nil || k.Trained != iterations || k.Iteration != iterations {
		return false
	}
	if slices.ContainsFunc(k.Grades, func(g keptGrade) bool { return g.Simulations > 0 && g.Result.Control == nil }) {
		return false
	}
	have := k.Plan
	have.Title, have.Meets, p.Title, p.Meets = "", nil, "", nil
	return reflect.DeepEqual(have, p)
}

// last returns the last iteration whose weights are kept. Grades play no part, as a choice by
// exact values would flatter the network.
func last(log []logged, keeps func(iteration int) bool) (iteration int) {
	for _, e := range log {
		if keeps(e.Iteration) {
			iteration = e.Iteration
		}
	}
	return iteration
}
