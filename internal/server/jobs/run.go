package jobs

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"backsolve/internal/durable"
	"backsolve/internal/lines"
	"backsolve/internal/server/api"
)

var (
	errStopped = errors.New("stopped by a request")
	errTime    = errors.New("it has taken as long as the server allows a job")
	errMemory  = errors.New("it has taken more memory than it planned")
)

const (
	stopTime    = 15 * time.Second // for tbsolve to write a class that is solved; less than services get
	saveEvery   = 10 * time.Second // of the progress
	memoryEvery = time.Second      // between two looks at the memory
	lockEvery   = time.Second / 5  // between two tries to take the lock
	afterKill   = time.Second / 5  // from the kill of a solver until the server knows whether it is being stopped, too
)

// Run solves the jobs, until ctx ends. A job that is then running resumes in the next Run. A
// solver that has outlived its server still holds the lock, so no other one starts beside it.
func (q *Queue) Run(ctx context.Context) {
	lock := q.lock(ctx)
	if lock == nil {
		return
	}
	defer lock.Unlock()
	for ctx.Err() == nil {
		changed := q.Changed()
		if r := q.next(); r != nil {
			q.run(ctx, r, lock) // which is a change
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// lock waits for the lock of the directory. It returns nil when ctx ends.
func (q *Queue) lock(ctx context.Context) *durable.Locked {
	for said := false; ; {
		lock, err := durable.Lock(TablesDir(q.o.Dir))
		if err == nil {
			return lock
		}
		if !said {
			q.o.Log.Warn("jobs wait, as another process uses their directory", "error", err)
			said = true
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return nil
		}
	}
}

func (q *Queue) next() *record {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.first(func(r *record) bool { return r.State == api.JobStateQueued })
}

func (q *Queue) run(ctx context.Context, r *record, lock *durable.Locked) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args, begun := q.begin(r, cancel)
	if !begun {
		return
	}
	began, before := time.Now(), r.Seconds
	timer := time.AfterFunc(q.maxTime-time.Duration(before*float64(time.Second)), func() { cancel(errTime) })
	defer timer.Stop()
	saved := began
	said, err := q.solve(limited, cancel, args, lock, func(p *api.Progress) {
		q.mu.Lock()
		defer q.mu.Unlock()
		r.Progress, r.Seconds = p, before+time.Since(began).Seconds()
		if time.Since(saved) < saveEvery {
			q.wake()
			return
		}
		saved = time.Now()
		q.save(r)
	})
	switch exit, exited := errors.AsType[*exec.ExitError](err); {
	case err == nil && q.o.Finished != nil:
		q.o.Finished()
	case exited && killed(exit): // perhaps by whoever is also stopping the server
		select {
		case <-limited.Done():
		case <-time.After(afterKill):
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	r.Seconds = before + time.Since(began).Seconds()
	r.State, r.Reason = q.result(limited, r, said, err)
	clear(q.plans) // they depend on what is solved
	q.save(r)
	q.o.Log.Info("job ended", "job", r.Id, "state", r.State, "said", said, "error", err)
}

// begin marks a job as running, unless it was stopped meanwhile. It returns the arguments of tbsolve.
func (q *Queue) begin(r *record, cancel context.CancelCauseFunc) (args []string, begun bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.State != api.JobStateQueued {
		return nil, false
	}
	args, r.Force = q.arguments(r.request()), nil
	r.State, q.cancel = api.JobStateRunning, cancel
	clear(q.plans)
	q.save(r)
	q.o.Log.Info("job begins", "job", r.Id, "game", r.Game, "size", r.Size)
	return args, true
}

func (q *Queue) result(ctx context.Context, r *record, said []string, err error) (api.JobState, *string) {
	failed := func(reason string) (api.JobState, *string) { return api.JobStateFailed, &reason }
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return api.JobStateDone, nil
	case errors.Is(cause, errStopped):
		return api.JobStateStopped, nil
	case errors.Is(cause, errTime), errors.Is(cause, errMemory):
		return failed(cause.Error() + "; what is solved is kept")
	case cause != nil: // the server stops
		return api.JobStateQueued, nil
	}
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case !exited:
		return failed("the solver cannot be run; the server's log says why")
	case !killed(exit):
		return failed(complaint(said))
	}
	if r.Attempts++; r.Attempts < maxAttempts {
		return api.JobStateQueued, nil
	}
	return failed(fmt.Sprintf("the solver was killed %d times, perhaps for lack of memory; what is solved is kept", r.Attempts))
}

func killed(e *exec.ExitError) bool {
	return !e.Exited() || e.ExitCode() == 128+int(syscall.SIGTERM) || e.ExitCode() == 128+int(syscall.SIGINT)
}

// complaint returns the error that tbsolve printed, as clients may see it.
func complaint(said []string) string {
	for _, line := range said {
		if text, ok := strings.CutPrefix(line, "error: "); ok {
			return withoutFiles(text)
		}
	}
	return "the solver failed; the server's log says why"
}

var ownFiles = regexp.MustCompile(`\b` + tablesName + `[/\\][^\s:;]*`)

func withoutFiles(text string) string { return ownFiles.ReplaceAllString(text, "a file of the table") }

// watch cancels a job with a cause once it exceeds something, until the context ends.
func watch(ctx context.Context, cancel context.CancelCauseFunc, every time.Duration, cause error, exceeds func() bool) {
	for !exceeds() {
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return
		}
	}
	cancel(cause)
}

// niceness is that of jobs. A client waits for a plan, so that has none.
const niceness = 10

// warning begins a line about a right that could not be taken from a solver.
const warning = "warning: "

// command returns tbsolve with fewer rights than the server, and without its environment.
func (q *Queue) command(ctx context.Context, nice int, args []string) *exec.Cmd {
	cmd := q.confined(ctx, nice, args)
	cmd.Dir, cmd.Env, cmd.WaitDelay = q.o.Dir, environment(), stopTime
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill() // there is no other way, and it costs one class at most
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	return cmd
}

func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains([]string{"PATH", "HOME", "TMPDIR", "SYSTEMROOT", "GODEBUG"}, name)
	})
}

const (
	maxMessage  = 4 << 10 // bytes of a line
	maxMessages = 20
)

func (q *Queue) solve(ctx context.Context, cancel context.CancelCauseFunc, args []string, lock *durable.Locked, report func(*api.Progress)) ([]string, error) {
	// The solver gets a signal when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := q.command(ctx, niceness, append(args, "--progress=json"))
	if runtime.GOOS != "windows" { // which passes no files
		cmd.ExtraFiles = []*os.File{lock.File()} // so that the solver holds the lock, too
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	most := q.o.Memory + q.o.Memory/8 + 256<<20 // the last is for the program itself
	go watch(ctx, cancel, memoryEvery, errMemory, func() bool { return memoryOf(cmd.Process.Pid) > most })
	said := follow(stderr, report, func(text string) { q.o.Log.Warn("a job has more rights than it should", "reason", text) })
	return said, cmd.Wait()
}

// follow reports the progress and the warnings that tbsolve prints, and returns its last other messages.
func follow(stderr io.Reader, report func(*api.Progress), warn func(string)) (said []string) {
	in := bufio.NewReaderSize(stderr, maxMessage)
	for {
		line, long, err := lines.Next(in, maxMessage)
		if err != nil {
			return said
		}
		if long {
			continue
		}
		var progress struct {
			api.Progress
			Message string `json:"message"`
		}
		if json.Unmarshal(line, &progress) == nil && progress.Message == "" {
			report(&progress.Progress)
			continue
		}
		if text, ok := strings.CutPrefix(string(line), warning); ok {
			warn(text)
			continue
		}
		if said = append(said, string(line)); len(said) > maxMessages {
			said = said[1:]
		}
	}
}
