package cluster

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/cluster/store"
)

// message is a delivered message that records how it was acknowledged.
type message struct {
	jetstream.Msg
	answer string
}

func (m *message) Ack() error {
	m.answer = "ack"
	return nil
}

func (m *message) Nak() error {
	m.answer = "nak"
	return nil
}

func (m *message) NakWithDelay(time.Duration) error {
	m.answer = "nak later"
	return nil
}

var errKept = errors.New("late objects cannot be deleted")

// keepsLate is a store that deletes nothing.
type keepsLate struct{ store.Store }

func (keepsLate) List(context.Context, string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", &permanentError{errKept}) }
}

// A failed task goes back to the queue, at once if the worker is ending. Results that come after
// the end of a solve are deleted. Failures are logged and counted.
func TestFinishTask(t *testing.T) {
	testCluster := newTestCluster(t)
	o := testCluster.options().withDefaults()
	conn, err := connect(o, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	if err := conn.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	errFailed := errors.New("it failed")
	for name, c := range map[string]struct {
		ends, over  bool // of the worker, and of the solve
		err, caused error
		answer      string
	}{
		"done":           {false, false, nil, nil, "ack"},
		"failed":         {false, false, errFailed, errFailed, "nak later"},
		"failed at last": {true, false, errFailed, nil, "nak"},
		"too late":       {false, true, nil, errKept, "ack"},
		"failed late":    {false, true, errFailed, errFailed, "nak later"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		solve, said := &Solve{ID: "late", Over: c.over}, new(logRecorder)
		if _, err := conn.state.Put(ctx, solveKey, encoded(solve)); err != nil {
			t.Fatal(err)
		}
		o.Logf, o.Store = said.logf, keepsLate{testCluster.store}
		j := &job{worker: new(worker), o: WorkOptions{Options: o}, conn: conn, contents: contents{solve: solve}}
		if c.ends {
			cancel()
		}
		released, m := false, new(message)
		j.finish(ctx, delivery{message: m, release: func() { released = true }}, c.err)
		cancel()
		if !released || m.answer != c.answer || !errors.Is(j.cause, c.caused) || j.failed == 0 != (c.caused == nil) {
			t.Errorf("%s: released %t, answered %q, %d failures, the last one %v", name, released, m.answer, j.failed, j.cause)
		}
		if said.has(errKept.Error()) != c.over || said.has(errFailed.Error()) != (c.caused == errFailed) {
			t.Errorf("%s: said %v", name, said.all)
		}
	}
}

// A worker leaves the check of its own object to the others.
func TestMakerDoesNotCheckItself(t *testing.T) {
	m, released := new(message), false
	j := &job{worker: &worker{id: "maker"}, o: WorkOptions{Options: Options{}.withDefaults()}, others: []string{"another"}, lookedAt: time.Now()}
	own := delivery{message: m, task: task{shard: shard{Check: true}, Maker: "maker"}, release: func() { released = true }}
	if err := j.handle(t.Context(), own); err != nil || m.answer != "nak later" || !released {
		t.Errorf("answered %q, released %t, %v", m.answer, released, err)
	}
}

// A worker that cannot tell which others there are leaves a shard to the one that has it.
func TestOwnerMayBeAlive(t *testing.T) {
	o := newTestCluster(t).options().withDefaults()
	conn, err := connect(o, "test")
	if err == nil {
		err = conn.prepare(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	j := &job{worker: &worker{id: "this one"}, o: WorkOptions{Options: o}, conn: conn}
	conn.nc.Close()
	if !j.isAlive(t.Context(), "another") || j.isAlive(t.Context(), "") {
		t.Error("the owner counts as lost, or there is one where nobody has it")
	}
	j.lookedAt = time.Now()
	if j.isAlive(t.Context(), "another") {
		t.Error("it has looked, and there is no other worker")
	}
}

// interrupted is a bucket in which something happens after each read.
type interrupted struct {
	jetstream.KeyValue
	then func()
}

func (b interrupted) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	entry, err := b.KeyValue.Get(ctx, key)
	b.then()
	return entry, err
}

// A coordinator that resumes counts attempts anew, also those of a worker that was counting meanwhile.
func TestLateAttempt(t *testing.T) {
	conn, err := connect(newTestCluster(t).options().withDefaults(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	if err := conn.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	j := &job{contents: contents{solve: &Solve{ID: "late"}}, conn: conn}
	count := func(want int) {
		t.Helper()
		if n, err := j.countAttempt(t.Context(), shard{Blocks: 1}, 1); n != want || err != nil {
			t.Errorf("attempt %d, not %d, error %v", n, want, err)
		}
	}
	count(1)
	count(2)
	bucket := conn.state
	conn.state = interrupted{bucket, func() {
		if err := conn.purge(t.Context(), stateStream, stateSubject+"attempts.late.>"); err != nil {
			t.Error(err)
		}
	}}
	if n, err := j.countAttempt(t.Context(), shard{Blocks: 1}, 1); err == nil {
		t.Errorf("attempt %d of the earlier coordinator is counted", n)
	}
	conn.state = bucket
	count(1)
}
