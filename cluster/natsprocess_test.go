//go:build unix

package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"backsolve/partition"
)

// natsProcess is a NATS server in a child process, which can be killed and started again.
type natsProcess struct {
	e       child
	address string
	running *exec.Cmd
	forgets bool // its files are lost when it is killed
}

func newNATSProcess(t *testing.T) *natsProcess {
	t.Helper()
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	m := &natsProcess{e: child{Do: "serve", Dir: t.TempDir()}, address: address}
	if _, err := fmt.Sscan(port, &m.e.Port); err != nil {
		t.Fatal(err)
	}
	m.start(t)
	return m
}

// start starts the server, and waits until it responds.
func (m *natsProcess) start(t *testing.T) {
	t.Helper()
	m.running = startChild(t, m.e)
	waitFor(t, "the server", func() bool {
		conn, err := net.Dial("tcp", m.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// wantSurvivors solves with two workers while the server is killed after each of some classes has
// begun, and compares the table. A worker pauses before each task.
func (m *natsProcess) wantSurvivors(t *testing.T, space *partition.Space, o Options, pause time.Duration, classes ...int) {
	t.Helper()
	o.URL, o.Version, o.timing = "nats://"+m.address, "1", quick
	o.Store = openStore(t, filepath.Join(t.TempDir(), "store"))
	reached := make(chan int, 10_000)
	done := make(chan error, 3) // what ends first is the solve
	ctx, cancel := context.WithCancel(context.Background())
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			done <- Work(ctx, WorkOptions{Options: o, onTask: func(class, _ int) { time.Sleep(pause); reached <- class }})
		})
	}
	t.Cleanup(func() { cancel(); workers.Wait() })
	path := filepath.Join(t.TempDir(), "table.tb")
	go func() { done <- coordinate(t.Context(), path, space, true, o) }()
	for _, class := range classes {
		for at := class + 1; at > class; {
			select {
			case at = <-reached:
			case err := <-done:
				t.Fatalf("the solve ended before class %d: %v", class, err)
			}
		}
		kill(m.running)
		if m.forgets {
			if err := os.RemoveAll(m.e.Dir); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(300 * time.Millisecond)
		m.start(t)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, true)) {
		t.Error("the table differs")
	}
}

// A killed NATS server that comes back with its files delays the solve, no more.
func TestKilledServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	t.Parallel()
	newNATSProcess(t).wantSurvivors(t, newSpace(t, 5), Options{ShardBytes: smallShards}, time.Millisecond, 6, 4)
}

// So does one that comes back without its files: the coordinator writes its record again, and
// publishes the missing tasks.
func TestServerLosesFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for lost calls")
	}
	t.Parallel()
	m := newNATSProcess(t)
	m.forgets = true
	var log logRecorder
	m.wantSurvivors(t, newSpace(t, 4), Options{ShardBytes: 200, Logf: log.logf}, 5*time.Millisecond, 5)
	if !log.has("NATS has lost the record", "written again") {
		t.Errorf("it is not logged: %q", log.all)
	}
}
