//go:build unix

package cluster

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// pausingMate starts a worker process that stops in the middle of its at-th phase.
func (c *cell) pausingMate(t *testing.T, at int) (worker *exec.Cmd, pause string) {
	pause = filepath.Join(t.TempDir(), "pause")
	return send(t, errand{Do: "work", URL: c.server.URL(), Place: c.place, Pause: pause, At: at}, c.server.Environment()...), pause
}

// A worker that is killed in the middle of a phase takes the class with it, and not the
// solve: those that are left begin it again.
func TestKilledMate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	c, space, path := newCell(t), quixo(t, 4), filepath.Join(t.TempDir(), "table.tb")
	var heard sayings
	o := c.together(3, 1<<12)
	o.Say = heard.say
	done := make(chan error, 1)
	first, pause := c.pausingMate(t, 10)
	second, pauseOfSecond := c.pausingMate(t, 25)
	c.employ(t, nil)
	go func() { done <- coordinate(t.Context(), path, space, true, o) }()
	until(t, "a worker's phase", func() bool { return fileThere(pause) })
	kill(first)
	until(t, "the second one's", func() bool { return fileThere(pauseOfSecond) })
	kill(second)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, true)) {
		t.Error("it is another table")
	}
	if !heard.has("begins again", "the worker process "+strconv.Itoa(first.Process.Pid), "is gone") || !heard.has("begins again", strconv.Itoa(second.Process.Pid)) {
		t.Errorf("the coordinator says %q", heard.all)
	}
	c.wantNothing(t)
}

// A worker that sleeps in the middle of a phase is taken for gone; when it wakes up, it does
// no harm and takes part in the next solve.
func TestSleepingMate(t *testing.T) {
	c, space, path := newCell(t), quixo(t, 3), filepath.Join(t.TempDir(), "table.tb")
	done := make(chan error, 1)
	worker, pause := c.pausingMate(t, 30)
	quit := c.employ(t, nil)
	go func() { done <- coordinate(t.Context(), path, space, true, c.together(2, 1)) }()
	until(t, "the worker's phase", func() bool { return fileThere(pause) })
	if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(pause); err != nil { // so that it goes on as soon as it wakes up
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, true)) {
		t.Error("it is another table")
	}
	quit()
	if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	c.wantQuixo(t, 2, true, c.together(1, 1)) // by it alone
	c.wantNothing(t)
}

// A NATS server that is killed in the middle of a class and comes back with its files costs
// no more than a beginning of the class.
func TestKilledServerTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	newMortal(t).outlived(t, quixo(t, 3), Options{ShareFrom: 1, Expect: 2}, 0, 7, 4)
}
