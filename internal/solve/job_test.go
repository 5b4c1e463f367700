package solve

import (
	"errors"
	"path/filepath"
	"testing"

	"backsolve/internal/probe"
	"backsolve/partition/spacetest"
	"backsolve/retro"
)

// TestJob solves a board as a program does that is not one of ours: interrupted, resumed,
// found again, refused, and without a table.
func TestJob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	rules, _ := spacetest.New(t, "notakto", 4)
	var notices []any
	solve := func(o Options) (Report, error) {
		t.Helper()
		notices, o.Notify = nil, func(notice any) { notices = append(notices, notice) }
		j, err := New(dir, rules, 0, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if p := j.Plan(); p.Possible != (o.Limit.Bytes == 0 && !o.Engine.Steps) || p.Blocks == 0 {
			t.Errorf("the plan is %+v", p)
		}
		return j.Solve(t.Context())
	}
	if r, err := solve(Options{Limit: Limit{Bytes: 1}}); r != nil || !errors.As(err, new(*Refusal)) || !errors.As(err, new(*MemoryError)) {
		t.Errorf("with a byte of memory: %v, %v", r, err)
	}
	r, err := solve(Options{Engine: retro.Options{DownTo: 2}})
	if c, ok := r.(*Classes); err != nil || !ok || len(c.Classes) != c.All-2 {
		t.Fatalf("down to class 2: %+v, %v", r, err)
	}
	r, err = solve(Options{})
	s, ok := r.(*Summary)
	if err != nil || !ok || s.Existing || s.ResumedClasses == 0 {
		t.Fatalf("resumed: %+v, %v", r, err)
	}
	if len(notices) != 1 || notices[0] != (Resumed{s.ResumedClasses, s.Classes}) {
		t.Errorf("the notices are %v", notices)
	}
	if r, err = solve(Options{}); err != nil || !r.(*Summary).Existing {
		t.Errorf("again: %+v, %v", r, err)
	}
	if _, err = solve(Options{Engine: retro.Options{Steps: true}}); !errors.As(err, new(*probe.StepsError)) {
		t.Errorf("with steps: %v", err)
	}
	for _, existing := range []bool{false, true} {
		r, err := solve(Options{Keep: KeepResult})
		saved, ok := r.(*Saved)
		if err != nil || !ok || saved.Existing != existing || saved.Start.Outcome != s.Start.Outcome || saved.Wins != s.Wins || saved.Losses != s.Losses {
			t.Errorf("without a table: %+v, %v", r, err)
		}
	}
	if _, err := New(dir, rules, 0, nil, Options{Engine: retro.Options{DownTo: 99}}); err == nil {
		t.Error("down to class 99")
	}
}
