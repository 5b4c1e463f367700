//go:build unix

package cluster

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

var measureTo = flag.String("measure", "", "file to which TestMeasure appends its measurements")

// measurement is a solve by worker processes of one thread, on one machine.
type measurement struct {
	Board   string `json:"board"`
	Workers int    `json:"workers"`
	Classes int    `json:"classes"`
	Tasks   int    `json:"tasks"`
	// Seconds is the time from Begin to the end of Finish. The others are processor time: of the
	// coordinator with NATS, of the workers, and of all else that the machine did meanwhile.
	Seconds     float64 `json:"seconds"`
	Coordinator float64 `json:"coordinator_seconds"`
	Working     float64 `json:"worker_seconds"`
	Others      float64 `json:"other_seconds"`
	// Read and Written are the bytes that the workers have moved.
	Read    int64 `json:"bytes_read"`
	Written int64 `json:"bytes_written"`
	// Waiting is how long the workers waited for tasks.
	Waiting float64 `json:"waiting_seconds"`
	// Messages are those that NATS has received.
	Messages int64 `json:"messages"`
}

// TestMeasure measures solves for the simulation of clusters.
func TestMeasure(t *testing.T) {
	if *measureTo == "" {
		t.Skip("measures only with -measure")
	}
	var marks uint64
	for _, cell := range []int{1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40, 43} {
		marks |= 1 << cell
	}
	for _, workers := range []int{1, 2, 3} {
		measure(t, spaceAfter(t, 6, 0), true, workers)
		measure(t, spaceAfter(t, 7, marks), false, workers)
	}
}

func measure(t *testing.T, space *partition.Space, steps bool, workers int) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	place := t.TempDir()
	for range workers {
		startChild(t, child{Do: "work", URL: s.ClientURL(), Place: place, Usual: true})
	}
	var m measurement
	o := Options{URL: s.ClientURL(), Store: openStore(t, place), Version: "1", Expect: workers, Own: true, VerifyShare: 0.01}
	how := retro.Options{Steps: steps, Threads: 1}
	record := NewSolve(space, how)
	if !steps {
		each := outofcore.Options{Options: retro.Options{Threads: 1, Memory: 512 << 20}}
		record = NewStream(space, false, StreamBlocks(space, each))
	}
	warm, err := Begin(t.Context(), space, record, o) // the workers wait for it
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the workers", func() bool {
		all, err := warm.conn.workers(t.Context())
		return err == nil && len(all) == workers
	})
	before, busy, began, messages := ownSeconds(t, syscall.RUSAGE_SELF), busySeconds(t), time.Now(), received(t, s)
	how.Scheduler = warm
	if steps {
		err = solve(warm.Context(), filepath.Join(t.TempDir(), "table.tb"), space, how)
	} else {
		_, err = outofcore.SolveBy(warm.Context(), space, outofcore.Options{Options: how}, NewStreamScheduler(warm))
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := warm.conn.workers(t.Context())
	var done map[string]*completion
	for _, w := range all {
		m.Waiting += w.Waiting
	}
	if err == nil {
		done, err = getAll[completion](t.Context(), warm.conn.state, "done.>")
	}
	if err == nil {
		err = warm.Finish(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	m.Seconds, m.Coordinator, m.Messages = time.Since(began).Seconds(), ownSeconds(t, syscall.RUSAGE_SELF)-before, received(t, s)-messages
	for _, w := range all {
		m.Working += processSeconds(t, w.PID)
	}
	for _, of := range done {
		m.Tasks++
		m.Read += of.Read
		m.Written += of.Written
	}
	m.Board, m.Workers, m.Classes = record.Board(), workers, space.MaskBits+1
	m.Others = busySeconds(t) - busy - m.Coordinator - m.Working
	warm.Close()
	f, err := os.OpenFile(*measureTo, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(m); err != nil {
		t.Fatal(err)
	}
}

func received(t *testing.T, s *server.Server) int64 {
	v, err := s.Varz(nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.InMsgs
}

func ownSeconds(t *testing.T, who int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// jiffies sums numbers of a line of /proc.
func jiffies(fields []string) (seconds float64) {
	for _, f := range fields {
		n, _ := strconv.ParseFloat(f, 64)
		seconds += n / 100
	}
	return seconds
}

// processSeconds and busySeconds return the processor time of a process and of the machine.
func processSeconds(t *testing.T, pid int) float64 {
	fields := strings.Fields(string(contents(t, fmt.Sprintf("/proc/%d/stat", pid))))
	return jiffies(fields[13:15])
}

func busySeconds(t *testing.T) float64 {
	fields := strings.Fields(strings.SplitN(string(contents(t, "/proc/stat")), "\n", 2)[0])
	return jiffies(fields[1:4]) + jiffies(fields[6:9])
}
