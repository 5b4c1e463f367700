//go:build unix

package cluster

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
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

// TestMeasure measures the solves of docs/background/beyond.md.
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
	how.Scheduler = warm.Solve
	if steps {
		err = solve(warm.Context(), filepath.Join(t.TempDir(), "table.tb"), space, how)
	} else {
		_, err = outofcore.SolveBy(warm.Context(), space, outofcore.Options{Options: how}, warm.Stages())
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := warm.conn.workers(t.Context())
	var done map[string]completion
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
	if err := syscall.Getrusage(who, &u); err != nil && t != nil {
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
	fields := strings.Fields(string(bytesIn(t, fmt.Sprintf("/proc/%d/stat", pid))))
	return jiffies(fields[13:15])
}

func busySeconds(t *testing.T) float64 {
	fields := strings.Fields(strings.SplitN(string(bytesIn(t, "/proc/stat")), "\n", 2)[0])
	return jiffies(fields[1:4]) + jiffies(fields[6:9])
}

var measuredShards = flag.String("shards", "", "quixo SIZE DOWN-TO-CLASS [MIB]: what TestMeasureShards solves, appending to -measure")

// shardMeasurement is a solve in shards by worker processes of one thread, on one machine.
type shardMeasurement struct {
	Board   string `json:"board"`
	DownTo  int    `json:"down_to_class"`
	Workers int    `json:"workers"`
	Turns   int    `json:"turns"`
	// Chain is the processor time of the slowest turn of each round, added up, and Coordinator that
	// of the coordinator with NATS.
	Chain       float64       `json:"longest_chain_seconds"`
	Seconds     float64       `json:"seconds"`
	Coordinator float64       `json:"coordinator_seconds"`
	Each        []shardWorker `json:"workers_each"`
}

type shardWorker struct {
	Processor float64 `json:"processor_seconds"`
	Peak      int64   `json:"peak_resident_bytes"`
	Read      int64   `json:"bytes_read"`
	Written   int64   `json:"bytes_written"`
}

// TestMeasureShards measures what workers of shards take, each by itself.
func TestMeasureShards(t *testing.T) {
	size, downTo, memory := 0, 0, int64(16<<10) // MiB of each worker, the third number if there is one
	if n, _ := fmt.Sscan(*measuredShards, &size, &downTo, &memory); *measureTo == "" || n < 2 {
		t.Skip("measures only with -measure and -shards")
	}
	space := namedSpace(t, "quixo", size)
	var want [32]byte
	for _, workers := range []int{1, 2, 4} {
		if got := measureShards(t, space, downTo, workers, memory<<20); workers == 1 {
			want = got
		} else if got != want {
			t.Errorf("%d workers make other bytes", workers)
		}
	}
}

func measureShards(t *testing.T, space *partition.Space, downTo, workers int, memory int64) [32]byte {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	place, records, ids := t.TempDir(), t.TempDir(), map[int]string{}
	var children []*exec.Cmd
	for i := range workers {
		record := filepath.Join(records, strconv.Itoa(i))
		of := startChild(t, child{Do: "work", URL: s.ClientURL(), Place: place, Usual: true, Record: record, Memory: memory})
		children, ids[of.Process.Pid] = append(children, of), record
	}
	m := shardMeasurement{Board: space.Board(), DownTo: downTo, Workers: workers}
	o := Options{URL: s.ClientURL(), Store: openStore(t, place), Version: "1", Expect: workers, Own: true}
	before, began := ownSeconds(t, syscall.RUSAGE_SELF), time.Now()
	path := filepath.Join(t.TempDir(), "table.tb")
	how := retro.Options{Threads: 1, DownTo: downTo, LogPath: path}
	record := NewSolve(space, how)
	record.WorkerMemory = memory
	c, err := Begin(t.Context(), space, record, o)
	if err != nil {
		t.Fatal(err)
	}
	how.Scheduler = c.Solve
	if err := solve(c.Context(), path, space, how); err != nil {
		t.Fatal(err)
	}
	m.Seconds, m.Coordinator = time.Since(began).Seconds(), ownSeconds(t, syscall.RUSAGE_SELF)-before
	all, err := c.conn.workers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rounds := map[[2]int]float64{} // by class and round: the slowest turn
	for _, w := range all {
		peak := statusBytes(t, w.PID, "VmHWM:")
		m.Each = append(m.Each, shardWorker{processSeconds(t, w.PID), peak, w.Read, w.Written})
		turns := recorded(t, ids[w.PID], processSeconds(t, w.PID))
		m.Turns += len(turns)
		for turn, seconds := range turns {
			at := [2]int{turn[0], turn[2]}
			rounds[at] = max(rounds[at], seconds)
		}
	}
	for _, seconds := range rounds {
		m.Chain += seconds
	}
	c.Close()
	for _, of := range children {
		kill(of)
	}
	f, err := os.OpenFile(*measureTo, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(m); err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(bytesIn(t, path+".partial"))
}

// recorded returns the processor time of each task of a worker by class, shard and number.
func recorded(t *testing.T, record string, end float64) map[[3]int]float64 {
	turns, counted := map[[3]int]float64{}, map[[2]int]int{}
	var last [3]int
	began := -1.0
	for line := range strings.Lines(string(bytesIn(t, record)) + fmt.Sprintln(-1, 0, end)) {
		var of [2]int
		var at float64
		if _, err := fmt.Sscan(line, &of[0], &of[1], &at); err != nil {
			t.Fatal(err)
		}
		if began >= 0 {
			turns[last] += at - began
		}
		last, began = [3]int{of[0], of[1], counted[of]}, at
		counted[of]++
	}
	return turns
}

// statusBytes returns a field of the status of a process.
func statusBytes(t *testing.T, pid int, field string) int64 {
	for line := range strings.Lines(string(bytesIn(t, fmt.Sprintf("/proc/%d/status", pid)))) {
		if rest, is := strings.CutPrefix(line, field); is {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	t.Fatalf("process %d has no %s", pid, field)
	return 0
}
