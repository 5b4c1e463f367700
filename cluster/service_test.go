package cluster

import (
	"context"
	"errors"
	"testing"

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

var errKept = errors.New("the store keeps what is late")

// keeps is a craft that cannot discard anything.
type keeps struct{ craft }

func (keeps) discard(context.Context, group) error { return &final{errKept} }

// What a worker brings after the end of a solve has to be cleared away. Where that fails, people
// are told, and it counts as a failure of the worker.
func TestLateIsTold(t *testing.T) {
	c := newCell(t)
	said := new(sayings)
	o := c.options().withDefaults()
	o.Say = said.say
	conn, err := connect(o.URL, "test", o.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	if err := conn.prepare(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{nil, errKept} {
		over := i == 1
		solve := &Solve{ID: "late", Over: over}
		if _, err := conn.state.Put(t.Context(), solveKey, encoded(solve)); err != nil {
			t.Fatal(err)
		}
		s := &service{worker: &worker{o: WorkOptions{Options: o}, conn: conn}, solve: solve, craft: keeps{}}
		released, m := false, new(message)
		s.end(t.Context(), taken{message: m, release: func() { released = true }}, nil)
		if !released || m.answer != "ack" || !errors.Is(s.cause, want) || s.failed == 0 == over || said.has(errKept.Error()) != over {
			t.Errorf("over %t: released %t, answered %q, %d failures, the last one %v; said %v", over, released, m.answer, s.failed, s.cause, said.all)
		}
	}
}
