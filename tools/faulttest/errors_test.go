package faulttest

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// When a system call fails, once or from then on, the job reports the error and the
// remedy, or succeeds. Without the fault the same command then ends with the right
// bytes and has kept the finished classes.
func TestErrorsAtCalls(t *testing.T) {
	needsTracer(t)
	kinds := []Fault{
		{Action: Fail, Errno: syscall.ENOSPC},
		{Action: Fill, Errno: syscall.ENOSPC},
		{Action: Fail, Errno: syscall.EIO},
		{Action: FailOnward, Errno: syscall.EIO},
	}
	y := newTally(t, "errors")
	for _, j := range jobs() {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			j.prepare(t)
			calls := j.undisturbed(t)
			chosen := j.random(0).Perm(len(calls))
			if !long() {
				chosen = chosen[:2]
			}
			for _, at := range chosen {
				c := calls[at]
				for _, f := range kinds {
					f.At = at + 1
					t.Run(fmt.Sprintf("%s_%s_%d", f.Action, name(f.Errno), f.At), func(t *testing.T) {
						onFailure(t)
						t.Logf("%s %s", c.Op, c.Path)
						y.fault(j.name, f)
						y.ended(j.withError(t, f))
					})
				}
			}
		})
	}
}

// name returns the name of an error, which, unlike its text, has no spaces.
func name(e syscall.Errno) string {
	if e == syscall.ENOSPC {
		return "ENOSPC"
	}
	return "EIO"
}

// withError runs the job with an error, and then without.
func (j *job) withError(t *testing.T, f Fault) string {
	dir := writeFiles(t, j.found)
	r := j.trace(t, dir, f)
	if !r.Fired {
		t.Fatalf("it made %d calls, so none failed", len(r.Calls))
	}
	whole := j.checkFinal(t, dir)
	switch {
	case r.Status == 0 && !whole:
		t.Errorf("it ended with exit status 0 and no %s", j.final)
	case r.Status == 0:
		return "no harm done, then " + j.recover(t, dir, 0)
	case r.Status != 1 && r.Status != 5: // 5 where it was refused before any work
		t.Errorf("exit status %d: %s", r.Status, r.Stderr)
	}
	checkSentence(t, r.Stderr)
	if !strings.Contains(r.Stderr, f.Errno.Error()) {
		t.Errorf("it does not name the cause, %v: %s", f.Errno, r.Stderr)
	}
	return "refused, then " + j.recover(t, dir, j.finished(r.Calls))
}
