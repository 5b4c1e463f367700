package faulttest

import (
	"bytes"
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

// In a small job every single call fails once, including those that read.
func TestEveryCallFails(t *testing.T) {
	needsTracer(t)
	y := newTally(t, "errors")
	chosen := smallJobs()
	if long() {
		chosen = append(chosen, jobs()...)
	}
	for _, j := range chosen {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			j.prepare(t)
			for k, c := range j.trace(t, writeFiles(t, j.found), Fault{Reads: true}).Calls {
				f := failing(k, c)
				t.Run(fmt.Sprint(f.At), func(t *testing.T) {
					onFailure(t)
					t.Logf("%s %s", c.Op, c.Path)
					y.fault(j.name, f)
					y.ended(j.withError(t, f))
				})
			}
		})
	}
}

// failing is the error of the call with an index.
func failing(k int, c Call) Fault {
	f := Fault{At: k + 1, Action: Fail, Errno: syscall.EIO, Reads: true}
	if c.Op == Open || c.Op == LookAt {
		f.Errno = syscall.EMFILE
	}
	return f
}

// Commands that only read say which call failed, and change nothing.
func TestReadersMeetErrors(t *testing.T) {
	needsTracer(t)
	found := newDir(t)
	for _, args := range []string{"quixo 2 --steps", "quixo 2 --steps --packed=archive --force"} {
		if o := run(t, found, solve(args)); o.status != 0 {
			t.Fatal(o.stderr)
		}
	}
	files := read(t, found)
	y := newTally(t, "errors")
	for _, args := range []string{
		"verify tables/quixo-2x2.tb --quiet", "verify tables/quixo-2x2.tb.zst --quiet", "info quixo 2 --dir tables", "info tables/quixo-2x2.tb.zst",
		"export tables/quixo-2x2.tb --out tables/out.csv --quiet", "export tables/quixo-2x2.tb.zst --out tables/out.csv --quiet",
		"mine tables/quixo-2x2.tb --quiet",
	} {
		t.Run(strings.ReplaceAll(args, "/", " "), func(t *testing.T) {
			t.Parallel()
			j := &job{name: args, args: strings.Fields(args), found: files}
			dir := writeFiles(t, files)
			undisturbed := j.trace(t, dir, Fault{Reads: true})
			if undisturbed.Status != 0 {
				t.Fatal(undisturbed.Stderr)
			}
			j.want = read(t, dir)
			for k, c := range undisturbed.Calls {
				dir, f := writeFiles(t, files), failing(k, c)
				y.fault(args, f)
				r := j.trace(t, dir, f)
				switch {
				case r.Status == 0 && r.Stdout == undisturbed.Stdout:
					y.ended("no harm done")
				case (r.Status == 1 || r.Status == 5) && r.Stdout == "" && strings.Contains(r.Stderr, f.Errno.Error()):
					checkSentence(t, r.Stderr)
					y.ended("refused")
				default:
					t.Errorf("call %d, %s %s: %v: exit status %d: %s%s", k+1, c.Op, c.Path, f.Errno, r.Status, r.Stdout, r.Stderr)
				}
				for name, content := range read(t, dir) {
					if !strings.HasSuffix(name, ".lock") && !bytes.Equal(content, j.want[name]) {
						t.Errorf("call %d, %s %s: it leaves another %s", k+1, c.Op, c.Path, name)
					}
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
	if strings.Contains(r.Stderr, "something else wrote to it") {
		t.Errorf("it blames another program: %s", r.Stderr)
	}
	if !strings.Contains(r.Stderr, f.Errno.Error()) {
		t.Errorf("it does not name the cause, %v: %s", f.Errno, r.Stderr)
	}
	return "refused, then " + j.recover(t, dir, j.finished(r.Calls))
}
