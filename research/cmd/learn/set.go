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

	"backsolve/internal/durable"
	"backsolve/player/zero"
	"backsolve/research/selfplay"
)

// The files of a set of trainings: what is in it, and in a directory for each training
// its description. Among the data, its log and what was measured of it.
const (
	setFile    = "set.json"
	resultFile = "result.json"
)

// set is a set of trainings whose results stand together on a page.
type set struct {
	dir  string
	data string // the directory of what was measured
	// Rows are those of the table that compares them with what is published.
	Rows []setRow `json:"rows"`
	Runs []plan   `json:"runs"`
}

// setRow is what is known and wanted of a board.
type setRow struct {
	Board     string `json:"board"`
	Published string `json:"published"`
	Reach     string `json:"reach"`
	// Runs are the names of the trainings. Where there are none, Missing says what it
	// would take.
	Runs    []string `json:"runs"`
	Missing string   `json:"missing,omitempty"`
}

// plan says what is done with a training. Its description is the file run.json in the
// directory of its name.
type plan struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Every is after how many iterations it is graded while it is trained, 0 for never,
	// and Elo after how many a network enters the tournament of the networks alone.
	Every int `json:"every"`
	Elo   int `json:"elo,omitempty"`
	// Simulations are those with which the network that did best is measured: by all
	// states, or so many, if Expert says so, for being a champion, and by Games.
	Simulations []int `json:"simulations"`
	Expert      bool  `json:"expert"`
	States      int   `json:"states,omitempty"`
	Champion    bool  `json:"champion"`
	Games       int   `json:"games,omitempty"`
	// Visits are the numbers of simulations after which the visits are looked at, from the
	// start and where the network is misled.
	Visits []int `json:"visits,omitempty"`
	// Fixed are the agents by games against whom its networks are rated: those that enter
	// the tournament, and the one that is measured with all its numbers of simulations.
	Fixed []string `json:"fixed,omitempty"`
	// Meets are trainings of the set on the same board, against whose measured networks its
	// own one plays Games with each number of simulations.
	Meets []string `json:"meets,omitempty"`
}

// keeps is after how many iterations weights are kept: those of all networks that are
// graded or enter the tournament, and hardly of others, as they take room.
func (p *plan) keeps() int {
	a, b := p.Every, p.Elo
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// kept is what was measured of a training.
type kept struct {
	Plan plan `json:"plan"`
	// Trained is the number of iterations that were done, in so many seconds by the clock.
	Trained int     `json:"trained"`
	Seconds float64 `json:"seconds"`
	// Iteration is that of the network that was measured.
	Iteration int           `json:"iteration"`
	Grades    []keptGrade   `json:"grades"`
	Elo       []rating      `json:"elo,omitempty"`
	Visits    []visited     `json:"visits,omitempty"`
	Fixed     *fixedRatings `json:"fixed,omitempty"`
	Meetings  []meeting     `json:"meetings,omitempty"`
	run       selfplay.Run  // of its description
	log       []logged
}

// keptGrade is what was measured with a number of simulations.
type keptGrade struct {
	Simulations int     `json:"simulations"`
	Result      *result `json:"result"`
}

// loadSet reads a set whose data are in a directory of their own.
func loadSet(dir, data string) (*set, error) {
	s := &set{dir: dir, data: data}
	if err := readJSON(filepath.Join(dir, setFile), s); err != nil {
		return nil, err
	}
	for _, row := range s.Rows {
		for _, name := range row.Runs {
			if !slices.ContainsFunc(s.Runs, func(p plan) bool { return p.Name == name }) {
				return nil, fmt.Errorf("%s: the row %q names the training %q, which is none of the set", s.path(setFile), row.Board, name)
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

// readJSON reads a file of JSON, all of whose fields must be known.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(v); err != nil {
		return fmt.Errorf("%s cannot be read: %w; restore it", path, err)
	}
	return nil
}

func (s *set) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// dataPath is where a file of the data of a training is.
func (s *set) dataPath(name, file string) string { return filepath.Join(s.data, name, file) }

// description reads that of a training.
func (s *set) description(name string) (*selfplay.Run, error) {
	path := s.path(name, runFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the description cannot be read: %w; learn describe prints one", err)
	}
	run, err := selfplay.ParseRun(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}

// results reads what was measured of a training, nil where nothing was.
func (s *set) results(name string) (*kept, error) {
	k := &kept{}
	err := readJSON(s.dataPath(name, resultFile), k)
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
	k.run, k.Plan.Name = *run, name // the directory names it, whatever it was called when measured
	k.log, err = readLog(s.dataPath(name, logFile))
	return k, err
}

// keep writes what was measured of a training.
func (s *set) keep(k *kept) error {
	data, err := json.MarshalIndent(k, "", " ")
	if err != nil {
		return err
	}
	return writeFile(s.dataPath(k.Plan.Name, resultFile), append(data, '\n'))
}

func writeFile(path string, data []byte) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.Write(path, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// readLog reads the log of a training.
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

// done reports whether what is kept is of so many iterations and by this plan, whomever the
// networks are to play against: that is measured apart.
func (k *kept) done(p plan, iterations int) bool {
	if k == nil || k.Trained != iterations {
		return false
	}
	have := k.Plan
	have.Title, have.Fixed, have.Meets, p.Title, p.Fixed, p.Meets = "", nil, nil, "", nil, nil
	return reflect.DeepEqual(have, p)
}

// best returns the iteration whose network, alone, did best where it was graded, the last
// of equal ones, or the last of all where none was: of those whose weights are kept.
func best(log []logged, keeps func(iteration int) bool) (iteration int) {
	policy := -1.0
	for _, e := range log {
		if !keeps(e.Iteration) {
			continue
		}
		if e.Grade == nil && policy < 0 {
			iteration = e.Iteration
		}
		if e.Grade != nil && e.Grade.Policy >= policy {
			iteration, policy = e.Iteration, e.Grade.Policy
		}
	}
	return iteration
}
