// Package solve solves boards into a directory of tables. A job finds what is there
// already, refuses what this machine has no room for, resumes what was interrupted, writes
// the table or the result, and deletes what a finished solve leaves behind.
package solve

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"backsolve/game"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Options control how a board is solved, and what is kept.
type Options struct {
	// Engine are the options of the engine, but for memory and what a Sharing decides.
	Engine retro.Options
	// Packed has the table packed as it is written.
	Packed bool
	// Archive leaves out the steps of won states in a packed table.
	Archive bool
	// Force solves what is solved again, and starts over where something else was interrupted.
	Force bool
	// Limit is the limit of memory, the zero value for none.
	Limit Limit
	// Keep is by default the table, but for a game after given moves the result where it does not fit.
	Keep Keep
	// OpeningBytes is the greatest length of the table that KeepOpening keeps.
	OpeningBytes int64
	// Sharing distributes the work to several processes; nil leaves it to this one.
	Sharing Sharing
	// Elsewhere is where processes of a Sharing write the table; nil is in the directory.
	Elsewhere *writer.Elsewhere
	// Notify, unless nil, is called with news for the user: Dropped, Resumed or Kept.
	Notify func(notice any)
	// Logf, unless nil, is called with messages of the processes that share the work.
	Logf func(level slog.Level, text string)
}

// Keep says what a solve keeps.
type Keep string

// What can be kept.
const (
	KeepTable   Keep = "table"
	KeepResult  Keep = "result"
	KeepOpening Keep = "opening" // the result and the table of the emptiest classes
)

// How work files are written.
const (
	WorkRaw    = "raw"
	WorkPacked = "packed"
)

type (
	// Dropped names the part of an interrupted solve that cannot be resumed.
	Dropped string
	// Resumed says how many of all classes an interrupted solve has finished.
	Resumed struct{ Finished, Classes int }
	// Kept is an interrupted solve that stays, with its shape if shape or packing are not the job's.
	Kept struct {
		Path  string
		Other *tablebase.Shape
	}
)

// MaxTableMoves is how many moves fit in the name of a table.
const MaxTableMoves = 6

// Job is a board to solve, and the files of its solve.
type Job struct {
	Options
	Rules game.Grid
	Space *partition.Space
	Moves []string // that the game begins after
	Shape tablebase.Shape
	Path  string // of the table
	// OutOfCore says that only the result is kept, or the result and an opening table.
	OutOfCore bool
}

// New returns the job of a board in a directory, as a whole or after moves that take some cells.
func New(dir string, rules game.Grid, taken uint64, moves []string, o Options) (*Job, error) {
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		return nil, err
	}
	o.Engine.Memory = o.Limit.Bytes
	j := &Job{Options: o, Rules: rules, Space: space, Moves: moves}
	downTo := o.Engine.DownTo
	if downTo < 0 || downTo > space.MaskBits {
		return nil, fmt.Errorf("there is no class %d: the classes of %s go from %d down to 0", downTo, j.Name(), space.MaskBits)
	}
	name, shape := probe.FileNameAfter(rules.Info(), taken), probe.Shape(space, o.Engine.Steps)
	if o.Engine.Nimbers {
		name, shape = probe.NimbersFileName(rules.Info()), probe.NimbersShape(space)
	}
	if o.Packed {
		name += tablebase.PackedSuffix
	}
	shape.Archive = o.Archive
	j.Shape, j.Path = shape, filepath.Join(dir, name)
	j.OutOfCore = o.Keep == KeepResult || o.Keep == KeepOpening
	if o.Keep == "" && len(moves) > 0 && !o.Engine.Steps && downTo == 0 {
		j.OutOfCore = j.CheckMemory() != nil || intoTable{j}.checkDisk(j.freeDisk()) != nil
	}
	return j, nil
}

// Name is the board for messages: notakto 7×7 after d4.
func (j *Job) Name() string {
	name := j.Rules.Info().String()
	if len(j.Moves) > 0 {
		name += " after " + strings.Join(j.Moves, ", ")
	}
	return name
}

// Solving names what is solved: notakto 7×7 with steps.
func (j *Job) Solving() string {
	return j.Space.Board() + " " + j.Shape.Numbers()
}

func (j *Job) plan() *plan.Plan {
	o := j.Engine
	return plan.New(j.Space, plan.Options{Steps: o.Steps, Nimbers: o.Nimbers, Threads: o.Threads, DownTo: o.DownTo, Limit: j.Limit.Bytes, Packed: j.Packed, Archive: j.Archive})
}

// Classes returns the classes that the job solves, the fullest first.
func (j *Job) Classes() []plan.Class { return j.plan().Classes }

// Processors returns the least GOMAXPROCS that suits the solve. A write that blocks holds a processor
// for milliseconds, so a large table needs two besides those that compute; packing computes itself.
func (j *Job) Processors() int {
	const large = 1 << 30
	p := j.plan()
	if j.OutOfCore || j.Packed || p.Disk() < large {
		return p.Threads
	}
	return p.Threads + 2
}

// Dir returns the directory of the table.
func (j *Job) Dir() string { return filepath.Dir(j.Path) }

// forms returns the paths of the table, plain and packed; elsewhere it is plain.
func (j *Job) forms() []string {
	if j.Elsewhere != nil {
		return []string{j.Path}
	}
	plain := strings.TrimSuffix(j.Path, tablebase.PackedSuffix)
	return []string{plain, plain + tablebase.PackedSuffix}
}

func (j *Job) resultPath() string { return resultPath(j.Dir(), j.Rules, j.Space.Taken) }
func (j *Job) workPath() string   { return strings.TrimSuffix(j.Path, probe.FileSuffix) }

// SharedDir is where the processes of one machine keep what they share of the job.
func (j *Job) SharedDir() string {
	if j.OutOfCore {
		return j.workPath() + ".cluster"
	}
	return j.Path + ".cluster"
}

// SavedMark is a file in SharedDir. It marks work whose result is saved.
func (j *Job) SavedMark() string { return filepath.Join(j.SharedDir(), "saved") }

func (j *Job) notify(notice any) {
	if j.Notify != nil {
		j.Notify(notice)
	}
}

// Report is the result of a job: a *Summary, a *Classes or a *Saved.
type Report interface{ report() }

// Solve does the job, or finds it done. When ctx ends, it returns its cause, and what is
// finished stays: the same job resumes there. There may be a report besides an error that
// says what could not be cleaned up. The error wraps a *Refusal before any work.
func (j *Job) Solve(ctx context.Context) (Report, error) {
	if j.OutOfCore {
		return outOfCore{j}.solve(ctx)
	}
	return intoTable{j}.solve(ctx)
}
