package cluster

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"backsolve/retro/outofcore"
)

// The groups of a subclass have all of its blocks, once, in whole parts, and every worker gets one.
func TestStreamGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Solve{
			Stream: true, PartBlocks: rapid.IntRange(1, 50).Draw(t, "part"), Spread: rapid.IntRange(1, 20).Draw(t, "spread"),
			GroupBlocks: rapid.IntRange(1, 2000).Draw(t, "group"),
		}
		blocks := rapid.IntRange(1, 5000).Draw(t, "blocks")
		groups := s.streamGroups(subclass{class: 3}, blocks)
		next := 0
		for _, g := range groups {
			if g.first != next || g.blocks < 1 || g.blocks > max(s.GroupBlocks, s.PartBlocks) || g.first%s.PartBlocks != 0 {
				t.Fatalf("%+v comes instead of block %d", g, next)
			}
			for _, part := range g.cut(s.PartBlocks) {
				if part.first != next || s.partOf(g.subclass, blocks, next) != part || s.partOf(g.subclass, blocks, next+part.blocks-1) != part {
					t.Fatalf("the part %+v comes instead of block %d", part, next)
				}
				next += part.blocks
			}
		}
		if next != blocks || len(groups) < min(s.Spread, (blocks+s.PartBlocks-1)/s.PartBlocks)/2 {
			t.Fatalf("%d groups have %d of %d blocks", len(groups), next, blocks)
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
	if err := coordinator.setSpread(coordinator.Context(), subclass{class: 5}); !errors.Is(err, errStopped) {
		t.Errorf("%v, want %v", err, errStopped)
	}
}

// The sizes of parts and groups follow from the blocks and the number of workers. Without Stream
// there are no parts.
func TestPartSizes(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	slice := outofcore.SliceBytes(space)
	for _, c := range []struct {
		of     Solve
		expect int
		want   [3]int // blocks of a group and of a part, and groups
	}{
		{Solve{Stream: true}, 0, [3]int{1, 1, 1}},
		{Solve{Stream: true, GroupBlocks: 500, GroupBytes: slice}, 3, [3]int{500, groupsPerPart, 3}},
		{Solve{Stream: true, GroupBlocks: 5, GroupBytes: 10 * slice}, 1, [3]int{5, 5, 1}},
		{Solve{Stream: true, GroupBlocks: 1 << 20, GroupBytes: slice << 30}, -1, [3]int{1 << 20, 1 << 15, 1}},
		{Solve{GroupBytes: slice}, 3, [3]int{0, 0, 3}}, // the least number of shards
	} {
		got := c.of
		got.setPartSizes(space, Options{Expect: c.expect})
		if is := [3]int{got.GroupBlocks, got.PartBlocks, got.Spread}; is != c.want || got.HighFirst != (c.of.Stream && !littleEndian) {
			t.Errorf("%+v for %d workers: %v, want %v", c.of, c.expect, is, c.want)
		}
	}
}
