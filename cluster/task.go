package cluster

import (
	"log/slog"

	"backsolve/retro"
)

// report is a message of a worker for the coordinator's log.
type report struct {
	Level slog.Level `json:"level"`
	Text  string     `json:"text"`
}

// task is a message of the work queue. It also names a group in other messages.
type task struct {
	ID     string `json:"id"` // of the solve
	Class  int    `json:"class"`
	Set    bool   `json:"set,omitempty"` // the half of the class that is solved first
	First  int    `json:"first"`
	Blocks int    `json:"blocks"`
	// Check asks to solve a sample of the blocks again, a share of Share. They are compared with
	// the part that the worker Maker made.
	Check bool    `json:"check,omitempty"`
	Maker string  `json:"maker,omitempty"`
	Share float64 `json:"share,omitempty"`
	// Shards, Round, and by round before which shards labelled any states, a bit a shard, are those
	// of a shard's turn. Owner is the worker that should have the shard in memory.
	Shards   int      `json:"shards,omitempty"`
	Round    int      `json:"round,omitempty"`
	Labelled []uint64 `json:"labelled,omitempty"`
	Owner    string   `json:"owner,omitempty"`
}

func newTask(s *Solve, g group) task {
	return task{ID: s.ID, Class: g.class, Set: g.set, First: g.first, Blocks: g.blocks, Check: g.check, Shards: g.shards, Round: g.round}
}

func (t task) group() group {
	return group{subclass{t.Class, t.Set}, t.First, t.Blocks, t.Check, t.Shards, t.Round}
}

// completion is the value of the key of a finished task.
type completion struct {
	Task     task    `json:"task"`
	Worker   string  `json:"worker"` // for people
	WorkerID string  `json:"worker_id"`
	Written  int64   `json:"bytes_written"`
	Read     int64   `json:"bytes_read"`
	Seconds  float64 `json:"seconds"`
	// Counts are those of the blocks, in a solve that keeps no table.
	Counts *retro.StateCounts `json:"counts,omitempty"`
	// Labelled says whether a shard labelled any states in a turn.
	Labelled bool `json:"labelled,omitempty"`
	// Check has what a check has found, and is nil for other tasks.
	Check *checkResult `json:"check,omitempty"`
}
