package cluster

import (
	"log/slog"

	"backsolve/retro"
	"backsolve/tablebase/format"
)

// report is a message of a worker for the coordinator's log.
type report struct {
	Level slog.Level `json:"level"`
	Text  string     `json:"text"`
}

// task is a message of the work queue. It also names a shard in other messages.
type task struct {
	ID     string `json:"id"` // of the solve
	Class  int    `json:"class"`
	Set    bool   `json:"set,omitempty"` // the half of the class that is solved first
	First  int    `json:"first"`
	Blocks int    `json:"blocks"`
	// Check asks to solve a sample of the blocks again, a share of Share. They are compared with
	// what the worker Maker made.
	Check bool    `json:"check,omitempty"`
	Maker string  `json:"maker,omitempty"`
	Share float64 `json:"share,omitempty"`
	// Shards, Round, and by round before which shards labelled any states, a bit a shard, are those
	// of a shard's turn. Owner is the worker that should have the shard in memory.
	Shards   int      `json:"shards,omitempty"`
	Round    int      `json:"round,omitempty"`
	Labelled []uint64 `json:"labelled,omitempty"`
	Owner    string   `json:"owner,omitempty"`
	// Write asks to write solved blocks into the table, or to check what was written: File names
	// it, and Parts are those of the class. Each coordinator makes an Attempt of its own, as it
	// cuts off what was written for an earlier one.
	Write   bool          `json:"write,omitempty"`
	File    string        `json:"file,omitempty"`
	Attempt string        `json:"attempt,omitempty"`
	Parts   []format.Part `json:"parts,omitempty"`
}

func newTask(s *Solve, g shard) task {
	return task{ID: s.ID, Class: g.class, Set: g.set, Write: g.write, First: g.first, Blocks: g.blocks, Check: g.check, Shards: g.shards, Round: g.round}
}

func (t task) shard() shard {
	return shard{stage{t.Class, t.Set, t.Write}, t.First, t.Blocks, t.Check, t.Shards, t.Round}
}

// completion is the value of the key of a finished task.
type completion struct {
	Task     task    `json:"task"`
	Worker   string  `json:"worker"` // for people
	WorkerID string  `json:"worker_id"`
	Written  int64   `json:"bytes_written"`
	Read     int64   `json:"bytes_read"`
	Seconds  float64 `json:"seconds"`
	// Counts are those of the blocks.
	Counts *retro.StateCounts `json:"counts,omitempty"`
	// Labelled says whether a shard labelled any states in a turn.
	Labelled bool `json:"labelled,omitempty"`
	// Stretch is that of a task that writes into the table, or checks it.
	Stretch *stretch `json:"stretch,omitempty"`
	// Until is the round up to which turns are needed even if nobody labels anything.
	Until int `json:"until,omitempty"`
	// Check has what a check has found, and is nil for other tasks.
	Check *checkResult `json:"check,omitempty"`
}
