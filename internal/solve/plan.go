package solve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/writer"
)

// Plan says what a job takes, and whether it can be done here and now.
type Plan struct {
	Game    string       `json:"game"`
	Size    game.Size    `json:"size"`
	Steps   bool         `json:"has_steps"`
	Nimbers bool         `json:"has_nimbers,omitempty"`
	Table   State        `json:"table"` // that is there
	Classes []plan.Class `json:"classes,omitempty"`
	Blocks  int64        `json:"blocks,omitempty"`
	States  uint64       `json:"stored_states"` // 0 where not even about how many can be told
	// Low and High are 0 where States is exact; with about 95 % probability it is between them.
	// High is 0, too, where the samples do not bound it.
	Low  uint64 `json:"stored_states_low,omitempty"`
	High uint64 `json:"stored_states_high,omitempty"`
	*Sampled

	Memory        int64  `json:"memory_bytes"`
	MemoryAllowed int64  `json:"memory_allowed_bytes"` // 0 for no limit
	Disk          int64  `json:"disk_bytes"`
	DiskFree      int64  `json:"disk_free_bytes"` // −1 where that is not known
	Threads       int    `json:"threads"`
	Seconds       int64  `json:"seconds"`
	SecondsLow    int64  `json:"seconds_low,omitempty"` // as Low and High
	SecondsHigh   int64  `json:"seconds_high,omitempty"`
	Work          string `json:"work,omitempty"`               // WorkRaw or WorkPacked
	Written       int64  `json:"work_bytes_written,omitempty"` // to work files
	Read          int64  `json:"work_bytes_read,omitempty"`
	Workers       int    `json:"workers,omitempty"`             // processes that share the work
	WorkerMemory  int64  `json:"worker_memory_bytes,omitempty"` // of each
	Store         int64  `json:"store_bytes,omitempty"`         // that they share
	Elsewhere     bool   `json:"other_machine,omitempty"`       // the plan is for another machine
	LargePagesOff bool   `json:"large_pages_off,omitempty"`
	Possible      bool   `json:"possible"`
	Why           string `json:"why,omitempty"` // it is not possible
	Remedy        string `json:"remedy,omitempty"`

	// Err is why it is not possible, What names the solve for people, and Limit is the memory limit.
	Err   error  `json:"-"`
	What  string `json:"-"`
	Limit Limit  `json:"-"`
}

// Sampled says how the states of a game that is defined by its positions were estimated.
type Sampled struct {
	Tiers   int `json:"tiers"`
	Counted int `json:"tiers_counted"` // the other ones are estimated
	Samples int `json:"samples"`       // positions that were looked at
	// AnyLength says that positions may repeat, so that a game may be of any length.
	AnyLength bool `json:"any_length"`
}

// Plan plans the job.
func (j *Job) Plan() *Plan {
	estimate := intoTable{j}.estimate
	if j.OutOfCore {
		estimate = outOfCore{j}.estimate
	}
	e := estimate()
	e.plan.Elsewhere = j.Limit.Elsewhere
	p := &Plan{
		Game: j.Space.Game, Size: game.Size(j.Space.Size), Steps: j.Engine.Steps, Nimbers: j.Engine.Nimbers, What: j.Name() + " " + j.Shape.Numbers(), Table: j.state(),
		Memory: e.memory, MemoryAllowed: j.Limit.Bytes, Limit: j.Limit, Disk: e.disk, DiskFree: e.free,
		Threads: j.Engine.Threads, Classes: e.plan.Classes, Blocks: e.plan.Blocks, States: e.plan.States, Seconds: int64(e.plan.Seconds() + e.work.Seconds + 0.5),
		Workers: e.processes.Count, WorkerMemory: e.processes.Memory, Store: e.processes.Store,
		Elsewhere: j.Limit.Elsewhere, LargePagesOff: !j.Limit.Elsewhere && machine.LargePagesOff(),
	}
	if j.OutOfCore {
		p.What = j.Name() + ", result only"
		if e.o.Opening != nil {
			p.What = fmt.Sprintf("%s, result and table of the %d emptiest classes", j.Name(), e.o.Opening.Classes)
		}
	}
	if e.work.Written > 0 {
		p.Work, p.Written, p.Read = WorkText(e.o.Packed), e.work.Written, e.work.Read
	}
	p.setObstacle(j.obstacle(e))
	return p
}

func (p *Plan) setObstacle(err error) {
	if p.Err, p.Possible = err, err == nil; err != nil {
		p.Why = err.Error()
	}
}

// obstacle is the error with which Solve would end before any work.
func (j *Job) obstacle(e estimate) error {
	if j.Limit.Elsewhere && e.obstacle != nil {
		return &Refusal{e.obstacle}
	}
	if j.Limit.Elsewhere {
		return nil
	}
	if done, err := j.done(); done || err != nil {
		return err
	}
	err := e.obstacle
	if err == nil {
		err = checkWritable(j.Dir())
	}
	if err != nil {
		return &Refusal{err}
	}
	if _, err := os.Stat(j.Dir()); errors.Is(err, fs.ErrNotExist) {
		return nil // it will be made, and has nothing in the way
	}
	if !j.OutOfCore {
		return writer.Check(j.Path, j.Shape, j.Force)
	}
	opening := &openingTable{j, e.o.Opening}
	done, err := outofcore.Check(j.workPath(), j.Space, j.Force)
	if err != nil || e.o.Opening == nil || done && opening.finished() {
		return err
	}
	return writer.Check(j.Path, opening.shape(), j.Force)
}

func (j *Job) done() (bool, error) {
	if j.Force {
		return false, nil
	}
	if j.OutOfCore {
		r, err := readResult(j.resultPath())
		return r != nil, err
	}
	table, err := intoTable{j}.existing()
	if table == nil || err != nil {
		return false, err
	}
	return true, table.Close()
}

// Shards returns how many classes are solved in shards, and the most shards of a class.
func (p *Plan) Shards() (classes, most int) {
	for _, c := range p.Classes {
		if c.Shards > 0 {
			classes, most = classes+1, max(most, c.Shards)
		}
	}
	return classes, most
}
