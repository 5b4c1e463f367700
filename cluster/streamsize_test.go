package cluster

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"backsolve/retro/outofcore"
)

// The shards of a stage have all of its blocks, once, in whole objects, and every worker gets one.
func TestStreamGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Solve{
			Stream: true, ObjectBlocks: rapid.IntRange(1, 50).Draw(t, "object"), Spread: rapid.IntRange(1, 20).Draw(t, "spread"),
			ShardBlocks: rapid.IntRange(1, 2000).Draw(t, "shard"),
		}
		blocks := rapid.IntRange(1, 5000).Draw(t, "blocks")
		shards := s.streamShards(stage{Class: 3}, blocks)
		next := 0
		for _, g := range shards {
			if g.First != next || g.Blocks < 1 || g.Blocks > max(s.ShardBlocks, s.ObjectBlocks) || g.First%s.ObjectBlocks != 0 {
				t.Fatalf("%+v comes instead of block %d", g, next)
			}
			for _, object := range g.cut(s.ObjectBlocks) {
				if object.First != next || s.objectOf(g.stage, blocks, next) != object || s.objectOf(g.stage, blocks, next+object.Blocks-1) != object {
					t.Fatalf("the object %+v comes instead of block %d", object, next)
				}
				next += object.Blocks
			}
		}
		if next != blocks || len(shards) < min(s.Spread, (blocks+s.ObjectBlocks-1)/s.ObjectBlocks)/2 {
			t.Fatalf("%d shards have %d of %d blocks", len(shards), next, blocks)
		}
	})
}

// setSpread returns the cause when the solve is stopped.
func TestSpreadStopped(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
	ctx, stop := context.WithCancelCause(t.Context())
	coordinator, err := Begin(ctx, space, NewStream(space, false, 1000), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	stop(errStopped)
	if err := coordinator.setSpread(coordinator.Context(), stage{Class: 5}); !errors.Is(err, errStopped) {
		t.Errorf("%v, want %v", err, errStopped)
	}
}

// The sizes of objects and shards follow from the blocks and the number of workers. Without Stream
// there are no objects.
func TestSizes(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	slice := outofcore.SliceBytes(space)
	for _, c := range []struct {
		of     Solve
		expect int
		want   [3]int // blocks of a shard and of an object, and shards
	}{
		{Solve{Stream: true}, 0, [3]int{1, 1, 1}},
		{Solve{Stream: true, ShardBlocks: 500, ShardBytes: slice}, 3, [3]int{500, shardsPerObject, 3}},
		{Solve{Stream: true, ShardBlocks: 5, ShardBytes: 10 * slice}, 1, [3]int{5, 5, 1}},
		{Solve{Stream: true, ShardBlocks: 1 << 20, ShardBytes: slice << 30}, -1, [3]int{1 << 20, 1 << 15, 1}},
		{Solve{ShardBytes: slice}, 3, [3]int{0, 0, 3}}, // the least number of shards
	} {
		got := c.of
		got.setSizes(space, Options{Expect: c.expect})
		if is := [3]int{got.ShardBlocks, got.ObjectBlocks, got.Spread}; is != c.want || got.HighFirst != (c.of.Stream && !littleEndian) {
			t.Errorf("%+v for %d workers: %v, want %v", c.of, c.expect, is, c.want)
		}
	}
}
