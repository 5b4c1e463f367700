package main

import (
	"strings"
	"testing"

	"backsolve/cmd/solving"
	"backsolve/internal/machine"
	"backsolve/retro"
)

// The disk is checked for all that the processes of a solve write here: the table, and what they
// share unless that is elsewhere.
func TestCheckDisks(t *testing.T) {
	rules, space := newSpace(t, "notakto", 6)
	board, steps := &solving.Target{Rules: rules, Space: space}, retro.Options{Steps: true}
	need := steps.Plan(space).Disk(false) + steps.Plan(space).Planes(false)
	here, elsewhere := sharing{}, sharing{store: "s3://bucket"}
	here.workers.Count, elsewhere.workers.Count = 3, 2
	for _, c := range []struct {
		s    *sharing
		free int64
		says string
	}{
		{&here, need, ""},
		{&here, machine.Unknown, ""},
		{&here, need - 1, "for what the workers share), but only"},
		{&elsewhere, 0, ""}, // of the table alone somebody else says it
	} {
		err := c.s.checkDisk(board, steps, c.free)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d bytes free: %v", c.free, err)
		}
	}
}
