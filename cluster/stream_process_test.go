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

// Another worker does the tasks of a killed worker, also if no table is kept.
func TestStreamsKilledWorker(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	wait := c.solveStream(t)
	for _, late := range []bool{false, true} {
		worker, _ := c.startPausing(t, late)
		kill(worker)
	}
	c.startWorker(t, nil)
	wait()
	c.wantEmpty(t)
}

// A suspended worker does no harm when it wakes up after its class was deleted.
func TestStreamsSleepingWorker(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			wait := c.solveStream(t)
			worker, pause := c.startPausing(t, late)
			if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(pause); err != nil { // it continues as soon as it wakes up
				t.Fatal(err)
			}
			quit := c.startWorker(t, nil)
			wait()
			quit()
			if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			// It is the only worker of the next solve.
			c.wantStream(t, spaceAfter(t, 4, 1), 2, true, c.options())
			c.wantEmpty(t)
		})
	}
}

// A killed coordinator is started again, anywhere: the store has what it needs.
func TestStreamsKilledCoordinator(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
	c.startWorker(t, func(o *WorkOptions) {
		o.onTask = func(int, int) { time.Sleep(25 * time.Millisecond) } // time to kill the coordinator
	})
	for _, class := range []int{6, 4, 3} {
		coordinator := startChild(t, child{Do: "coordinate", URL: c.server.URL(), Place: c.place, N: 5, Taken: 1 << 12, Stream: true}, c.server.Environment()...)
		waitFor(t, fmt.Sprint("class ", class), func() bool { return c.class(t) <= class })
		kill(coordinator)
	}
	o := c.options()
	o.GroupBytes = tinyParts
	got, err := coordinateStream(t.Context(), space, 1, false, o, outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, localResult(t, space)) || got.Resumed == 0 {
		t.Errorf("the result differs, or it started over: it resumed after %d classes", got.Resumed)
	}
	c.wantEmpty(t)
}
