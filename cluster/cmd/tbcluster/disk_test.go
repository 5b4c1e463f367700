package main

import (
	"strings"
	"testing"

	"backsolve/internal/machine"
	"backsolve/internal/solve"
	"backsolve/retro"
)

// PlanTable checks the disk for the table, and for the store unless that is elsewhere.
func TestCheckDisks(t *testing.T) {
	rules, space := newSpace(t, "notakto", 6)
	job := &solve.Job{Options: solve.Options{Engine: retro.Options{Steps: true}}, Rules: rules, Space: space}
	plan := job.Engine.Plan(space)
	need := plan.Disk() + plan.TwoClasses()
	here, elsewhere := sharing{}, sharing{store: "s3://bucket"}
	here.workers.Count, elsewhere.workers.Count = 3, 2
	for _, c := range []struct {
		s    *sharing
		free int64
		says string
	}{
		{&here, need, ""},
		{&here, machine.Unknown, ""},
		{&here, need - 1, "for the store), but only"},
		{&elsewhere, 0, ""}, // the table alone is checked elsewhere
	} {
		_, err := c.s.PlanTable(job, c.free)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d bytes free: %v", c.free, err)
		}
	}
}
