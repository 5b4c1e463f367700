package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/player/agents"
	"backsolve/research/internal/files"
)

// settings are common to all points of a file.
type settings struct {
	Measure   string `json:"measure"`
	Game      string `json:"game"`
	Size      int    `json:"size"`
	Table     string `json:"table"` // its identity
	Start     string `json:"start"` // the value of the empty board
	Games     int    `json:"games"` // for each point
	TurnLimit int    `json:"turn_limit"`
	Replies   bool   `json:"replies,omitempty"` // the opponent begins all games
	States    int    `json:"states"`            // for each point
	Seed      uint64 `json:"seed"`              // of each point, so that lab match replays it
	Outcomes  bool   `json:"-"`                 // the table has no steps
}

// takes reports whether points of other settings belong to those of s. An optimal player has
// the same moves and probabilities by a table without steps, so its matches may be added to
// those by a table with steps. The games differ, as steps change the order of the moves.
func (s settings) takes(other settings) bool {
	if other.Outcomes && other.Games > 0 && strings.HasPrefix(s.Start, other.Start) {
		other.Table, other.Start = s.Table, s.Start
	}
	other.Outcomes = s.Outcomes
	return s == other
}

// run says how points were made.
type run struct {
	Command string          `json:"command"`
	Version string          `json:"version"`
	Machine machine.Machine `json:"machine"`
	Threads int             `json:"threads"`
	Table   string          `json:"table,omitempty"` // its identity, if not that of the settings
	// Inputs are the SHA-256 of files that were read, by their paths.
	Inputs map[string]string `json:"inputs,omitempty"`
}

func newRun(threads int, inputs map[string]string) run {
	words := []string{filepath.Base(os.Args[0])}
	for _, arg := range os.Args[1:] {
		words = append(words, cli.ShellWord(arg))
	}
	return run{Command: strings.Join(words, " "), Version: cli.Version(), Machine: machine.This(), Threads: threads, Inputs: inputs}
}

// data is the content of a file.
type data[P any] struct {
	Settings settings `json:"settings"`
	Runs     []run    `json:"runs"`
	Points   []P      `json:"points"`
}

// loadData reads the file path.json, and rates its points anew.
func loadData[P any](path string) (*data[P], error) {
	d := &data[P]{}
	err := files.ReadJSON(path+".json", d)
	for i := range d.Points {
		if p, ok := any(&d.Points[i]).(interface{ rate() }); ok {
			p.rate()
		}
	}
	return d, err
}

// store is a locked file of points. Each new point replaces the file by a longer one, so a
// kill loses none.
type store[P any] struct {
	data[P]
	path string // without a suffix
	run  run    // that adds points
	lock *durable.Locked
	env  *agents.Env // of the points
}

// openStore opens the file path.json, which the first point creates. It refuses a file of other
// settings, unless force discards it.
func openStore[P any](path string, s settings, r run, force bool, env *agents.Env) (*store[P], error) {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock, err := durable.Lock(path)
	if err != nil {
		return nil, err
	}
	st := &store[P]{data[P]{Settings: s}, path, r, lock, env}
	if err := st.resume(force); err != nil {
		return nil, errors.Join(cli.Usagef("%w; start over with --force, or name another place with --out", err), lock.Unlock())
	}
	return st, nil
}

// resume reads the points that are there.
func (st *store[P]) resume(force bool) error {
	read, err := loadData[P](st.path)
	switch {
	case force, errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !read.Settings.takes(st.Settings):
		return fmt.Errorf("%s.json was made with other settings, %s instead of %s", st.path, compact(read.Settings), compact(st.Settings))
	case read.Settings.Table != st.Settings.Table:
		st.run.Table = st.Settings.Table
	}
	st.data = *read
	return nil
}

// add adds a point, and before the first one of a run the run.
func (st *store[P]) add(point P) error {
	if n := len(st.Runs); n == 0 || !reflect.DeepEqual(st.Runs[n-1], st.run) {
		st.Runs = append(st.Runs, st.run)
	}
	st.Points = append(st.Points, point)
	return files.WriteJSON(st.path+".json", st.data)
}

func (st *store[P]) has(is func(P) bool) bool { return slices.ContainsFunc(st.Points, is) }

func (st *store[P]) close() error { return st.lock.Unlock() }

// compact formats a value as one line of JSON.
func compact(v any) string {
	var b strings.Builder
	if err := cli.WriteJSON(&b, v); err != nil {
		panic(err) // no value of this program fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}
