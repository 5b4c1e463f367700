package solve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// State says which table of a board there is.
type State struct {
	State    string `json:"state"` // none, solved, packed, unfinished or unusable
	HasSteps bool   `json:"has_steps"`
	// Archive says that the packed table lacks the steps of won states.
	Archive bool `json:"archive,omitempty"`
	// HasNimbers says that nimbers are known, from this table or one beside it.
	HasNimbers bool `json:"has_nimbers,omitempty"`
	// Classes are the emptiest ones of an opening table, or the finished ones of an unfinished one.
	Classes int `json:"classes,omitempty"`
	// Running says that a process is working on the unfinished table.
	Running bool   `json:"running,omitempty"`
	Bytes   int64  `json:"bytes"`  // of the file, as far as it is written
	Reason  string `json:"reason"` // why it is unusable
	Err     error  `json:"-"`      // the reason
}

// StateOf returns the state of a board's table in a directory, after the taken cells are marked.
func StateOf(rules game.Grid, taken uint64, dir string) State {
	path := filepath.Join(dir, probe.FileNameAfter(rules.Info(), taken))
	table, err := probe.OpenAfter(dir, rules, taken)
	if err == nil {
		defer table.Close()
		return stateOf(table)
	}
	missing, noDir := (*probe.MissingError)(nil), (*probe.DirError)(nil)
	if !errors.As(err, &missing) && !errors.As(err, &noDir) {
		return unusable(path, err)
	}
	return unfinished(path, path+tablebase.PackedSuffix)
}

// State returns the state of the table of a game, and how many states it has.
func (g *Game) State() (s State, states int64) {
	table, err := probe.FindSparse(context.Background(), g.Dir, g.Rules)
	if err == nil {
		defer table.Close()
		return stateOf(table), table.Stored().States()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return unusable(g.Path(), err), 0
	}
	if _, err := os.Stat(g.work()); err != nil {
		return State{State: "none"}, 0
	}
	return State{State: "unfinished", HasSteps: !g.Outcomes, Bytes: machine.BytesBelow(g.work()), Running: durable.Held(g.work())}, 0
}

func unfinished(paths ...string) State {
	for _, path := range paths {
		s := State{State: "unfinished", Bytes: machine.FileSize(partialPath(path)), Running: slices.ContainsFunc(paths, durable.Held)}
		if u, err := writer.FindUnfinished(path); err == nil {
			s.HasSteps, s.HasNimbers, s.Classes, s.Bytes = u.Shape.Steps, u.Shape.Nimbers, u.Classes, u.Bytes
			return s
		} else if s.Bytes > 0 {
			return s
		}
	}
	return State{State: "none"}
}

func stateOf(table probe.AnyTable) State {
	s := State{State: "solved", HasSteps: table.HasSteps(), Bytes: table.File().Bytes()}
	if packed := table.File().Packed(); packed > 0 {
		s.State, s.Bytes = "packed", packed
	}
	if t, ok := table.(*probe.Table); ok {
		if s.HasNimbers, s.Archive = t.HasNimbers(), t.Stored().Shape().Archive; t.Opening() {
			s.Classes = t.Classes()
		}
	}
	return s
}

func unusable(path string, err error) State {
	bytes := machine.FileSize(path)
	if bytes == 0 {
		bytes = machine.FileSize(path + tablebase.PackedSuffix)
	}
	return State{State: "unusable", Bytes: bytes, Reason: err.Error(), Err: err}
}

func (j *Job) state() State {
	if !j.Engine.Nimbers {
		return StateOf(j.Rules, j.Space.Taken, j.Dir())
	}
	for _, path := range j.forms() {
		if table, err := probe.OpenFile(path); err == nil {
			defer table.Close()
			return stateOf(table)
		}
	}
	return unfinished(j.forms()...)
}
