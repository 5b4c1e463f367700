package cluster

import (
	"fmt"
	"log/slog"
	"strconv"

	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/format"
)

// stage is a class, the half of it that is solved first, or its writing into the table.
type stage struct {
	Class int  `json:"class"`
	Set   bool `json:"set,omitempty"` // the half of the class that is solved first
	// Write asks to write solved blocks into the table, or to check what was written.
	Write bool `json:"write,omitempty"`
}

// stageOf returns the stage of a solve that keeps no table.
func stageOf(s outofcore.Stage) stage { return stage{Class: s.Class, Set: !s.Last} }

// String is the stage in names: 12, 12-set or, with the keys of its class, 12.write.
func (c stage) String() string {
	switch {
	case c.Set:
		return fmt.Sprintf("%02d-set", c.Class)
	case c.Write:
		return fmt.Sprintf("%02d.write", c.Class)
	}
	return fmt.Sprintf("%02d", c.Class)
}

// shard is a run of blocks of a stage: those of a task, or of an object.
type shard struct {
	stage
	First  int `json:"first"`
	Blocks int `json:"blocks"`
	// Check marks the task that solves some of the blocks again and compares them.
	Check bool `json:"check,omitempty"`
	// Shards is the number of shards of a class that is solved in rounds, and 0 otherwise. The task is
	// the turn of shard First in a Round; sealing is the round after the last.
	Shards int `json:"shards,omitempty"`
	Round  int `json:"round,omitempty"`
}

// sealing is the round in which shards write their outcomes.
const sealing = -1

// isTurn reports whether a task is a shard's turn, whose labels others only read.
func (g shard) isTurn() bool { return g.Shards > 0 && g.Round != sealing }

// checked is the task that checks what another task has made, and unchecked the other way round.
func (g shard) checked() shard   { g.Check = true; return g }
func (g shard) unchecked() shard { g.Check = false; return g }

// unwritten is the shard that a task writes into the table.
func (g shard) unwritten() shard { g.Write = false; return g }

// String describes the shard in messages.
func (g shard) String() string {
	switch {
	case g.Shards > 0 && g.Round == sealing:
		return fmt.Sprintf("outcomes of shard %d of %d of class %d", g.First, g.Shards, g.Class)
	case g.Shards > 0:
		return fmt.Sprintf("labels of shard %d of %d of class %d in round %d", g.First, g.Shards, g.Class, g.Round)
	}
	return fmt.Sprintf("blocks %d to %d of class %d", g.First, g.First+g.Blocks-1, g.Class)
}

// key is the shard's number within its stage, in keys and subjects.
func (g shard) key() string {
	key := strconv.Itoa(g.First)
	if g.Shards > 0 {
		key = fmt.Sprintf("%d-%d-%d", g.Shards, g.Round, g.First)
	}
	if g.Check {
		key += "-check"
	}
	return key
}

func (g shard) cut(size int) (all []shard) {
	for first := g.First; first < g.First+g.Blocks; first += size {
		all = append(all, shard{stage: g.stage, First: first, Blocks: min(size, g.First+g.Blocks-first)})
	}
	return all
}

// maxShards is how many shards a class has at most: each costs some messages.
const maxShards = 2048

func (s *Solve) shards(space *partition.Space, class, blocks int) []shard {
	fit := s.ShardBytes / s.options().Plan(space).BlockBytes(class)
	size := max(1, int(min(fit, int64(blocks))), (blocks+maxShards-1)/maxShards)
	return shard{stage: stage{Class: class}, Blocks: blocks}.cut(size)
}

// Names of objects, keys and subjects. They contain the identifier of the solve, so that late
// messages and uploads for an earlier solve do no harm.

// prefix begins the names of the objects of all solves of the board.
func (s *Solve) prefix() string { return s.name() + "/" }

// marker is the object by which a worker recognizes the store.
func (s *Solve) marker() string { return s.prefix() + s.ID + "/solve" }

func (s *Solve) stagePrefix(c stage) string {
	return fmt.Sprintf("%s%s/class-%v/", s.prefix(), s.ID, c)
}

// object has the blocks of a shard, or begins the names of what a shard labelled.
func (s *Solve) object(g shard) string {
	if g.Shards > 0 {
		return fmt.Sprintf("%sround-%03d/of-%02d-shard-%02d", s.labelsPrefix(g.stage), g.Round, g.Shards, g.First)
	}
	return fmt.Sprintf("%sblocks-%08d-%08d", s.stagePrefix(g.stage), g.First, g.First+g.Blocks-1)
}

func (s *Solve) labelsPrefix(c stage) string { return s.stagePrefix(c) + "labels/" }

func (s *Solve) sealObject(c stage) string {
	return fmt.Sprintf("%s%s/sealed/class-%v", s.prefix(), s.ID, c)
}

func (s *Solve) shardKey(g shard) string { return s.ID + "." + g.stage.String() + "." + g.key() }

func (s *Solve) doneKeys(c stage) string { return fmt.Sprintf("done.%s.%v.*", s.ID, c) }

func (s *Solve) doneKey(g shard) string { return "done." + s.shardKey(g) }

func (s *Solve) faultyKeys() string { return "faulty." + s.ID + "." }

func (s *Solve) taskSubjects(c stage) string {
	return fmt.Sprintf("%s.%s.%v.*", taskSubject, s.ID, c)
}

func (s *Solve) taskSubject(g shard) string { return taskSubject + "." + s.shardKey(g) }

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
