package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"backsolve/retro"
)

// There is one coordinator at a time. It resumes what another has begun, and refuses another solve.
func TestOneCoordinator(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	begin := func(n int, change func(o *Options)) (*Coordinator, error) {
		o := c.options()
		if change != nil {
			change(&o)
		}
		return Begin(t.Context(), newSpace(t, n), NewSolve(newSpace(t, n), retro.Options{}), o)
	}
	first, err := begin(4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begin(4, nil); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a second coordinator: %v", err)
	}
	first.Close()
	second, err := begin(4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if second.record.solve.ID != first.record.solve.ID {
		t.Error("it is another solve")
	}
	second.Close()
	for says, o := range map[string]func(o *Options){
		"was begun by version 1, and this is 2": func(o *Options) { o.Version = "2" },
		"was begun with another store":          func(o *Options) { o.Store = openStore(t, t.TempDir()) },
	} {
		if _, err := begin(4, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := begin(5, nil); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "notakto 4×4") {
		t.Errorf("another board: %v", err)
	}
	forced, err := begin(5, func(o *Options) { o.Force = true })
	if err != nil {
		t.Fatal(err)
	}
	if err := forced.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := forced.conn.state.PutString(t.Context(), solveKey, "junk"); err != nil {
		t.Fatal(err)
	}
	forced.Close()
	if _, err := begin(4, nil); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "which cannot be read") {
		t.Errorf("a record of junk: %v", err)
	}
	forced, err = begin(4, func(o *Options) { o.Force = true })
	if err != nil {
		t.Fatal(err)
	}
	if err := forced.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	forced.Close()
	c.wantEmpty(t)
}

// A coordinator asks again if the response to its first call is lost, and ends if it is an error.
func TestLostResponse(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	first := once()
	_, err = nc.Subscribe("$JS.API.INFO", func(m *nats.Msg) {
		if !first(true) {
			m.Respond([]byte(`{"error":{"code":503,"err_code":10039}}`))
		}
	})
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func(usual time.Duration) { callTimeout = usual }(callTimeout)
	callTimeout = 100 * time.Millisecond
	space := newSpace(t, 3)
	_, err = Begin(t.Context(), space, NewSolve(space, retro.Options{}), Options{URL: s.ClientURL(), Store: openStore(t, t.TempDir()), timing: quick})
	if !errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		t.Errorf("the error is %v", err)
	}
}

// A coordinator that was suspended and has a successor ends.
func TestReplacedCoordinator(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 4)
	old, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	// It acquires a lost lease again if no other process holds it.
	if err := old.conn.alive.Purge(t.Context(), coordinatorKey); err != nil {
		t.Fatal(err)
	}
	if err := old.lease.renew(t.Context()); err != nil {
		t.Errorf("a lost lease is not acquired again: %v", err)
	}
	if _, err := old.conn.alive.Put(t.Context(), coordinatorKey, encoded(Member{Host: "elsewhere", PID: 7})); err != nil {
		t.Fatal(err)
	}
	select {
	case <-old.Context().Done():
		if err := context.Cause(old.Context()); !errors.Is(err, ErrReplaced) || !strings.Contains(err.Error(), "process 7 on elsewhere") {
			t.Errorf("the error is %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it continues")
	}
	// It cannot change the record after another coordinator has.
	next, stale := *old.record, *old.record
	if err := next.update(t.Context(), setClass(5)); err != nil {
		t.Fatal(err)
	}
	if err := stale.update(t.Context(), setClass(4)); !errors.Is(err, ErrReplaced) {
		t.Errorf("it changes the record: %v", err)
	}
}

// A solve can be watched, stopped and resumed.
func TestStatusAndStop(t *testing.T) {
	c := newTestCluster(t)
	for _, name := range []string{"NATS_USER", "NATS_PASSWORD"} {
		t.Setenv(name, c.server.Getenv(name))
	}
	url := c.server.URL()
	if s, err := ReadStatus(t.Context(), url); err != nil || s.Solve != nil || s.Coordinator != nil || len(s.Workers) != 0 {
		t.Errorf("before the first solve: %+v, %v", s, err)
	}
	if _, err := Stop(t.Context(), url); !errors.Is(err, ErrIdle) {
		t.Errorf("a missing solve is stopped: %v", err)
	}
	space, path := newSpace(t, 5), filepath.Join(t.TempDir(), "table.tb")
	reached, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	c.startWorker(t, func(o *WorkOptions) {
		o.onTask = func(class, _ int) {
			if class == 4 {
				once.Do(func() { close(reached); <-goOn })
			}
		}
	})
	solved := make(chan error, 1)
	go func() { solved <- coordinate(t.Context(), path, space, true, c.options()) }()
	<-reached
	var s *Status
	for range 100 {
		var err error
		if s, err = ReadStatus(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if s.Progress != nil && s.Progress.Class == 4 && len(s.Workers) == 1 && s.Workers[0].Class == 4 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if s.Solve == nil || s.Solve.Board() != "notakto 5×5 with steps" || s.Solve.Class != 4 || s.Coordinator == nil || s.Coordinator.PID != os.Getpid() {
		t.Errorf("the solve is %+v by %v", s.Solve, s.Coordinator)
	}
	if p := s.Progress; p == nil || p.Class != 4 || p.Tasks < 2 || p.Decided == 0 || p.Decided >= p.States || p.PerSecond <= 0 || p.Left <= 0 {
		t.Errorf("the progress is %+v", p)
	}
	if len(s.Workers) != 1 || s.Workers[0].Class != 4 || s.Workers[0].Tasks == 0 || s.Workers[0].Written == 0 || s.Workers[0].Busy() <= 0 || s.Workers[0].Busy() > 1 {
		t.Errorf("the workers are %+v", s.Workers)
	}
	stopped, err := Stop(t.Context(), url)
	if err != nil || stopped.Board() != "notakto 5×5 with steps" {
		t.Errorf("stopped: %+v, %v", stopped, err)
	}
	if err := <-solved; !errors.Is(err, ErrStopped) {
		t.Errorf("the error is %v", err)
	}
	close(goOn)
	if s, err = ReadStatus(t.Context(), url); err != nil || s.Solve == nil || s.Coordinator != nil {
		t.Errorf("after the stop: %+v, %v", s, err)
	}
	if err := coordinate(t.Context(), path, space, true, c.options()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, true)) {
		t.Error("the table differs")
	}
}

// Invalid addresses, addresses with secrets and unreachable servers are refused.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, says := range map[string]string{
		"":                            "not an address of NATS",
		"host:4222":                   "not an address of NATS",
		"http://host:4222":            "not an address of NATS",
		"nats://":                     "not an address of NATS",
		"nats://me:secret@host:4222":  "give nats://host:4222, and set $NATS_CREDS",
		"nats://token@host:4222":      "give nats://host:4222, and set $NATS_CREDS",
		"http://me:secret@host:4222/": "not an address of NATS",
	} {
		err := CheckURL(address)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"nats://host:4222", "tls://host", "wss://host/path"} {
		if err := CheckURL(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := ReadStatus(t.Context(), "nats://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "cannot reach NATS at nats://127.0.0.1:1") {
		t.Errorf("unreachable: %v", err)
	}
}

func setClass(class int) func(s *Solve) { return func(s *Solve) { s.Class = class } }

// A deleted record differs from one that NATS has lost.
func TestLostRecord(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 3)
	first, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	j := &job{conn: first.conn, contents: contents{solve: &first.record.solve}}
	purge := func() {
		t.Helper()
		stream, err := first.conn.js.Stream(t.Context(), "KV_"+stateBucket)
		if err == nil {
			err = stream.Purge(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wants := func(what string, over bool, cause error) {
		t.Helper()
		if is, err := j.isOver(t.Context()); is != over || !errors.Is(err, cause) {
			t.Errorf("%s: it is over: %v, %v", what, is, err)
		}
	}
	wants("in work", false, nil)
	purge()
	wants("lost", false, errRecordLost)
	if err := first.record.update(t.Context(), setClass(7)); err != nil || first.record.solve.Class != 7 {
		t.Errorf("the record is not written again: %v", err)
	}
	wants("written again", false, nil)
	purge()
	if err := first.record.write(t.Context(), first.record.solve); err != nil {
		t.Error(err)
	}
	wants("written again", false, nil)
	if err := first.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants("deleted", true, nil)
	if err := first.record.update(t.Context(), setClass(5)); !errors.Is(err, ErrReplaced) {
		t.Errorf("a deleted record is written again: %v", err)
	}
	if err := first.record.write(t.Context(), first.record.solve); !errors.Is(err, ErrReplaced) {
		t.Errorf("a deleted record is written again: %v", err)
	}
}
