package retro

import (
	"context"
	"errors"
	"testing"

	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// A solve that is asked to end while a class is being written reports that, and waits for it.
func TestStoppingIsReported(t *testing.T) {
	events := make(chan tablebase.Event, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := engine{pool: work.NewPool(ctx, 1, 1), progress: work.NewProgress(func(e tablebase.Event) { events <- e }, 1)}
	failure := errors.New("the disk is full")
	for _, want := range []error{nil, failure} {
		written, waited := make(chan struct{}), make(chan error, 1)
		s.seal(7, func() error {
			<-written
			return want
		})
		go func() { waited <- s.sealed() }()
		cancel()
		if e := <-events; e.Stage != tablebase.Stopping || e.At != 7 {
			t.Errorf("the event is %+v", e)
		}
		select {
		case err := <-waited:
			t.Errorf("it did not wait, %v", err)
		default:
		}
		close(written)
		if err := <-waited; err != want {
			t.Errorf("the writing ended with %v, want %v", err, want)
		}
		if err := s.sealed(); err != want {
			t.Errorf("the second time it ended with %v", err)
		}
	}
	if len(events) > 0 {
		t.Errorf("an event is also %+v", <-events)
	}
}
