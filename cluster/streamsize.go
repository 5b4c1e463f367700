package cluster

import (
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

const (
	// shardsPerObject is how many shards of a table have the bytes of an object, which is read end to end.
	shardsPerObject = 8
	maxObjectBlocks = 1 << 15   // bounds the head of an object
	scanBytes       = 128 << 10 // of a read buffer: small enough for the cache of a core
)

// readMemory returns the memory in bytes for reading and counting objects, beside the slices: a buffer,
// a slice, its bytes and its end states for each object.
func readMemory(space *partition.Space) int64 {
	return loaders * (scanBytes + 128<<10 + 3*outofcore.SliceBytes(space))
}

// setSizes sets the sizes of objects, and the least number of shards of a class.
func (s *Solve) setSizes(space *partition.Space, o Options) {
	s.Spread = max(1, o.Expect)
	if !s.Stream {
		return
	}
	s.HighFirst = !littleEndian
	s.ShardBlocks = max(1, s.ShardBlocks)
	s.ObjectBlocks = max(1, min(int(shardsPerObject*s.ShardBytes/outofcore.SliceBytes(space)), s.ShardBlocks, maxObjectBlocks))
}

// hasByteOrder reports whether this machine has the byte order of the stored slices.
func (s *Solve) hasByteOrder() bool { return !s.Stream || s.HighFirst != littleEndian }

func (s *Solve) streamShards(c stage, blocks int) []shard {
	objects := (blocks + s.ObjectBlocks - 1) / s.ObjectBlocks
	size := s.ObjectBlocks * max(1, min(s.ShardBlocks/s.ObjectBlocks, (objects+s.Spread-1)/s.Spread))
	return shard{stage: c, Blocks: blocks}.cut(size)
}

func (s *Solve) objectOf(c stage, blocks, block int) shard {
	first := block / s.ObjectBlocks * s.ObjectBlocks
	return shard{stage: c, First: first, Blocks: min(s.ObjectBlocks, blocks-first)}
}

// StreamNeed estimates the memory in bytes of a worker of a solve that keeps no table, with shards of
// shardBlocks blocks.
func StreamNeed(space *partition.Space, o outofcore.Options, shardBlocks int) int64 {
	return o.Plan(space).WorkerMemory(int64(shardBlocks)) + readMemory(space)
}

// StreamOwn estimates that of its coordinator.
func StreamOwn(space *partition.Space) int64 {
	object := max(shardsPerObject*StandardShardBytes, outofcore.SliceBytes(space)) // read for an opening table
	return plan.NewOutOfCore(space, 0, false, 0).CoordinatorMemory() + readMemory(space) + object
}

// StreamBlocks returns the blocks of the largest shards for which a worker keeps the memory of the
// options. It returns 0 if that is too little for any.
func StreamBlocks(space *partition.Space, o outofcore.Options) int {
	if o.Memory > 0 {
		o.Memory = max(1, o.Memory-readMemory(space))
	}
	return int(o.Plan(space).WorkerBlocks(o.Memory))
}

// StreamShard returns the blocks of a shard of a class with a number of blocks, for that many workers.
func StreamShard(space *partition.Space, shardBlocks, workers int, blocks int64) int64 {
	s := Solve{Stream: true, ShardBytes: StandardShardBytes, ShardBlocks: shardBlocks}
	s.setSizes(space, Options{Expect: workers})
	return int64(s.streamShards(stage{}, int(blocks))[0].Blocks)
}
