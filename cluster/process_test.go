//go:build unix

package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// errand is what this test binary does when it is started as a process of its own.
type errand struct {
	Do    string // work, coordinate or serve
	URL   string
	Place string // of the store
	// Pause has a worker, when it has taken the At-th task, or is about to put its part into
	// the store, make a file and wait until it is gone.
	Pause string
	At    int
	Late  bool
	// Die has a worker die when it has taken a task of a class.
	Die   int
	Path  string // of the table
	N     int
	Taken uint64
	// Stream has the coordinator keep no table.
	Stream bool
	Dir    string // of the server
	Port   int
}

const errandVariable = "BACKSOLVE_TEST_ERRAND"

func TestMain(m *testing.M) {
	callTimeout = 2 * time.Second
	if text := os.Getenv(errandVariable); text != "" {
		var e errand
		err := json.Unmarshal([]byte(text), &e)
		if err == nil {
			err = e.run()
		}
		fmt.Fprintln(os.Stderr, e.Do, "ended:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func (e *errand) run() error {
	ctx := context.Background()
	if e.Do == "serve" {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: e.Port, JetStream: true, StoreDir: e.Dir, NoLog: true, NoSigs: true})
		if err != nil {
			return err
		}
		s.Start()
		s.WaitForShutdown()
		return nil
	}
	place, err := store.Open(ctx, e.Place)
	if err != nil {
		return err
	}
	logf := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	o := Options{URL: e.URL, Store: place, Version: "1", GroupBytes: few, Logf: logf, Timing: quick}
	if e.Do == "work" {
		how := WorkOptions{Options: o, Threads: 1}
		if e.Late {
			how.Store = &pausing{place, e.pause()}
		} else {
			pause := e.pause()
			how.onTask = func(class, _ int) {
				if e.Die > 0 && class == e.Die {
					os.Exit(9)
				}
				pause()
			}
		}
		return Work(ctx, how)
	}
	space, err := (&Solve{Game: "notakto", Size: e.N, Taken: e.Taken}).space()
	if err != nil {
		return err
	}
	if e.Stream {
		o.GroupBytes = tiny
		_, err := coordinateStream(ctx, space, 1, false, o, outofcore.Options{})
		return err
	}
	if err := coordinate(ctx, e.Path, space, true, o); err != nil {
		return err
	}
	os.Exit(0)
	return nil
}

// pause returns what makes the pause when it is called for the At-th time.
func (e *errand) pause() func() {
	var calls atomic.Int64 // parts are put by several goroutines
	return func() {
		if calls.Add(1) == int64(e.At) {
			os.WriteFile(e.Pause, nil, 0o666)
			for fileThere(e.Pause) {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
}

// pausing is a store that is paused before it is put to.
type pausing struct {
	store.Store
	pause func()
}

func (p *pausing) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	p.pause()
	return p.Store.Put(ctx, name, r, size)
}

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// send starts a process that does an errand. It is killed when the test ends.
func send(t *testing.T, e errand, environment ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(append(os.Environ(), errandVariable+"="+string(encoded(e))), environment...)
	cmd.Stderr = &lines{t: t}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

// lines logs what a process says.
type lines struct{ t *testing.T }

func (l *lines) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// kill kills a process as kill -9 does.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

// pausing starts a worker that stops in the middle of its third task, and returns it when
// it has.
func (c *cell) pausing(t *testing.T, late bool) (worker *exec.Cmd, pause string) {
	pause = filepath.Join(t.TempDir(), "pause")
	worker = send(t, errand{Do: "work", URL: c.server.URL(), Place: c.place, Pause: pause, At: 3, Late: late}, c.server.Environment()...)
	until(t, "the worker's third task", func() bool { return fileThere(pause) })
	return worker, pause
}

// What a worker that is killed has not finished is done by another one.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	wait := c.solving(t)
	for _, late := range []bool{false, true} {
		worker, _ := c.pausing(t, late)
		kill(worker)
	}
	c.employ(t, nil)
	wait()
	c.wantNothing(t)
}

// A worker that is stopped and wakes up does no harm: its task was done by another one
// meanwhile, and what it brings late is cleared away.
func TestSleepingWorker(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("late ", late), func(t *testing.T) {
			t.Parallel()
			c := newCell(t)
			wait := c.solving(t)
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
			c.wantTable(t, 4, true, c.options())
			c.wantNothing(t)
		})
	}
}

// A coordinator that is killed is replaced by starting it again, with its table or, as on
// another machine, without.
func TestKilledCoordinator(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprint("elsewhere ", elsewhere), func(t *testing.T) {
			t.Parallel()
			c, space := newCell(t), newSpace(t, 5)
			want := plain(t, space, true)
			c.employ(t, func(o *WorkOptions) {
				o.onTask = func(class, _ int) {
					if class <= 4 { // so that there is time to kill the last one
						time.Sleep(25 * time.Millisecond)
					}
				}
			})
			e := errand{Do: "coordinate", URL: c.server.URL(), Place: c.place, N: 5}
			e.Path = filepath.Join(t.TempDir(), "table.tb")
			for _, class := range []int{6, 4, 3} {
				coordinator := send(t, e, c.server.Environment()...)
				until(t, fmt.Sprint("class ", class), func() bool { return c.class(t) <= class })
				kill(coordinator)
				if elsewhere {
					e.Path = filepath.Join(t.TempDir(), "table.tb")
				}
			}
			if err := coordinate(t.Context(), e.Path, space, true, c.options()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(contents(t, e.Path), want) {
				t.Error("it is another table")
			}
			c.wantNothing(t)
		})
	}
}

// class returns the class in work, a high one before the first.
func (c *cell) class(t *testing.T) int {
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	if conn.open(t.Context()) != nil {
		return 99
	}
	solve, err := getKey[Solve](t.Context(), conn.state, solveKey)
	if err != nil {
		t.Fatal(err)
	}
	if solve == nil || solve.Class < 0 {
		return 99
	}
	return solve.Class
}

// mortal is a NATS server in a process of its own, which may be killed and started again
// with its files.
type mortal struct {
	e       errand
	address string
	running *exec.Cmd
	forgets bool // its files are lost when it is killed
}

// freeAddress returns an address of this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	m := &mortal{e: errand{Do: "serve", Dir: t.TempDir()}, address: address}
	if _, err := fmt.Sscan(port, &m.e.Port); err != nil {
		t.Fatal(err)
	}
	m.start(t)
	return m
}

// start waits until the server answers.
func (m *mortal) start(t *testing.T) {
	t.Helper()
	m.running = send(t, m.e)
	until(t, "the server", func() bool {
		conn, err := net.Dial("tcp", m.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// outlived solves with two workers while the server is killed whenever a class after one of
// those given is begun, and wants the table of one process. A worker takes so long before
// each of its tasks.
func (m *mortal) outlived(t *testing.T, space *partition.Space, o Options, pause time.Duration, classes ...int) {
	t.Helper()
	o.URL, o.Version, o.Timing = "nats://"+m.address, "1", quick
	o.Store = openStore(t, filepath.Join(t.TempDir(), "store"))
	reached := make(chan int, 10_000)
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			ended <- Work(ctx, WorkOptions{Options: o, onTask: func(class, _ int) { time.Sleep(pause); reached <- class }})
		}()
		t.Cleanup(func() { cancel(); <-ended })
	}
	path := filepath.Join(t.TempDir(), "table.tb")
	done := make(chan error, 1)
	go func() { done <- coordinate(t.Context(), path, space, true, o) }()
	for _, class := range classes {
		for at := range reached {
			if at <= class {
				break
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
	if !bytes.Equal(contents(t, path), plain(t, space, true)) {
		t.Error("it is another table")
	}
}

// A task at which one worker after the other dies ends the solve, and is tried again by the next
// coordinator.
func TestDeadlyTask(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until each is missed")
	}
	t.Parallel()
	c := newCell(t)
	c.timing.AckWait = 300 * time.Millisecond
	space, path := newSpace(t, 4), filepath.Join(t.TempDir(), "table.tb")
	done := make(chan error, 1)
	go func() { done <- coordinate(t.Context(), path, space, true, c.options()) }()
	lost := 0
	var err error
	for ended := false; !ended; {
		worker := send(t, errand{Do: "work", URL: c.server.URL(), Place: c.place, Die: 5}, c.server.Environment()...)
		exited := make(chan struct{})
		go func() { worker.Wait(); close(exited) }()
		select {
		case <-exited:
			if lost++; lost > 3*maxAttempts {
				t.Fatalf("%d workers were lost, and it goes on", lost)
			}
		case err = <-done:
			ended = true
		}
	}
	if !errors.Is(err, ErrWorkersLost) || !strings.Contains(err.Error(), "of class 5") || lost < maxAttempts {
		t.Errorf("after %d workers it ends with %v", lost, err)
	}
	c.employ(t, nil)
	if err := coordinate(t.Context(), path, space, true, c.options()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, true)) {
		t.Error("it is another table")
	}
	c.wantNothing(t)
}

// A NATS server that is killed and comes back with its files holds nobody up for longer than
// it is away.
func TestKilledServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	t.Parallel()
	newMortal(t).outlived(t, newSpace(t, 5), Options{GroupBytes: few}, time.Millisecond, 6, 4)
}

// Nor does one that comes back without its files: the coordinator writes its record again, and hands
// out what is missing.
func TestForgetfulServer(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for calls that got lost")
	}
	t.Parallel()
	m := newMortal(t)
	m.forgets = true
	var heard sayings
	m.outlived(t, newSpace(t, 4), Options{GroupBytes: 200, Logf: heard.logf}, 5*time.Millisecond, 5)
	if !heard.has("NATS has lost the record", "written again") {
		t.Errorf("nothing is said of it: %q", heard.all)
	}
}
