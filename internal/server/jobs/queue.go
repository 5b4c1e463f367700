// Package jobs solves boards in a process of its own, one at a time, and keeps a record of each in a directory.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/server/api"
)

// Options configure a queue.
type Options struct {
	Dir      string       // of the records; the tables are in the one that TablesDir returns
	Solver   string       // path of tbsolve
	Finished func()       // unless nil, called when a table is complete, before its job is done
	Log      *slog.Logger // gets jobs that begin and end; nil for no log
	Memory   int64        // bytes that a job may take, 0 for half of what is available; jobs run one at a time
}

const (
	maxTime     = 24 * time.Hour     // of a job
	maxAllTime  = 7 * 24 * time.Hour // that all jobs that have not ended are estimated to take
	maxWaiting  = 32                 // jobs that have not ended
	maxFinished = 100                // records that are kept of jobs that have
	maxAttempts = 3                  // starts of a solver that something kills
)

var (
	// ErrFull means that too many jobs are waiting.
	ErrFull = errors.New("the queue of the server is full; try again when a job has ended")
	// ErrUnknown means that there is no job of an id.
	ErrUnknown = errors.New("there is no such job; GET /v1/jobs lists them")
	// ErrRecord means that a job, or rules, cannot be kept.
	ErrRecord = errors.New("the server cannot write the file of a job or of rules, and takes none; its log says why")
)

// LimitError says that a job exceeds a limit of the queue.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

// Queue is the jobs of a directory. It is safe for concurrent use.
type Queue struct {
	o                Options
	maxTime, allTime time.Duration // maxTime and maxAllTime, except in tests
	// Each allows one plan at a time; plans for jobs do not wait for the others.
	planning, planningJobs chan struct{}

	mu      sync.Mutex
	records []*record               // the oldest first
	changed chan struct{}           // closed at the next change
	cancel  context.CancelCauseFunc // of the running job
	plans   map[string]*planned     // by the arguments of tbsolve
}

type record struct {
	api.Job
	// Attempts counts how often its solver was killed.
	Attempts int `json:"attempts,omitempty"`
	// Force is as requested until the first start, so that later ones resume.
	Force *bool `json:"force,omitempty"`
}

func (r *record) request() api.JobRequest {
	return api.JobRequest{Game: r.Game, Size: r.Size, HasSteps: &r.HasSteps, After: r.After, Packed: r.Packed, Force: r.Force}
}

// Ended reports whether a job is done, stopped or failed.
func Ended(j *api.Job) bool {
	return j.State == api.JobStateDone || j.State == api.JobStateStopped || j.State == api.JobStateFailed
}

// TablesDir returns the directory for the tables of a queue.
func TablesDir(dir string) string { return filepath.Join(dir, tablesName) }

// tablesName is relative to the queue's directory, in which tbsolve runs, so that its messages do not name that.
const tablesName = "tables"

// Open reads the records of a directory, which it makes if it is missing. Jobs that had not ended are queued again.
func Open(o Options) (*Queue, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Memory == 0 {
		available := machine.AvailableMemory()
		if available == machine.Unknown {
			return nil, errors.New("the available memory is unknown; give a limit for the memory of a job")
		}
		o.Memory = available / 2
	}
	if total := machine.TotalMemory(); total != machine.Unknown {
		o.Memory = min(o.Memory, total) // a plan for more is one for another machine
	}
	var err error
	if o.Solver, err = filepath.Abs(o.Solver); err != nil {
		return nil, err
	}
	q := &Queue{
		o: o, maxTime: maxTime, allTime: maxAllTime, planning: make(chan struct{}, 1), planningJobs: make(chan struct{}, 1),
		changed: make(chan struct{}), plans: map[string]*planned{},
	}
	if err := durable.MkdirAll(TablesDir(o.Dir), 0o755); err != nil {
		return nil, fmt.Errorf("the directory of the jobs cannot be used: %w", err)
	}
	files, err := os.ReadDir(o.Dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), recordSuffix) {
			continue
		}
		file := filepath.Join(o.Dir, f.Name())
		if err := q.read(file); err != nil {
			o.Log.Error("a job is left out, as its record cannot be read", "file", file, "error", err)
		}
	}
	slices.SortFunc(q.records, func(a, b *record) int { return a.Created.Compare(b.Created) })
	return q, nil
}

const recordSuffix = ".json"

func (q *Queue) read(file string) error {
	r := new(record)
	text, err := durable.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		return err
	}
	if !r.State.Valid() || r.Id+recordSuffix != filepath.Base(file) {
		return errors.New("it is not the record of a job")
	}
	switch r.State {
	case api.JobStateRunning:
		r.State = api.JobStateQueued
	case api.JobStateStopping:
		r.State = api.JobStateStopped
	}
	q.records = append(q.records, r)
	return nil
}

func (q *Queue) write(r *record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return durable.WriteFile(q.file(r), append(text, '\n'))
}

func (q *Queue) file(r *record) string { return filepath.Join(q.o.Dir, r.Id+recordSuffix) }

// save writes the record after a change, and wakes those who wait for one. What cannot be written now is written with the next
// change. If the server ends before that, the job is queued again, and finds what is solved.
func (q *Queue) save(r *record) {
	if err := q.write(r); err != nil {
		q.o.Log.Error("the record of a job cannot be written", "job", r.Id, "error", err)
	}
	q.wake()
}

func (q *Queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Changed returns a channel that is closed at the next change of a job.
func (q *Queue) Changed() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.changed
}

// List returns all jobs, the oldest first.
func (q *Queue) List() []api.Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := make([]api.Job, len(q.records))
	for i, r := range q.records {
		list[i] = r.Job
	}
	return list
}

// Get returns a job, or ErrUnknown.
func (q *Queue) Get(id string) (api.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r := q.find(id); r != nil {
		return r.Job, nil
	}
	return api.Job{}, ErrUnknown
}

func (q *Queue) find(id string) *record {
	return q.first(func(r *record) bool { return r.Id == id })
}

func (q *Queue) first(matches func(r *record) bool) *record {
	if i := slices.IndexFunc(q.records, matches); i >= 0 {
		return q.records[i]
	}
	return nil
}

// Add plans a job and queues it, or returns the one for the same board that has not ended. The
// error is ErrFull, ErrRecord, a *LimitError or that of ctx.
func (q *Queue) Add(ctx context.Context, request api.JobRequest) (api.Job, error) {
	asked := time.Now()
	q.mu.Lock()
	same, err := q.place(request, 0, asked)
	q.mu.Unlock()
	if same != nil || err != nil {
		return api.Or(same, api.Job{}), err
	}
	plan, planErr := q.plan(ctx, request, true)
	q.mu.Lock()
	defer q.mu.Unlock()
	// Meanwhile another request may have begun the job; then its solver kept the plan from being made.
	same, err = q.place(request, plan.Seconds, asked)
	switch {
	case same != nil:
		return *same, nil
	case planErr != nil:
		return api.Job{}, planErr
	case !plan.Possible:
		return api.Job{}, &LimitError{strings.TrimSuffix(*plan.Why+"; "+api.Or(plan.Remedy, ""), "; ")}
	case err != nil:
		return api.Job{}, err
	}
	r := &record{Job: api.Job{
		Id: fmt.Sprintf("%016x", rand.Uint64()), Game: request.Game, Size: request.Size, HasSteps: plan.HasSteps, After: request.After, Packed: request.Packed,
		State: api.JobStateQueued, Created: time.Now().UTC(), Plan: plan,
	}, Force: request.Force}
	if err := q.write(r); err != nil {
		q.o.Log.Error("a job is not taken, as its record cannot be written", "error", err)
		return api.Job{}, ErrRecord
	}
	q.records = append(q.records, r)
	q.forget()
	q.wake()
	q.o.Log.Info("job queued", "job", r.Id, "game", r.Game, "size", r.Size)
	return r.Job, nil
}

// place returns the job for the same board that has not ended or was queued since a time, or ErrFull if there is no room.
func (q *Queue) place(request api.JobRequest, seconds float64, since time.Time) (*api.Job, error) {
	count := 0
	for _, r := range q.records {
		if Ended(&r.Job) && r.Created.Before(since) {
			continue
		}
		if r.Game == request.Game && r.Size == request.Size && r.HasSteps == steps(request) && api.Or(r.After, "") == api.Or(request.After, "") && r.State != api.JobStateStopping {
			return &r.Job, nil
		}
		if !Ended(&r.Job) {
			count++
			seconds += r.Plan.Seconds
		}
	}
	if count >= maxWaiting || count > 0 && seconds > q.allTime.Seconds() {
		return nil, ErrFull
	}
	return nil, nil
}

func (q *Queue) forget() {
	ended := 0
	for i := len(q.records) - 1; i >= 0; i-- {
		if r := q.records[i]; Ended(&r.Job) {
			if ended++; ended > maxFinished {
				q.remove(r)
			}
		}
	}
}

func (q *Queue) remove(r *record) {
	if err := os.Remove(q.file(r)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		q.o.Log.Error("the record of a job cannot be removed", "job", r.Id, "error", err)
	}
	q.records = slices.DeleteFunc(q.records, func(other *record) bool { return other == r })
}

// Stop stops a job, or forgets one that has ended. What is solved is kept.
func (q *Queue) Stop(id string) (api.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.find(id)
	switch {
	case r == nil:
		return api.Job{}, ErrUnknown
	case Ended(&r.Job):
		q.remove(r)
		q.wake()
		return r.Job, nil
	case r.State == api.JobStateQueued:
		r.State = api.JobStateStopped
	default:
		r.State = api.JobStateStopping
		q.cancel(errStopped)
	}
	q.save(r)
	return r.Job, nil
}
