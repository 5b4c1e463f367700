package jobs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/server/api"
)

// solver stands for tbsolve. The game says what it does. It leaves a line in tables/starts each time
// it begins to solve.
const solver = `#!/bin/sh
memory=1000 disk=1000 seconds=1 obstacle=
case "$1 $*" in
shared*--plan*) sleep 0.05; if [ -e tables/shared.partial ]; then obstacle="tables/shared.partial: another process is writing this table"; fi;;
gated*--plan*) echo $$ >>tables/plans; until [ -e tables/open ]; do sleep 0.01; done;;
sampled*--plan*) echo '{"stored_states":9000,"stored_states_low":8000,"memory_bytes":99,"disk_bytes":10,"seconds":1,"seconds_low":2}'; exit;;
untold*--plan*) echo '{"stored_states":0,"stored_states_low":8000,"disk_bytes":10,"seconds":1}'; exit;;
esac
case $1 in
bulky) memory=99999999999;; long) seconds=999999;; broken) echo "error: no such game" >&2; exit 2;;
limited) if [ "$(ulimit -t)" = unlimited ]; then exit 1; fi;;
esac
case "$*" in
*--plan*) echo "{\"stored_states\":7,\"memory_bytes\":$memory,\"disk_bytes\":$disk,\"seconds\":$seconds,\"why\":\"$obstacle\"}"; exit;;
esac
echo "$*" >>tables/starts
case $1 in
quick) echo 'resuming' >&2; echo "$BACKSOLVE_SECRET" >tables/quick.tb;;
slow) echo part >>tables/slow.partial
	trap 'echo "error: stopped by a signal" >&2; exit 143' TERM
	echo '{"kind":"table","title":"slow","at":"class 3","unit":"states","done":5,"total":10,"per_second":2.5,"seconds_left":2}' >&2
	while :; do sleep 0.01; done;;
stubborn) trap '' TERM; echo >tables/stubborn; while :; do sleep 0.01; done;;
shared) echo >tables/shared.partial; sleep 0.3; rm tables/shared.partial;;
dies) kill -9 $$;;
full) echo "error: cannot write tables/full.tb: no space left on device" >&2; echo "hint: free some" >&2; exit 1;;
brim) until [ "$(wc -c <tables/brim.partial)" -gt 150000 ]; do
	yes | head -c 20000 >>tables/brim.partial || { echo "error: cannot write tables/brim.partial: no space left on device" >&2; exit 1; }; done;;
hoards) text=0123456789; for i in $(seq 25); do text=$text$text; done; while :; do sleep 0.1; done;;
noisy) yes | head -c 3000000 | tr '\n' 'x' >&2; for i in $(seq 100); do echo "line $i" >&2; done; exit 1;;
esac
`

// limits are those of a queue, 0 for those of the server.
type limits struct {
	Memory        int64
	Time, AllTime time.Duration
}

// open opens a queue of a directory that has the solver.
func open(t *testing.T, dir string, l limits) (*Queue, *bytes.Buffer) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the solver of the tests is a shell script")
	}
	file := filepath.Join(dir, "solver")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(file, []byte(solver), 0o755)); err != nil {
		t.Fatal(err)
	}
	log := new(bytes.Buffer)
	q, err := Open(Options{Dir: dir, Solver: file, Memory: cmp.Or(l.Memory, 1<<30), Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	q.maxTime, q.allTime = cmp.Or(l.Time, q.maxTime), cmp.Or(l.AllTime, q.allTime)
	return q, log
}

// run runs a queue until stop is called, which waits for its end.
func (q *Queue) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// add adds a job.
func add(t *testing.T, q *Queue, name string, size game.Size) api.Job {
	t.Helper()
	j, err := q.Add(t.Context(), api.JobRequest{Game: name, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// until waits until a job has one of the states.
func until(t *testing.T, q *Queue, id string, states ...api.JobState) api.Job {
	t.Helper()
	late := time.After(time.Minute)
	for {
		changed := q.Changed()
		j, err := q.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(states, j.State) {
			return j
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("the job is %+v, want one of %v", j, states)
		}
	}
}

// A job ends with its table, which is reported before the job is done, and has none of the
// server's secrets. Its record outlives the queue.
func TestJob(t *testing.T) {
	t.Setenv("BACKSOLVE_SECRET", "secret")
	dir := t.TempDir()
	q, log := open(t, dir, limits{Memory: 5 << 20})
	var id string
	finished := 0
	q.o.Finished = func() {
		finished++
		if j, err := q.Get(id); err != nil || j.State != api.JobStateRunning {
			t.Errorf("%v, the table comes when the job is %s", err, j.State)
		}
	}
	j := add(t, q, "quick", 4)
	id = j.Id
	if j.State != api.JobStateQueued || j.Plan.StoredStates != 7 || !j.Plan.Possible {
		t.Errorf("%+v", j)
	}
	stop := q.start()
	j = until(t, q, j.Id, api.JobStateDone)
	stop()
	if finished != 1 {
		t.Errorf("%d tables are reported", finished)
	}
	if text, err := os.ReadFile(filepath.Join(TablesDir(dir), "quick.tb")); err != nil || string(text) != "\n" {
		t.Errorf("%v, %q", err, text)
	}
	if text, err := os.ReadFile(filepath.Join(TablesDir(dir), "starts")); err != nil || string(text) != "quick 4 --memory=5242880 --dir=tables --json --progress=json\n" {
		t.Errorf("%v, %q", err, text)
	}
	if !strings.Contains(log.String(), "job ended") {
		t.Error(log)
	}
	again, _ := open(t, dir, limits{})
	if list := again.List(); len(list) != 1 || list[0].State != api.JobStateDone || !list[0].Created.Equal(j.Created) || list[0].Plan != j.Plan {
		t.Errorf("%+v, want %+v", list, j)
	}
}

// The options of a request reach the solver, and tell boards apart. A solver that is started again
// resumes rather than discard what it has done.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{Memory: 5 << 20})
	yes, cell := true, "c3"
	ask := func(of api.JobRequest) string {
		t.Helper()
		j, err := q.Add(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		return j.Id
	}
	whole := ask(api.JobRequest{Game: "quick", Size: 4})
	after := ask(api.JobRequest{Game: "quick", Size: 4, HasSteps: &yes, Packed: &yes, After: &cell})
	if again := ask(api.JobRequest{Game: "quick", Size: 4, HasSteps: &yes, After: &cell}); again != after || after == whole {
		t.Errorf("jobs %s, %s, %s", whole, after, again)
	}
	if variant := ask(api.JobRequest{Game: "quick", Size: game.Sized(4, 4, 3, 0)}); variant == whole {
		t.Error("a variant of a board is that board")
	}
	dies := ask(api.JobRequest{Game: "dies", Size: 4, Force: &yes})
	q, _ = open(t, dir, limits{Memory: 5 << 20}) // as the records have it
	defer q.start()()
	until(t, q, dies, api.JobStateFailed)
	starts, err := os.ReadFile(filepath.Join(TablesDir(dir), "starts"))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(starts), "\n")
	for i, want := range []string{"quick 4 --memory", "quick 4 --steps --packed --after=c3 --memory", "quick 4x4,three --memory", "dies 4 --force --memory", "dies 4 --memory", "dies 4 --memory"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("start %d is %s, want %s", i, got[i], want)
		}
	}
}

// A running job shows its progress, and stops gently when asked. What is done stays, and a
// second request forgets the job.
func TestStop(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	defer q.start()()
	slow := add(t, q, "slow", 4)
	waiting := add(t, q, "quick", 4)
	for {
		changed := q.Changed()
		if j := until(t, q, slow.Id, api.JobStateRunning); j.Progress != nil {
			if p := *j.Progress; p.At != "class 3" || p.Done != 5 || p.Total != 10 || p.PerSecond != 2.5 || *p.SecondsLeft != 2 {
				t.Errorf("%+v", p)
			}
			break
		}
		<-changed
	}
	if same := add(t, q, "slow", 4); same.Id != slow.Id {
		t.Error("a board is queued twice")
	}
	if j, err := q.Stop(waiting.Id); err != nil || j.State != api.JobStateStopped {
		t.Errorf("%v, %+v", err, j)
	}
	if j, err := q.Stop(slow.Id); err != nil || j.State != api.JobStateStopping {
		t.Errorf("%v, %+v", err, j)
	}
	until(t, q, slow.Id, api.JobStateStopped)
	if _, err := os.Stat(filepath.Join(TablesDir(dir), "slow.partial")); err != nil {
		t.Error(err)
	}
	for range 2 {
		q.Stop(slow.Id)
	}
	if _, err := q.Get(slow.Id); !errors.Is(err, ErrUnknown) || len(q.List()) != 1 {
		t.Errorf("%v, %+v", err, q.List())
	}
	if _, err := q.Stop("../solver"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// A job that runs when the server ends runs again in the next one, however it ended; one that
// was being stopped does not.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	stop := q.start()
	slow := add(t, q, "slow", 4)
	until(t, q, slow.Id, api.JobStateRunning)
	record := filepath.Join(dir, slow.Id+recordSuffix)
	killed, err := os.ReadFile(record) // as a server that is killed leaves it
	if err != nil {
		t.Fatal(err)
	}
	stop()
	for _, text := range [][]byte{nil, killed} {
		if text != nil {
			if err := os.WriteFile(record, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		q, _ = open(t, dir, limits{})
		if j, err := q.Get(slow.Id); err != nil || j.State != api.JobStateQueued {
			t.Errorf("%v, %+v", err, j)
		}
		stop = q.start()
		until(t, q, slow.Id, api.JobStateRunning)
		stop()
	}
	if err := os.WriteFile(record, bytes.Replace(killed, []byte(api.JobStateRunning), []byte(api.JobStateStopping), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	q, _ = open(t, dir, limits{})
	if j, err := q.Get(slow.Id); err != nil || j.State != api.JobStateStopped {
		t.Errorf("%v, %+v", err, j)
	}
}

// While a solver of a server that was killed still runs, no other one starts.
func TestOneSolver(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	j := add(t, q, "quick", 4)
	old, err := durable.Lock(TablesDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer q.start()()
	time.Sleep(50 * time.Millisecond)
	if now, _ := q.Get(j.Id); now.State != api.JobStateQueued {
		t.Errorf("it is %s beside another solver", now.State)
	}
	if err := old.Unlock(); err != nil {
		t.Fatal(err)
	}
	until(t, q, j.Id, api.JobStateDone)
}

// What goes wrong with a solver is the reason of its job, and does not keep others from theirs.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	q, log := open(t, dir, limits{})
	wants := map[string]string{
		"full":  "cannot write a file of the table: no space left on device",
		"noisy": "the solver failed; the server's log says why",
		"slow":  "as long as the server allows",
	}
	ids := map[string]string{}
	for name := range wants {
		ids[name] = add(t, q, name, 4).Id
	}
	quick := add(t, q, "quick", 4)
	q.maxTime = time.Second
	stop := q.start()
	until(t, q, quick.Id, api.JobStateDone)
	for name := range wants {
		until(t, q, ids[name], api.JobStateFailed)
	}
	stop()
	for name, want := range wants {
		j := until(t, q, ids[name], api.JobStateFailed)
		if !strings.Contains(*j.Reason, want) || len(*j.Reason) > maxMessage {
			t.Errorf("%s: %.200s", name, *j.Reason)
		}
	}
	if text := log.String(); !strings.Contains(text, "line 100") || len(text) > 2*maxMessages*maxMessage {
		t.Errorf("the log has %d bytes, %.300s", len(text), text)
	}
}

// A solver that does not stop is killed.
func TestStubborn(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	cmd := q.command(t.Context(), niceness, []string{"stubborn"})
	ctx, cancel := context.WithCancel(t.Context())
	killing := q.command(ctx, niceness, []string{"stubborn"})
	if cmd.WaitDelay != stopTime || cmd.SysProcAttr == nil && runtime.GOOS == "linux" {
		t.Errorf("%+v", cmd)
	}
	killing.WaitDelay = 50 * time.Millisecond
	if err := killing.Start(); err != nil {
		t.Fatal(err)
	}
	for { // until it ignores the signal
		if _, err := os.Stat(filepath.Join(TablesDir(dir), "stubborn")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	killing.Wait()
	if status, ok := killing.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Errorf("%v", killing.ProcessState)
	}
}

// A plan that exceeds a limit is no job. A solver that has no plan is an error.
func TestLimits(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{Memory: 1 << 30})
	for name, want := range map[string]string{
		"bulky": "93 GiB of memory, but the server allows a job 1.0 GiB", "long": "time, but the server allows a job 24h",
	} {
		_, err := q.Add(t.Context(), api.JobRequest{Game: name, Size: 4})
		if limit := (*LimitError)(nil); !errors.As(err, &limit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for said, want := range map[string]string{
		"the disk is full; choose another one with --dir":            "the disk is full",
		"tables/a.tb: another process is writing this table; wait":   "", // a job, which ends before the next begins
		"cannot read tables/quixo-4x4,torus.tb.work/1: no such file": "cannot read a file of the table: no such file",
	} {
		if got, remedy := q.obstacle(&api.Plan{}, said); got != want || remedy != "" {
			t.Errorf("clients are told %q, want %q", got, want)
		}
	}
	exact, _ := open(t, t.TempDir(), limits{Memory: 1000, Time: time.Second}) // what a job takes
	if p, err := exact.Plan(t.Context(), api.JobRequest{Game: "quick", Size: 4}); err != nil || !p.Possible {
		t.Errorf("%v, %+v", err, p)
	}
	if _, err := q.Plan(t.Context(), api.JobRequest{Game: "broken", Size: 4}); err == nil || !strings.Contains(err.Error(), "no such game") {
		t.Error(err)
	}
	if runtime.GOOS == "linux" { // a plan is made under the limits of a job
		if _, err := q.Plan(t.Context(), api.JobRequest{Game: "limited", Size: 4}); err != nil {
			t.Error(err)
		}
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errTime)
	if _, err := q.Plan(ended, api.JobRequest{Game: "quick", Size: 4}); !errors.Is(err, errTime) {
		t.Error(err)
	}
	if len(q.List())+len(exact.List()) > 0 {
		t.Error("there are jobs")
	}
}

// Twenty equal requests at once get one job, whatever becomes of it meanwhile.
func TestAddAtOnce(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{})
	defer q.start()()
	for _, name := range []string{"shared", "quick", "dies"} {
		var ids sync.Map
		var asking sync.WaitGroup
		for i := range 20 {
			asking.Go(func() {
				force := i%2 == 0 // which is planned by itself
				j, err := q.Add(t.Context(), api.JobRequest{Game: name, Size: 4, Force: &force})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				ids.Store(j.Id, true)
			})
		}
		asking.Wait()
		count := 0
		ids.Range(func(any, any) bool { count++; return true })
		if list := q.List(); count != 1 || list[len(list)-1].Game != name || len(list) > 1 && list[len(list)-2].Game == name {
			t.Errorf("%s: %d jobs", name, count)
		}
	}
}

// A plan is made once for all requests, as long as one of them waits. It does not keep a job waiting,
// and is made anew when what it depends on has changed.
func TestPlans(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	gated := api.JobRequest{Game: "gated", Size: 4}
	plans := func() []string { return plansIn(dir) }
	left, leave := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for i := range 4 {
		asking.Go(func() {
			ctx := t.Context()
			if i > 0 {
				ctx = left
			}
			if p, err := q.Plan(ctx, gated); i > 0 != errors.Is(err, context.Canceled) || i == 0 && p.StoredStates != 7 {
				t.Errorf("request %d: %v, %+v", i, err, p)
			}
		})
	}
	for len(plans()) == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	quick := add(t, q, "quick", 4) // while the other plan is made
	if q.IsPlanned(gated) || !q.IsPlanned(api.JobRequest{Game: "quick", Size: 4}) {
		t.Error("the plan of the job is not at hand, or another one is")
	}
	if err := os.WriteFile(filepath.Join(TablesDir(dir), "open"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	asking.Wait()
	if _, err := q.Plan(t.Context(), gated); err != nil || len(plans()) != 1 {
		t.Errorf("%v, planned %d times", err, len(plans()))
	}
	stop := q.start()
	until(t, q, quick.Id, api.JobStateDone)
	stop()
	if _, err := q.Plan(t.Context(), gated); err != nil || len(plans()) != 2 {
		t.Errorf("%v, planned %d times after a job", err, len(plans()))
	}
}

// plansIn returns the process numbers of the plans that were begun in a directory.
func plansIn(dir string) []string {
	text, _ := os.ReadFile(filepath.Join(TablesDir(dir), "plans"))
	return strings.Fields(string(text))
}

// A plan ends when no request waits for it, or when it exceeds its time or memory.
func TestPlansEnd(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	gated := api.JobRequest{Game: "gated", Size: 4}
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	asking.Go(func() { q.Plan(ctx, gated) })
	for len(plansIn(dir)) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel() // the last request that waits
	asking.Wait()
	for range cap(q.planning) { // its place is free
		q.planning <- struct{}{}
	}
	pid, err := strconv.Atoi(plansIn(dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
		t.Error("a plan goes on that nobody waits for")
	}
	<-q.planning
	defer func(seconds time.Duration, bytes int64) { planTime, planMemory = seconds, bytes }(planTime, planMemory)
	for range 2 {
		clear(q.plans)
		planTime = 50 * time.Millisecond
		if p, err := q.Plan(t.Context(), gated); err != nil || p.Possible || !strings.Contains(*p.Why, "cannot be estimated") {
			t.Errorf("%v, %+v", err, p)
		}
		if planTime = time.Minute; runtime.GOOS != "linux" {
			break // which alone knows the memory of a process
		}
		planMemory = 1
	}
}

// An estimate from samples reaches the client with its bounds. A game that samples cannot estimate is
// not accepted as a job.
func TestSampledPlans(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{})
	p, err := q.Plan(t.Context(), api.JobRequest{Game: "sampled", Size: 1})
	if err != nil || !p.Possible || p.StoredStates != 9000 || *p.StoredStatesLow != 8000 || p.StoredStatesHigh != nil || *p.SecondsLow != 2 || p.MemoryBytes != 99 || p.DiskBytes != 10 || p.Seconds != 1 {
		t.Errorf("%v, %+v", err, p)
	}
	if p, err = q.Plan(t.Context(), api.JobRequest{Game: "untold", Size: 1}); err != nil || p.Possible || !strings.Contains(*p.Why, "at least 8,000 states") {
		t.Errorf("%v, %+v", err, p)
	}
}

// A solver that is killed is started three times in all, under whatever servers. It is not counted if a
// server ends or is killed. The time of all starts counts.
func TestAttempts(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	id := add(t, q, "dies", 4).Id
	edit := func(of string, change func(*record)) {
		t.Helper()
		q.mu.Lock()
		defer q.mu.Unlock()
		r := q.find(of)
		change(r)
		if err := q.write(r); err != nil {
			t.Fatal(err)
		}
	}
	for range maxAttempts + 2 { // servers that are killed
		edit(id, func(r *record) { r.State = api.JobStateQueued })
		if args, begun := q.begin(q.find(id), func(error) {}); !begun || len(args) == 0 {
			t.Fatal("the job does not begin")
		}
		q, _ = open(t, dir, limits{})
	}
	edit(id, func(r *record) {
		if r.Attempts > 0 {
			t.Errorf("%d servers that were killed count as %d attempts", maxAttempts+2, r.Attempts)
		}
		r.Attempts = 1 // with an earlier server
	})
	again := add(t, q, "dies", 5).Id
	slow := add(t, q, "slow", 4).Id
	edit(slow, func(r *record) { r.Seconds = 9.9 })
	q, _ = open(t, dir, limits{Time: 10 * time.Second})
	defer q.start()()
	for _, id := range []string{id, again} {
		if j := until(t, q, id, api.JobStateFailed); !strings.Contains(*j.Reason, "killed 3 times") {
			t.Errorf("%+v", j)
		}
	}
	starts, err := os.ReadFile(filepath.Join(TablesDir(dir), "starts"))
	if text := string(starts); err != nil || strings.Count(text, "dies 4") != maxAttempts-1 || strings.Count(text, "dies 5") != maxAttempts {
		t.Errorf("%v, %s", err, text)
	}
	if j := until(t, q, slow, api.JobStateFailed); !strings.Contains(*j.Reason, "as long as the server allows") || j.Seconds < 10 || j.Seconds > 15 {
		t.Errorf("%+v", j)
	}
}

// Of a thousand jobs the queue takes what it holds, and loses none of those. So many seconds of
// work are an end, too.
func TestThousandJobs(t *testing.T) {
	dir := t.TempDir()
	q, _ := open(t, dir, limits{})
	taken := 0
	for i := range 1000 {
		switch _, err := q.Add(t.Context(), api.JobRequest{Game: "quick", Size: game.Size(i)}); {
		case err == nil:
			taken++
		case !errors.Is(err, ErrFull):
			t.Fatal(err)
		}
	}
	if again, _ := open(t, dir, limits{}); taken != maxWaiting || len(again.List()) != taken {
		t.Errorf("%d are taken, %d are there", taken, len(again.List()))
	}
	busy, _ := open(t, t.TempDir(), limits{AllTime: 1500 * time.Millisecond})
	add(t, busy, "quick", 1)
	if _, err := busy.Add(t.Context(), api.JobRequest{Game: "quick", Size: 2}); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
}

// A job whose record cannot be written is not taken; one whose record cannot be changed goes
// on. A record that cannot be read is left alone.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"cut": `{"id":"cut","sta`, "other": `{"id":"../x","state":"done"}`, "odd": `{"id":"odd","state":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir, name+recordSuffix), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	q, log := open(t, dir, limits{})
	if len(q.List()) != 0 || strings.Count(log.String(), "a job is left out") != 3 {
		t.Errorf("%+v, %s", q.List(), log)
	}
	kept := add(t, q, "quick", 4)
	if err := os.Mkdir(filepath.Join(dir, kept.Id+recordSuffix+durable.NewSuffix), 0o755); err != nil { // in the way of each change
		t.Fatal(err)
	}
	stop := q.start()
	until(t, q, kept.Id, api.JobStateDone)
	stop()
	if !strings.Contains(log.String(), "the record of a job cannot be written") {
		t.Error(log)
	}
	again, _ := open(t, dir, limits{})
	if j, err := again.Get(kept.Id); err != nil || j.State != api.JobStateQueued {
		t.Errorf("%v, %+v", err, j)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	q.o.Dir = filepath.Join(dir, "gone")
	r := &record{Job: api.Job{Id: "x"}}
	if err := q.write(r); err == nil {
		t.Error("a record is written nowhere")
	}
}

// The oldest jobs that have ended are forgotten.
func TestForget(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{})
	for i := range maxFinished + 5 {
		r := &record{Job: api.Job{Id: fmt.Sprint(i), State: api.JobStateDone}}
		q.records = append(q.records, r)
	}
	add(t, q, "quick", 4)
	if list := q.List(); len(list) != maxFinished+1 || list[0].Id != "5" {
		t.Errorf("%d jobs, the first is %s", len(list), list[0].Id)
	}
}
