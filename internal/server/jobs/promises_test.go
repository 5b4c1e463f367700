package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/game/examples"
	"backsolve/internal/machine"
	"backsolve/internal/server/api"
	"backsolve/internal/solve"
)

// A queue has limits even if none are given, and the solver's absolute path. Its records are found
// whatever its directory is called, and listed by age.
func TestOpenDefaults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]*?")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Skip(err)
	}
	now := time.Now().UTC()
	for i, id := range []string{"b", "a", "c"} {
		text, err := json.Marshal(record{Job: api.Job{Id: id, State: api.JobStateDone, Created: now.Add(time.Duration(-i) * time.Hour)}})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, id+recordSuffix), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	q, err := Open(Options{Dir: dir, Solver: "solver", Memory: 5})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, j := range q.List() {
		ids = append(ids, j.Id)
	}
	if !slices.Equal(ids, []string{"c", "a", "b"}) {
		t.Errorf("the oldest first: %v", ids)
	}
	here, err := os.Getwd()
	if err != nil || q.o.Solver != filepath.Join(here, "solver") || q.maxTime != 24*time.Hour || q.allTime != 168*time.Hour || q.o.Memory != 5 {
		t.Errorf("%+v, %v", q.o, err)
	}
	if before := machine.AvailableMemory(); before != machine.Unknown {
		if q, err = Open(Options{Dir: dir, Solver: "solver"}); err != nil || q.o.Memory < before/5*2 || q.o.Memory > before/5*3 {
			t.Errorf("%v, a job may take %d of %d bytes", err, q.o.Memory, before)
		}
	}
	if q, err = Open(Options{Dir: filepath.Join(dir, "a"+recordSuffix), Solver: "solver", Memory: 5}); err == nil {
		t.Errorf("a file is a directory: %+v", q)
	}
}

// A queue bounds its jobs and their time; the first job may take as long as it likes. The
// job for the same board is returned until it has ended or is being stopped.
func TestPlace(t *testing.T) {
	yes, cell := true, "c3"
	now := time.Now()
	job := func(state api.JobState, seconds float64, created time.Time) *record {
		return &record{Job: api.Job{Game: "quixo", Size: 3, State: state, Plan: api.Plan{Seconds: seconds}, Created: created}}
	}
	many := func(n int, state api.JobState) (all []*record) {
		for range n {
			all = append(all, job(state, 0, now))
		}
		return all
	}
	quixo := api.JobRequest{Game: "quixo", Size: 3}
	for _, c := range []struct {
		what    string
		records []*record
		of      api.JobRequest
		seconds float64
		same    bool
		full    bool
	}{
		{"the first, however long", nil, quixo, 1e9, false, false},
		{"a second one in time", []*record{job(api.JobStateRunning, 60, now)}, api.JobRequest{Game: "notakto"}, 40, false, false},
		{"a second one that is too long", []*record{job(api.JobStateRunning, 60, now)}, api.JobRequest{Game: "notakto"}, 40.1, false, true},
		{"after a long one that has ended", []*record{job(api.JobStateDone, 1e9, now.Add(-time.Second))}, quixo, 40, false, false},
		{"that has ended since", []*record{job(api.JobStateDone, 1, now)}, quixo, 40, true, false},
		{"of another board that has ended since", []*record{job(api.JobStateDone, 1e9, now)}, api.JobRequest{Game: "notakto"}, 40, false, false},
		{"waiting", []*record{job(api.JobStateQueued, 1, now.Add(-time.Second))}, quixo, 1e9, true, false},
		{"being stopped", []*record{job(api.JobStateStopping, 1, now)}, quixo, 1, false, false},
		{"with steps", []*record{job(api.JobStateQueued, 1, now)}, api.JobRequest{Game: "quixo", Size: 3, HasSteps: &yes}, 1, false, false},
		{"of another size", []*record{job(api.JobStateQueued, 1, now)}, api.JobRequest{Game: "quixo", Size: 4}, 1, false, false},
		{"after a move", []*record{job(api.JobStateQueued, 1, now)}, api.JobRequest{Game: "quixo", Size: 3, After: &cell}, 1, false, false},
		{"the last one", many(maxWaiting-1, api.JobStateQueued), api.JobRequest{Game: "notakto"}, 1, false, false},
		{"one too many", many(maxWaiting, api.JobStateQueued), api.JobRequest{Game: "notakto"}, 1, false, true},
		{"after many that have failed", many(maxWaiting, api.JobStateFailed), api.JobRequest{Game: "notakto"}, 1, false, false},
	} {
		q := &Queue{allTime: 100 * time.Second, records: c.records}
		same, err := q.place(c.of, c.seconds, now)
		if (same != nil) != c.same || errors.Is(err, ErrFull) != c.full || !c.full && err != nil {
			t.Errorf("%s: %+v, %v", c.what, same, err)
		}
	}
}

// Whoever waits for a change is told of each: a new job, one that begins, is stopped, or forgotten.
func TestChanged(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{})
	var id string
	for _, change := range []struct {
		what string
		make func() error
	}{
		{"added", func() (err error) { id = add(t, q, "quick", 4).Id; return nil }},
		{"begun", func() error {
			if _, begun := q.begin(q.find(id), func(error) {}); !begun {
				return errors.New("it does not begin")
			}
			return nil
		}},
		{"being stopped", func() error { _, err := q.Stop(id); return err }},
		{"stopped", func() error {
			q.find(id).State = api.JobStateQueued
			_, err := q.Stop(id)
			return err
		}},
		{"forgotten", func() error { _, err := q.Stop(id); return err }},
	} {
		changed := q.Changed()
		if err := change.make(); err != nil {
			t.Fatalf("%s: %v", change.what, err)
		}
		select {
		case <-changed:
		default:
			t.Errorf("%s: nobody is told", change.what)
		}
		select {
		case <-q.Changed():
			t.Errorf("%s: the next change is told at once", change.what)
		default:
		}
	}
	if records, err := filepath.Glob(filepath.Join(q.o.Dir, "*"+recordSuffix)); err != nil || len(records) > 0 {
		t.Errorf("%v is left: %v", records, err)
	}
	if _, begun := q.begin(&record{Job: api.Job{State: api.JobStateStopped}}, nil); begun {
		t.Error("a job begins that was stopped")
	}
}

// The records of the oldest jobs that have ended are removed, and of no others.
func TestForgetRemovesRecords(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{})
	for i := range maxFinished + 3 {
		state := api.JobStateFailed
		if i == 0 {
			state = api.JobStateQueued
		}
		r := &record{Job: api.Job{Id: fmt.Sprintf("%03d", i), State: state}}
		if err := q.write(r); err != nil {
			t.Fatal(err)
		}
		q.records = append(q.records, r)
	}
	q.forget()
	records, err := filepath.Glob(filepath.Join(q.o.Dir, "*"+recordSuffix))
	if err != nil || len(records) != maxFinished+1 || len(q.records) != maxFinished+1 || filepath.Base(records[0]) != "000.json" || filepath.Base(records[1]) != "003.json" {
		t.Errorf("%d records, from %v on, %v", len(records), records[:2], err)
	}
}

// exit returns the error of a program that ends in a way.
func exit(t *testing.T, how string) error {
	t.Helper()
	err := exec.Command("sh", "-c", how).Run()
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		t.Skip(err)
	}
	return err
}

// How a run ends says what becomes of its job: a limit fails it, a request stops it, the end of the server
// and two kills leave it to a later run.
func TestResult(t *testing.T) {
	kill, fails := exit(t, "kill -9 $$"), exit(t, "exit 1")
	said := []string{"resuming", "error: cannot write tables/a.tb: no space left", "error: another"}
	for _, c := range []struct {
		what     string
		cause    error
		err      error
		attempts int
		want     api.JobState
		reason   string
		after    int
	}{
		{"done", nil, nil, 1, api.JobStateDone, "", 1},
		{"done when it is stopped", errStopped, nil, 0, api.JobStateDone, "", 0},
		{"stopped", errStopped, kill, 0, api.JobStateStopped, "", 0},
		{"out of time", errTime, kill, 0, api.JobStateFailed, errTime.Error() + "; what is solved is kept", 0},
		{"out of memory", errMemory, kill, 0, api.JobStateFailed, errMemory.Error() + "; what is solved is kept", 0},
		{"the server ends", context.Canceled, kill, 1, api.JobStateQueued, "", 1},
		{"it cannot be run", nil, os.ErrPermission, 0, api.JobStateFailed, "the solver cannot be run; the server's log says why", 0},
		{"it fails", nil, fails, 2, api.JobStateFailed, "cannot write a file of the table: no space left", 2},
		{"killed first", nil, kill, 0, api.JobStateQueued, "", 1},
		{"killed again", nil, kill, 1, api.JobStateQueued, "", 2},
		{"killed too often", nil, kill, 2, api.JobStateFailed, "the solver was killed 3 times, perhaps for lack of memory; what is solved is kept", 3},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.cause != nil {
			cancel(c.cause)
		}
		r := &record{Attempts: c.attempts}
		state, reason := new(Queue).result(ctx, r, said, c.err)
		cancel(nil)
		if state != c.want || (reason != nil) != (c.reason != "") || reason != nil && *reason != c.reason || r.Attempts != c.after {
			t.Errorf("%s: %s after %d attempts, %v", c.what, state, r.Attempts, reason)
		}
	}
	for how, want := range map[string]bool{"kill -9 $$": true, "kill -15 $$": true, "exit 143": true, "exit 130": true, "exit 1": false, "exit 128": false, "exit 144": false} {
		if e, _ := errors.AsType[*exec.ExitError](exit(t, how)); killed(e) != want {
			t.Errorf("%s: killed %t", how, !want)
		}
	}
}

// What the solver says becomes progress, warnings and messages, of which the last are kept. A line that is too
// long is skipped.
func TestFollow(t *testing.T) {
	long := strings.Repeat("x", maxMessage+100)
	text := `{"done":1}` + "\n" + `{"done":2,"message":"a line"}` + "\nwarning: no right\n" + long + "\n" + `{"done":3}`
	var done []float64
	var warned []string
	said := follow(strings.NewReader(text), func(p *api.Progress) { done = append(done, float64(p.Done)) }, func(s string) { warned = append(warned, s) })
	if !slices.Equal(done, []float64{1, 3}) || !slices.Equal(warned, []string{"no right"}) || len(said) != 1 || !strings.Contains(said[0], "a line") {
		t.Errorf("%v, %q, %.50q", done, warned, said)
	}
	for _, n := range []int{maxMessages - 1, maxMessages, maxMessages + 2} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		said := follow(strings.NewReader(b.String()), nil, nil)
		if len(said) != min(n, maxMessages) || said[len(said)-1] != fmt.Sprintf("line %d", n-1) || said[0] != fmt.Sprintf("line %d", max(n-maxMessages, 0)) {
			t.Errorf("of %d lines %d are kept, from %q on", n, len(said), said[0])
		}
	}
}

// What exceeds a limit is cancelled when it does, and not before.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		began, looks := time.Now(), 0
		watch(ctx, cancel, time.Minute, errMemory, func() bool { looks++; return looks == 4 })
		if context.Cause(ctx) != errMemory || time.Since(began) != 3*time.Minute {
			t.Errorf("%v after %v", context.Cause(ctx), time.Since(began))
		}
		ended, end := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { end(errStopped) })
		watch(ended, end, time.Minute, errMemory, func() bool { return false })
		if context.Cause(ended) != errStopped || time.Since(began) != 3*time.Minute+time.Second {
			t.Errorf("%v after %v", context.Cause(ended), time.Since(began))
		}
	})
}

// A plan is fresh for a while after it was made, unless it failed. The number of kept plans is bounded.
func TestPlansAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := make(chan struct{})
		p := &planned{done: made, made: time.Now()}
		if p.isFresh() {
			t.Error("a plan is fresh before it is made")
		}
		close(made)
		time.Sleep(planAge - time.Nanosecond)
		if !p.isFresh() || (&planned{done: made, made: time.Now(), err: errTime}).isFresh() {
			t.Error("a plan is not fresh, or one that failed is")
		}
		if time.Sleep(time.Nanosecond); p.isFresh() {
			t.Error("an old plan is fresh")
		}
	})
	q, _ := open(t, t.TempDir(), limits{})
	for i := range maxPlans - 1 {
		q.plans[fmt.Sprint(i)] = &planned{}
	}
	for n := range 2 {
		args := []string{"quick", fmt.Sprint(n), "--dir=tables"}
		if p := q.await(t.Context(), args, false); p == nil || p.err != nil || p.waiting != 0 || q.plans[strings.Join(args, " ")] != p {
			t.Fatalf("%+v", p)
		}
		if want := []int{maxPlans, 1}[n]; len(q.plans) != want {
			t.Errorf("%d plans are kept, want %d", len(q.plans), want)
		}
	}
}

// A plan is an obstacle to a job where it exceeds a limit, in this order.
func TestObstacles(t *testing.T) {
	low := int64(8000)
	q := &Queue{o: Options{Memory: 1000}, maxTime: time.Minute}
	for _, c := range []struct {
		plan api.Plan
		said string
		want string
	}{
		{api.Plan{StoredStates: 1, MemoryBytes: 1000, DiskBytes: 2000, Seconds: 60}, "", ""},
		{api.Plan{StoredStates: 1, StoredStatesLow: &low, MemoryBytes: 1001, DiskBytes: 2001, Seconds: 61}, "", "1001 B of memory, but the server allows a job 1000 B"},
		{api.Plan{StoredStates: 1, Seconds: 60.6}, "", "1m1s of time, but the server allows a job 1m0s"},
		{api.Plan{StoredStatesLow: &low, MemoryBytes: 1001}, "", "at least 8,000 states"},
		{api.Plan{}, "no such disk; choose another", "no such disk"},
	} {
		got, remedy := q.obstacle(&c.plan, c.said)
		if (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) || (remedy == "") != (c.want == "" || c.said != "") {
			t.Errorf("%+v: %q; %q, want %q", c.plan, got, remedy, c.want)
		}
	}
}

// The command line of a job has what was asked for, and a limit of memory that tbsolve takes.
func TestArguments(t *testing.T) {
	if err := examples.Add(); err != nil {
		t.Fatal(err)
	}
	yes, no, cell := true, false, "c3"
	q := &Queue{o: Options{Memory: 5}}
	for want, of := range map[string]api.JobRequest{
		"quixo 3": {Game: "quixo", Size: 3, HasSteps: &no, Packed: &no, Force: &no},
		"quixo 3 --steps --packed --after=c3 --force": {Game: "quixo", Size: 3, HasSteps: &yes, Packed: &yes, Force: &yes, After: &cell},
		"hounds --force": {Game: "hounds", Size: 3, HasSteps: &yes, Packed: &yes, Force: &yes},
	} {
		if got := strings.Join(q.arguments(of), " "); got != want+" --memory=1048576 --dir=tables --json" {
			t.Errorf("%s, want %s", got, want)
		}
	}

	// A game whose rules are among the tables is solved by these.
	q.o.Dir = t.TempDir()
	rules := filepath.Join(TablesDir(q.o.Dir), "hounds.tb.wasm")
	if err := errors.Join(os.Mkdir(TablesDir(q.o.Dir), 0o777), os.WriteFile(rules, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if got := q.arguments(api.JobRequest{Game: "hounds"})[0]; got != filepath.Join("tables", "hounds.tb.wasm") {
		t.Errorf("the board is %s", got)
	}
}

// The solver sees what it needs of the environment, and nothing else.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SYSTEMROOT", "GODEBUG", "PATHS", "BACKSOLVE_TOKEN"} {
		t.Setenv(name, "x11=0")
	}
	want := []string{"GODEBUG=x11=0", "HOME=x11=0", "PATH=x11=0", "SYSTEMROOT=x11=0", "TMPDIR=x11=0"}
	if got := environment(); !reflect.DeepEqual(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A plan of the API has the keys of tbsolve's.
func TestPlanKeys(t *testing.T) {
	keys := func(of reflect.Type) (names []string) {
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
		return names
	}
	known := keys(reflect.TypeFor[solve.Plan]())
	for _, name := range keys(reflect.TypeFor[api.Plan]()) {
		if !slices.Contains(known, name) {
			t.Errorf("%s is no key of tbsolve --plan --json", name)
		}
	}
}
