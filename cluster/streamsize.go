package cluster

import (
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

const (
	// groupsPerPart is how many groups of a table have the bytes of a part: a part is read from
	// one end to the other.
	groupsPerPart = 8
	// maxPartBlocks bounds the head of a part.
	maxPartBlocks = 1 << 15
	// scanBytes is the size of a read buffer: more than a frame of the store, and small enough
	// for the cache of a core.
	scanBytes = 128 << 10
)

// readMemory returns the memory in bytes for reading and counting parts, beside the slices: a buffer,
// a slice, its bytes and its end states for each part.
func readMemory(space *partition.Space) int64 {
	return loaders * (scanBytes + 128<<10 + 3*outofcore.SliceBytes(space))
}

// setPartSizes sets the sizes of parts, and the least number of groups of a class.
func (s *Solve) setPartSizes(space *partition.Space, o Options) {
	s.Spread = max(1, o.Expect)
	if !s.Stream {
		return
	}
	s.HighFirst = !littleEndian
	s.GroupBlocks = max(1, s.GroupBlocks)
	s.PartBlocks = max(1, min(int(groupsPerPart*s.GroupBytes/outofcore.SliceBytes(space)), s.GroupBlocks, maxPartBlocks))
}

// hasByteOrder reports whether this machine has the byte order of the stored slices.
func (s *Solve) hasByteOrder() bool { return !s.Stream || s.HighFirst != littleEndian }

// streamGroups cuts a subclass of a number of blocks into groups.
func (s *Solve) streamGroups(c subclass, blocks int) []group {
	parts := (blocks + s.PartBlocks - 1) / s.PartBlocks
	size := s.PartBlocks * max(1, min(s.GroupBlocks/s.PartBlocks, (parts+s.Spread-1)/s.Spread))
	return group{subclass: c, blocks: blocks}.cut(size)
}

// partOf returns the part with a block of a subclass of a number of blocks.
func (s *Solve) partOf(c subclass, blocks, block int) group {
	first := block / s.PartBlocks * s.PartBlocks
	return group{subclass: c, first: first, blocks: min(s.PartBlocks, blocks-first)}
}

// StreamNeed estimates the memory in bytes of a worker for a solve that keeps no table, with
// groups of groupBlocks blocks.
func StreamNeed(space *partition.Space, o outofcore.Options, groupBlocks int) int64 {
	return o.Plan(space).WorkerMemory(int64(groupBlocks)) + readMemory(space)
}

// StreamOwn estimates the memory in bytes of the coordinator of such a solve.
func StreamOwn(space *partition.Space) int64 {
	part := max(groupsPerPart*StandardGroupBytes, outofcore.SliceBytes(space)) // read for an opening table
	return plan.NewOutOfCore(space, 0, false, 0).CoordinatorMemory() + readMemory(space) + part
}

// StreamBlocks returns the blocks of the largest groups for which a worker keeps the memory of the
// options. It returns 0 if that is too little for any.
func StreamBlocks(space *partition.Space, o outofcore.Options) int {
	if o.Memory > 0 {
		o.Memory = max(1, o.Memory-readMemory(space))
	}
	return int(o.Plan(space).WorkerBlocks(o.Memory))
}

// StreamGroup returns the blocks of a group of a class that has a number of blocks, if there are
// that many workers.
func StreamGroup(space *partition.Space, groupBlocks, workers int, blocks int64) int64 {
	s := Solve{Stream: true, GroupBytes: StandardGroupBytes, GroupBlocks: groupBlocks}
	s.setPartSizes(space, Options{Expect: workers})
	return int64(s.streamGroups(subclass{}, int(blocks))[0].blocks)
}
