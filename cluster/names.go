package cluster

import (
	"fmt"
	"strconv"

	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// stage is a class, or the half of it that is solved first, or the writing of a solved class
// into the table.
type stage struct {
	class int
	set   bool
	write bool
}

// stageOf returns the stage of a solve that keeps no table.
func stageOf(s outofcore.Stage) stage { return stage{class: s.Class, set: !s.Last} }

// String is the stage in names: 12, 12-set or 12-write.
func (c stage) String() string {
	switch {
	case c.set:
		return fmt.Sprintf("%02d-set", c.class)
	case c.write:
		return fmt.Sprintf("%02d-write", c.class)
	}
	return fmt.Sprintf("%02d", c.class)
}

// shard is a run of blocks of a stage: those of a task, or of an object.
type shard struct {
	stage
	first, blocks int
	// check marks the task that solves some of the blocks again and compares them.
	check bool
	// shards is the number of shards of a class that is solved in rounds, and 0 otherwise. The task is
	// the turn of shard first in a round; sealing is the round after the last.
	shards, round int
}

// sealing is the round in which shards write their outcomes.
const sealing = -1

// isTurn reports whether a task is a shard's turn, whose labels others only read.
func (g shard) isTurn() bool { return g.shards > 0 && g.round != sealing }

// checked is the task that checks what another task has made, and unchecked the other way round.
func (g shard) checked() shard   { g.check = true; return g }
func (g shard) unchecked() shard { g.check = false; return g }

// unwritten is the shard that a task writes into the table.
func (g shard) unwritten() shard { g.write = false; return g }

// String describes the shard in messages.
func (g shard) String() string {
	switch {
	case g.shards > 0 && g.round == sealing:
		return fmt.Sprintf("outcomes of shard %d of %d of class %d", g.first, g.shards, g.class)
	case g.shards > 0:
		return fmt.Sprintf("labels of shard %d of %d of class %d in round %d", g.first, g.shards, g.class, g.round)
	}
	return fmt.Sprintf("blocks %d to %d of class %d", g.first, g.first+g.blocks-1, g.class)
}

// key is the shard's number within its stage, in keys and subjects.
func (g shard) key() string {
	key := strconv.Itoa(g.first)
	if g.shards > 0 {
		key = fmt.Sprintf("%d-%d-%d", g.shards, g.round, g.first)
	}
	if g.check {
		key += "-check"
	}
	return key
}

// cut cuts a shard into shards of size blocks.
func (g shard) cut(size int) (all []shard) {
	for first := g.first; first < g.first+g.blocks; first += size {
		all = append(all, shard{stage: g.stage, first: first, blocks: min(size, g.first+g.blocks-first)})
	}
	return all
}

// maxShards is how many shards a class has at most: each costs some messages.
const maxShards = 2048

// shards cuts a class of a number of blocks into shards.
func (s *Solve) shards(space *partition.Space, class, blocks int) []shard {
	fit := s.ShardBytes / s.options().Plan(space).BlockBytes(class)
	size := max(1, int(min(fit, int64(blocks))), (blocks+maxShards-1)/maxShards)
	return shard{stage: stage{class: class}, blocks: blocks}.cut(size)
}

// Names of objects, keys and subjects. They contain the identifier of the solve, so that late
// messages and uploads for an earlier solve do no harm.

// prefix begins the names of the objects of all solves of the board.
func (s *Solve) prefix() string { return s.name() + "/" }

// marker is the object by which a worker recognizes the store.
func (s *Solve) marker() string { return s.prefix() + s.ID + "/solve" }

// stagePrefix begins the names of the objects of a stage.
func (s *Solve) stagePrefix(c stage) string {
	return fmt.Sprintf("%s%s/class-%v/", s.prefix(), s.ID, c)
}

// object has the blocks of a shard. What a shard labelled is in objects whose names
// begin with it.
func (s *Solve) object(g shard) string {
	if g.shards > 0 {
		return fmt.Sprintf("%sround-%03d/of-%02d-shard-%02d", s.labelsPrefix(g.stage), g.round, g.shards, g.first)
	}
	return fmt.Sprintf("%sblocks-%08d-%08d", s.stagePrefix(g.stage), g.first, g.first+g.blocks-1)
}

// labelsPrefix begins the names of what the shards of a class labelled.
func (s *Solve) labelsPrefix(c stage) string { return s.stagePrefix(c) + "labels/" }

// sealObject has the counts of a stage.
func (s *Solve) sealObject(c stage) string {
	return fmt.Sprintf("%s%s/sealed/class-%v", s.prefix(), s.ID, c)
}

// shardKey ends the keys of a shard.
func (s *Solve) shardKey(g shard) string { return s.ID + "." + g.stage.String() + "." + g.key() }

// doneKeys matches the keys of all finished shards of a stage.
func (s *Solve) doneKeys(c stage) string { return fmt.Sprintf("done.%s.%v.*", s.ID, c) }

// doneKey has the completion of a shard.
func (s *Solve) doneKey(g shard) string { return "done." + s.shardKey(g) }

// faultyKeys begins the keys of the workers that were found faulty.
func (s *Solve) faultyKeys() string { return "faulty." + s.ID + "." }

// taskSubjects matches the subjects of all tasks of a stage.
func (s *Solve) taskSubjects(c stage) string {
	return fmt.Sprintf("%s.%s.%v.*", taskSubject, s.ID, c)
}

// taskSubject is the subject of the task of a shard.
func (s *Solve) taskSubject(g shard) string { return taskSubject + "." + s.shardKey(g) }
