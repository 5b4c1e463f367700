package cluster

import (
	"fmt"
	"strconv"

	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// subclass is a class, or the half of it that is solved first, or the writing of a solved class
// into the table.
type subclass struct {
	class int
	set   bool
	write bool
}

// subclassOf returns the subclass of a solve that keeps no table.
func subclassOf(s outofcore.Subclass) subclass { return subclass{class: s.Class, set: !s.Last} }

// String is the subclass in names: 12, 12-set or 12-write.
func (c subclass) String() string {
	switch {
	case c.set:
		return fmt.Sprintf("%02d-set", c.class)
	case c.write:
		return fmt.Sprintf("%02d-write", c.class)
	}
	return fmt.Sprintf("%02d", c.class)
}

// group is a run of blocks of a subclass: the blocks of a task, or of a part.
type group struct {
	subclass
	first, blocks int
	// check marks the task that solves some of the blocks again and compares them.
	check bool
	// shards is the number of shards of a class that is solved in shards, and 0 otherwise. The task
	// is the turn of shard first in a round; sealing is the round after the last.
	shards, round int
}

// sealing is the round in which shards write their outcomes.
const sealing = -1

// isTurn reports whether a task is a shard's turn, whose labels others only read.
func (g group) isTurn() bool { return g.shards > 0 && g.round != sealing }

// checked is the task that checks what another task has made, and unchecked the other way round.
func (g group) checked() group   { g.check = true; return g }
func (g group) unchecked() group { g.check = false; return g }

// unwritten is the group that a task writes into the table.
func (g group) unwritten() group { g.write = false; return g }

// String describes the group in messages.
func (g group) String() string {
	switch {
	case g.shards > 0 && g.round == sealing:
		return fmt.Sprintf("outcomes of shard %d of %d of class %d", g.first, g.shards, g.class)
	case g.shards > 0:
		return fmt.Sprintf("labels of shard %d of %d of class %d in round %d", g.first, g.shards, g.class, g.round)
	}
	return fmt.Sprintf("blocks %d to %d of class %d", g.first, g.first+g.blocks-1, g.class)
}

// key is the group's number within its subclass, in keys and subjects.
func (g group) key() string {
	key := strconv.Itoa(g.first)
	if g.shards > 0 {
		key = fmt.Sprintf("%d-%d-%d", g.shards, g.round, g.first)
	}
	if g.check {
		key += "-check"
	}
	return key
}

// cut cuts a group into groups of size blocks.
func (g group) cut(size int) (all []group) {
	for first := g.first; first < g.first+g.blocks; first += size {
		all = append(all, group{subclass: g.subclass, first: first, blocks: min(size, g.first+g.blocks-first)})
	}
	return all
}

// maxGroups is how many groups a class has at most: each costs some messages.
const maxGroups = 2048

// groups cuts a class of a number of blocks into groups.
func (s *Solve) groups(space *partition.Space, class, blocks int) []group {
	fit := s.GroupBytes / s.options().Plan(space).BlockBytes(class)
	size := max(1, int(min(fit, int64(blocks))), (blocks+maxGroups-1)/maxGroups)
	return group{subclass: subclass{class: class}, blocks: blocks}.cut(size)
}

// Names of objects, keys and subjects. They contain the identifier of the solve, so that late
// messages and uploads for an earlier solve do no harm.

// prefix begins the names of the objects of all solves of the board.
func (s *Solve) prefix() string { return s.name() + "/" }

// marker is the object by which a worker recognizes the store.
func (s *Solve) marker() string { return s.prefix() + s.ID + "/solve" }

// subclassPrefix begins the names of the objects of a subclass.
func (s *Solve) subclassPrefix(c subclass) string {
	return fmt.Sprintf("%s%s/class-%v/", s.prefix(), s.ID, c)
}

// object is the part with the blocks of a group. What a shard labelled is in objects whose names
// begin with it.
func (s *Solve) object(g group) string {
	if g.shards > 0 {
		return fmt.Sprintf("%sround-%03d/of-%02d-shard-%02d", s.labelsPrefix(g.subclass), g.round, g.shards, g.first)
	}
	return fmt.Sprintf("%sblocks-%08d-%08d", s.subclassPrefix(g.subclass), g.first, g.first+g.blocks-1)
}

// labelsPrefix begins the names of what the shards of a class labelled.
func (s *Solve) labelsPrefix(c subclass) string { return s.subclassPrefix(c) + "labels/" }

// sealObject has the counts of a subclass.
func (s *Solve) sealObject(c subclass) string {
	return fmt.Sprintf("%s%s/sealed/class-%v", s.prefix(), s.ID, c)
}

// groupKey ends the keys of a group.
func (s *Solve) groupKey(g group) string { return s.ID + "." + g.subclass.String() + "." + g.key() }

// doneKeys matches the keys of all finished groups of a subclass.
func (s *Solve) doneKeys(c subclass) string { return fmt.Sprintf("done.%s.%v.*", s.ID, c) }

// doneKey has the completion of a group.
func (s *Solve) doneKey(g group) string { return "done." + s.groupKey(g) }

// faultyKeys begins the keys of the workers that were found faulty.
func (s *Solve) faultyKeys() string { return "faulty." + s.ID + "." }

// taskSubjects matches the subjects of all tasks of a subclass.
func (s *Solve) taskSubjects(c subclass) string {
	return fmt.Sprintf("%s.%s.%v.*", taskSubject, s.ID, c)
}

// taskSubject is the subject of the task of a group.
func (s *Solve) taskSubject(g group) string { return taskSubject + "." + s.groupKey(g) }
