package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/retro"
)

const (
	maxFailures = 8 // failed tasks in a row after which a worker gives up
	maxUploads  = 2 // shards that a worker uploads at once: an upload may take longer than solving
)

type job struct {
	contents
	worker  *worker
	o       WorkOptions
	conn    *conn
	runner  runner
	uploads sync.WaitGroup

	others   []string  // identifiers of the other workers that get work
	lookedAt time.Time // when they were found

	lock   sync.Mutex // guards what follows
	failed int        // tasks in a row
	cause  error      // of the last failure
}

// runner is how a kind of solve solves its shards. It is not safe for concurrent use, but for recount.
type runner struct {
	// solve solves the shard of a task and returns the upload of its result. The caller must call that,
	// perhaps in another goroutine while the next shard is solved.
	solve func(ctx context.Context, t task) (upload, error)
	// write solves a shard that also goes into the table; nil where what the store has of it does.
	write func(ctx context.Context, t task, table io.WriterAt) (completion, error)
	// recount counts the states of an uploaded unit; nil where count does.
	recount func(ctx context.Context, u unit) (*retro.StateCounts, error)
	// count counts the states of a unit from its columns in the table.
	count func(u unit, outcomes, numbers [][]uint64) (*retro.StateCounts, error)
	// compare solves blocks of a shard again, and reports whether they differ from the uploaded ones.
	// The error wraps errUnreadable if those cannot be read. It is nil where no blocks are sampled.
	compare func(ctx context.Context, g, blocks shard) (differs bool, err error)
	close   func()
}

// upload uploads a result and returns its completion: the bytes, and what a check has found.
type upload func(ctx context.Context) (completion, error)

// ready is the upload of what needs none.
func (c completion) ready() upload {
	return func(context.Context) (completion, error) { return c, nil }
}

func newJob(ctx context.Context, w *worker, solve *Solve, space *partition.Space) (j *job, err error) {
	onRead := func(bytes int64) { w.set(func(s *WorkerStatus) { s.Read += bytes }) }
	j = &job{contents: contents{w.o.Store, solve, space, partition.BlockCounts(space), onRead}, worker: w, o: w.o, conn: w.conn}
	switch {
	case solve.Stream:
		j.runner, err = newStreamRunner(ctx, j)
	case solve.Shards:
		j.runner, err = newShardRunner(ctx, j)
	default:
		j.runner, err = newTableRunner(ctx, j)
	}
	return j, err
}

type delivery struct {
	message     jetstream.Msg // nil if none came for a while
	task        task
	release     func() // stops extending the time after which NATS redelivers it
	redelivered bool   // another worker may have had it
	done        bool   // its completion is recorded
}

func (j *job) receive(ctx context.Context) (t delivery, err error) {
	defer j.worker.spend(time.Now(), &j.worker.status.Waiting)
	if t.message, err = j.worker.fetch(ctx); err != nil || t.message == nil {
		return t, err
	}
	t.release = j.keepInProgress(t.message)
	if json.Unmarshal(t.message.Data(), &t.task) == nil && t.task.ID == j.solve.ID {
		about, err := t.message.Metadata()
		if t.redelivered = err != nil || about.NumDelivered > 1; t.redelivered {
			done, err := getKey[completion](ctx, j.conn.state, j.solve.doneKey(t.task.shard))
			t.done = err == nil && done != nil
		}
	}
	return t, nil
}

// keepInProgress keeps NATS from redelivering a message until stop is called.
func (j *job) keepInProgress(message jetstream.Msg) (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for sleep(ctx, j.o.AckWait/4) == nil {
			message.InProgress() // a lost message does not matter
		}
	}()
	return stop
}

// handle runs a task. Its upload continues after handle returns. A failed task is delivered again,
// here or to another worker; handle returns an error only if the worker must give up.
func (j *job) handle(ctx context.Context, t delivery) error {
	g := t.task.shard
	if g.Check && t.task.Maker == j.worker.id && len(j.otherWorkers(ctx)) > 0 || t.task.Owner != j.worker.id && j.isAlive(ctx, t.task.Owner) {
		t.release()
		t.message.NakWithDelay(rand.N(idle / 2)) // for another worker; with equal delays two could get their own checks for minutes
		return nil
	}
	if t.redelivered = t.redelivered && !t.done; t.redelivered {
		if attempts, err := j.countAttempt(ctx, g, 1); err == nil && attempts > maxAttempts {
			j.conn.nc.Publish(poisonSubject+j.solve.ID, encoded(task{ID: j.solve.ID, shard: g}))
			t.release()
			t.message.NakWithDelay(j.o.Sweep)
			return sleep(ctx, j.o.Sweep)
		}
	}
	record, err := j.run(ctx, t)
	if err != nil || record == nil {
		j.finish(ctx, t, err)
		return j.failure(ctx, err)
	}
	j.uploads.Go(func() { j.finish(ctx, t, record(ctx)) })
	return j.failure(ctx, nil)
}

// run does a task, and returns what uploads the result and records it: nil if another worker has, and died
// thereafter.
func (j *job) run(ctx context.Context, t delivery) (record func(ctx context.Context) error, err error) {
	g := t.task.shard
	j.worker.set(func(w *WorkerStatus) { w.Class, w.First = g.Class, g.First })
	if j.o.onTask != nil {
		j.o.onTask(g.Class, g.First)
	}
	if t.done {
		return nil, nil
	}
	began, before := time.Now(), j.worker.metrics()
	result, err := j.do(ctx, t.task)
	spent := j.worker.metrics().since(before)
	if err != nil {
		return nil, err
	}
	j.worker.set(func(w *WorkerStatus) { w.Solving += max(0, time.Since(began).Seconds()-spent.Reading) })
	return func(ctx context.Context) error {
		done, err := result(ctx)
		if err != nil {
			return err
		}
		done.Task = task{ID: t.task.ID, shard: g, Maker: t.task.Maker, Share: t.task.Share}
		done.WorkerID, done.Read = j.worker.id, spent.Read
		if _, err := j.conn.state.Put(ctx, j.solve.doneKey(g), encoded(done)); err != nil {
			return fmt.Errorf("cannot record that %v are done: %w", g, err)
		}
		j.worker.set(func(w *WorkerStatus) { w.Tasks, w.Written = w.Tasks+1, w.Written+done.Written })
		return nil
	}, nil
}

func (j *job) do(ctx context.Context, t task) (upload, error) {
	switch {
	case t.Write:
		return j.writeTable(ctx, t)
	case !t.Check:
		return j.runner.solve(ctx, t)
	}
	found, err := j.check(ctx, t)
	return found.ready(), err
}

func (j *job) finish(ctx context.Context, t delivery, err error) {
	t.release()
	if t.redelivered {
		longer, cancel := outlive(ctx, callTimeout)
		j.countAttempt(longer, t.task.shard, -1) // otherwise one more worker counts as lost
		cancel()
	}
	switch {
	case errors.Is(err, errRemade):
		t.message.NakWithDelay(j.o.Sweep / 2)
		err = nil
	case err == nil:
		t.message.Ack() // if that is lost, the next worker finds the task done
	case ctx.Err() != nil:
		t.message.Nak()
	default:
		t.message.NakWithDelay(j.o.Sweep / 2)
		j.report(err)
	}
	if late := j.discardLate(ctx, t.task.shard); late != nil && ctx.Err() == nil {
		j.report(late)
		err = cmp.Or(err, late)
	}
	if ctx.Err() != nil {
		return
	}
	j.lock.Lock()
	defer j.lock.Unlock()
	if j.failed, j.cause = j.failed+1, err; err == nil {
		j.failed = 0
	}
}

// report counts and logs a failure, also at the coordinator. A full store needs somebody to make room.
func (j *job) report(err error) {
	level, full := slog.LevelWarn, 0
	if errors.Is(err, store.ErrFull) {
		level, full = slog.LevelError, 1
	}
	j.worker.set(func(w *WorkerStatus) { w.Failed, w.StoreFull = w.Failed+1, w.StoreFull+full })
	j.o.Logf(level, "%v", err)
	j.conn.nc.Publish(errorSubject+j.solve.ID, encoded(report{level, fmt.Sprintf("the worker %v: %v", j.worker.status.Member, err)}))
}

// failure returns why the worker must give up, or nil. After a failure it waits.
func (j *job) failure(ctx context.Context, err error) error {
	if memory := (*retro.MemoryError)(nil); errors.As(err, &memory) {
		return err
	}
	j.lock.Lock()
	failed, cause := j.failed, j.cause
	j.lock.Unlock()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed >= maxFailures:
		return fmt.Errorf("%d tasks in a row have failed: %w", failed, cause)
	}
	return sleep(ctx, time.Duration(failed)*j.o.Sweep/10)
}

// discardLate deletes what the worker uploaded and recorded after the solve was over, because it
// was suspended or cut off. It must follow all writes: earlier ones are deleted with the record. It
// continues for a while after ctx has ended.
func (j *job) discardLate(ctx context.Context, g shard) error {
	ctx, cancel := outlive(ctx, callTimeout)
	defer cancel()
	return retry(ctx, j.o.Options, "the cluster", func(ctx context.Context) error {
		over, err := j.isOver(ctx)
		if err != nil || !over {
			return err
		}
		if err := deleteObjects(ctx, j.o.Store, j.solve.stagePrefix(g.unwritten().stage)); err != nil {
			return err
		}
		return j.conn.purgeKeys(ctx, j.solve.shardKey(g))
	})
}

// outlive returns a context that ends a time after another one.
func outlive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return longer, func() { stop(); cancel() }
}

// isOver reports whether the solve is no longer in progress. If NATS has lost its record, that is
// unknown until the coordinator has written it again.
func (j *job) isOver(ctx context.Context) (bool, error) {
	solve, _, err := readRecord(ctx, j.conn)
	return err == nil && (solve == nil || solve.Over || solve.ID != j.solve.ID), err
}

// errRemade is the cause if a task must wait until what it needs is made again.
var errRemade = errors.New("it is being made again")

// readOrRepair reads an object of the class above. If it is missing or damaged, the coordinator is
// asked to store it again. If there is no coordinator, readOrRepair waits for the next one. The coordinator
// itself leaves that to the worker that it has do the task again.
func (j *job) readOrRepair(ctx context.Context, g shard, read func() error) error {
	err := read()
	if !isUnusable(err) || j.worker.id == coordinatorKey {
		return err
	}
	return retry(ctx, j.o.Options, "the coordinator", func(ctx context.Context) error {
		call, cancel := context.WithTimeout(ctx, j.o.AckWait+callTimeout)
		defer cancel()
		response, failed := j.conn.nc.RequestWithContext(call, repairSubject+j.solve.ID, encoded(task{ID: j.solve.ID, shard: g}))
		switch {
		case failed != nil:
			failed = fmt.Errorf("%w; and the coordinator does not respond: %w", err, failed)
			if over, err := j.isOver(ctx); err != nil || !over {
				return failed
			}
		case string(response.Data) == errRemade.Error():
			failed = fmt.Errorf("%w: %w", err, errRemade)
		case len(response.Data) > 0:
			failed = fmt.Errorf("%w; and the coordinator cannot store it again: %s", err, response.Data)
		default:
			failed = read()
		}
		if failed != nil {
			return &permanentError{failed}
		}
		return nil
	})
}

// maxAttempts is how often a shard is solved again whose object cannot be used, or whose workers
// died. It is also how many workers may be wrong.
const maxAttempts = 5

// ErrWorkersLost is the cause if a solve has ended after several workers died with the same task.
var ErrWorkersLost = errors.New("several workers died while they solved the same blocks")

// countAttempt adds more to the attempts at a shard, and returns how many have not ended. A worker counts its
// attempt at a redelivered task, and uncounts it unless it dies: a poison task kills whoever takes it. It fails
// where another worker counts meanwhile, or a coordinator that resumes counts anew.
func (j *job) countAttempt(ctx context.Context, g shard, more int) (attempts int, err error) {
	key, revision := "attempts."+j.solve.shardKey(g), uint64(0)
	entry, err := j.conn.state.Get(ctx, key)
	if err == nil {
		revision = entry.Revision()
		attempts, err = decodeEntry[int](entry)
	}
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, err
	}
	attempts = max(0, attempts+more)
	_, err = j.conn.state.Update(ctx, key, encoded(attempts), revision)
	return attempts, err
}
