package cluster

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// message is a task's message. It notes how it was answered.
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

var errKept = errors.New("the store keeps what is late")

// keeps is a craft that cannot discard anything.
type keeps struct{ craft }

func (keeps) discard(context.Context, group) error { return &final{errKept} }

// A task that failed is given back, at once where the worker is about to end. What a worker
// brings after the end of a solve has to be cleared away. People are told of what fails, and
// it counts as a failure of the worker.
func TestEndOfATask(t *testing.T) {
	cell := newCell(t)
	o := cell.options().withDefaults()
	conn, err := connect(o.URL, "test", o.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	if err := conn.prepare(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	errFailed := errors.New("it failed")
	for name, c := range map[string]struct {
		ends, over  bool // the worker, the solve
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
		solve, said := &Solve{ID: "late", Over: c.over}, new(sayings)
		if _, err := conn.state.Put(ctx, solveKey, encoded(solve)); err != nil {
			t.Fatal(err)
		}
		o.Say = said.say
		s := &service{worker: &worker{o: WorkOptions{Options: o}, conn: conn}, solve: solve, craft: keeps{}}
		if c.ends {
			cancel()
		}
		released, m := false, new(message)
		s.end(ctx, taken{message: m, release: func() { released = true }}, c.err)
		cancel()
		if !released || m.answer != c.answer || !errors.Is(s.cause, c.caused) || s.failed == 0 != (c.caused == nil) {
			t.Errorf("%s: released %t, answered %q, %d failures, the last one %v", name, released, m.answer, s.failed, s.cause)
		}
		if said.has(errKept.Error()) != c.over || said.has(errFailed.Error()) != (c.caused == errFailed) {
			t.Errorf("%s: said %v", name, said.all)
		}
	}
}
