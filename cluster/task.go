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
	ID string `json:"id"` // of the solve
	shard
	// Maker is the worker whose result is to be checked: a share of Share of its blocks is solved again.
	Maker string  `json:"maker,omitempty"`
	Share float64 `json:"share,omitempty"`
	// Labelled says, by round before that of a shard's turn, which shards labelled any states, a bit a
	// shard. Owner is the worker that should have the shard in memory.
	Labelled []uint64 `json:"labelled,omitempty"`
	Owner    string   `json:"owner,omitempty"`
	// File names the table to be written, and Parts are those of the class. Each coordinator makes an
	// Attempt of its own, as it cuts off what was written for an earlier one.
	File    string        `json:"file,omitempty"`
	Attempt string        `json:"attempt,omitempty"`
	Parts   []format.Part `json:"parts,omitempty"`
}

// completion is the value of the key of a finished task.
type completion struct {
	Task     task   `json:"task"`
	WorkerID string `json:"worker_id"`
	Written  int64  `json:"bytes_written"`
	Read     int64  `json:"bytes_read"`
	// Counts are those of the blocks, as they were solved or checked.
	Counts *retro.StateCounts `json:"counts,omitempty"`
	// Labelled says whether a shard labelled any states in a turn.
	Labelled bool `json:"labelled,omitempty"`
	// Stretch is that of a task that writes into the table, or checks it.
	Stretch *stretch `json:"stretch,omitempty"`
	// Until is the round up to which turns are needed even if nobody labels anything.
	Until int `json:"until,omitempty"`
	// Unreadable says how what is to be checked is missing or damaged, and Differs that the checking worker
	// finds something else for some blocks.
	Unreadable string `json:"unreadable,omitempty"`
	Differs    bool   `json:"differs,omitempty"`
}
