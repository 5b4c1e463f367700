package outofcore

import (
	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro"
)

// Need returns the memory in bytes with which a solve runs well, and the least it
// can do with.
func Need(space partition.Space, o retro.Options) (good, least int64) {
	o = standard(o)
	slice := sliceBytes(space)
	fixed := partition.CutBytes(space) + retro.FixedBytes(space, o) + int64(o.Threads+readAhead)*slice
	var most int64
	for _, blocks := range partition.BlockCounts(space) {
		most = max(most, blocks)
	}
	perBlock := slice + blockOverhead(space)
	return fixed + most*perBlock, fixed + int64(o.Threads)*perBlock
}

func sliceBytes(space partition.Space) int64 { return int64(bitslice.Words(space.IndexBits[0])) * 8 }

// blockOverhead is the memory of a block in work beside its slice: its links,
// listed twice, with what the runtime's collector needs to leave room for.
func blockOverhead(space partition.Space) int64 {
	return 512 + 128*int64(space.MaskBits)
}

// Disk returns the bytes that the work files take at most: those of two
// neighbouring classes.
func Disk(space partition.Space) int64 {
	var most, before int64
	for _, blocks := range partition.BlockCounts(space) {
		most = max(most, before+blocks)
		before = blocks
	}
	return most * sliceBytes(space)
}
