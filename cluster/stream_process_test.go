//go:build unix

package cluster

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"backsolve/retro/outofcore"
)

// What a worker that is killed has not finished is done by another one, where no table is kept.
func TestStreamsKilledWorker(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	wait := c.streaming(t)
	for _, late := range []bool{false, true} {
		worker, _ := c.pausing(t, late)
		kill(worker)
	}
	c.employ(t, nil)
	wait()
	c.wantNothing(t)
}

// A worker that sleeps while its class is done and let go of does no harm when it wakes up.
func TestStreamsSleepingWorker(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			t.Parallel()
			c := newCell(t)
			wait := c.streaming(t)
			worker, pause := c.pausing(t, late)
			if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(pause); err != nil { // so that it goes on as soon as it wakes up
				t.Fatal(err)
			}
			quit := c.employ(t, nil)
			wait()
			quit()
			if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			// It is fit for the next solve, and alone there.
			c.wantStream(t, spaceAfter(t, 4, 1), 2, true, c.options())
			c.wantNothing(t)
		})
	}
}

// A coordinator that is killed is replaced by starting it again, anywhere: what it needs is in the
// store.
func TestStreamsKilledCoordinator(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	t.Parallel()
	c, space := newCell(t), spaceAfter(t, 5, 1<<12)
	c.employ(t, func(o *WorkOptions) {
		o.onTask = func(int, int) { time.Sleep(25 * time.Millisecond) } // so that there is time to kill it
	})
	for _, class := range []int{6, 4, 3} {
		coordinator := send(t, errand{Do: "coordinate", URL: c.server.URL(), Place: c.place, N: 5, Taken: 1 << 12, Stream: true}, c.server.Environment()...)
		until(t, fmt.Sprint("class ", class), func() bool { return c.class(t) <= class })
		kill(coordinator)
	}
	o := c.options()
	o.GroupBytes = tiny
	got, err := coordinateStream(t.Context(), space, 1, false, o, outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, plainStream(t, space)) || got.Resumed == 0 {
		t.Errorf("it is another result, or began anew: it went on after %d classes", got.Resumed)
	}
	c.wantNothing(t)
}
