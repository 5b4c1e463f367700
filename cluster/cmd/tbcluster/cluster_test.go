package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"backsolve/cluster"
	"backsolve/cluster/local"
	"backsolve/cluster/store"
	"backsolve/internal/probe"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/writer"
)

// startNATS starts a NATS server, sets the environment to connect to it, and creates a store. It
// returns the flags that name both.
func startNATS(t *testing.T) (flags []string) {
	t.Helper()
	server, err := local.Start(filepath.Join(t.TempDir(), "nats"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	for _, variable := range server.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	return []string{"--cluster", server.URL(), "--store", filepath.Join(t.TempDir(), "store")}
}

// begin starts tbcluster. It is killed when the test ends.
func begin(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = tbcluster(t, args...), new(bytes.Buffer)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, stderr
}

// tableOf returns the bytes of the table of Notakto 5×5 with steps in a directory.
func tableOf(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "notakto-5x5.tb"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// solveNotakto5 returns the command line that solves it.
func solveNotakto5(dir string, more ...string) []string {
	return append([]string{"solve", "notakto", "5", "--steps", "--quiet", "--dir", dir}, more...)
}

// Separate workers solve a board for a coordinator. The status shows them, and a worker of another
// version is refused.
func TestCluster(t *testing.T) {
	flags := startNATS(t)
	plain, shared := t.TempDir(), t.TempDir()
	byOne(t, solveNotakto5(plain)[1:]...)
	for range 2 {
		begin(t, append([]string{"work", "--threads", "1"}, flags...)...)
	}
	output(t, solveNotakto5(shared, append(flags, "--down-to-class", "2")...)...)

	var status cluster.Status
	text := output(t, "status", "--json")
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if status.Solve == nil || status.Solve.Board() != "notakto 5×5 with steps" || status.Coordinator != nil || len(status.Workers) != 2 {
		t.Errorf("the status is %s", text)
	}
	for _, says := range []string{"notakto 5×5 with steps, begun 20", "none; the command that began the solve resumes it", "done, class 2"} {
		for range 50 { // workers publish their status once a second
			if text = output(t, "status"); strings.Contains(text, says) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if !strings.Contains(text, says) {
			t.Errorf("the status does not say %q:\n%s", says, text)
		}
	}

	other := tbcluster(t, append([]string{"work"}, flags...)...)
	other.Args[0] = "tbcluster-next"
	_, err := other.Output()
	if says := stderrOf(err); other.ProcessState.ExitCode() != 5 || !strings.Contains(says, "the coordinator has another version") || !strings.Contains(says, "this worker has next") {
		t.Errorf("another version ends with status %d and says %q", other.ProcessState.ExitCode(), says)
	}

	output(t, solveNotakto5(shared, flags...)...)
	if !bytes.Equal(tableOf(t, shared), tableOf(t, plain)) {
		t.Error("the table differs")
	}
	if text := output(t, "status"); !strings.Contains(text, " none\n") {
		t.Errorf("after the solve the status is\n%s", text)
	}
}

// A solve waits for workers until it is stopped. Meanwhile another coordinator is refused.
func TestClusterStop(t *testing.T) {
	flags := startNATS(t)
	if _, err := tbcluster(t, "stop").Output(); !strings.Contains(stderrOf(err), "the cluster has no running solve") {
		t.Errorf("what is not there is stopped: %v, %s", err, stderrOf(err))
	}
	solve, stderr := begin(t, solveNotakto5(t.TempDir(), flags...)...)
	waitForSolve(t)
	_, err := tbcluster(t, solveNotakto5(t.TempDir(), flags...)...).Output()
	if says := stderrOf(err); !strings.Contains(says, "the cluster has another coordinator: process ") || !strings.Contains(says, "tbcluster stop") {
		t.Errorf("a second coordinator says %q", says)
	}
	if says := output(t, "stop"); says != "notakto 5×5 with steps is stopping\n" {
		t.Errorf("stop says %q", says)
	}
	solve.Wait()
	want := "error: stopped by another process; the finished classes are kept: run the same command again to resume after them\n"
	if stderr.String() != want || solve.ProcessState.ExitCode() != 1 {
		t.Errorf("the solve ends with status %d and says %q", solve.ProcessState.ExitCode(), stderr)
	}
}

// waitForSolve waits for a coordinator.
func waitForSolve(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		s, err := cluster.ReadStatus(t.Context(), os.Getenv("NATS_URL"))
		if err != nil {
			t.Fatal(err)
		}
		if s.Coordinator != nil && s.Progress != nil {
			return
		}
	}
	t.Fatal("in a minute no coordinator has come")
}

// A killed solve on one machine, NATS server included, resumes with any number of workers. Nothing but the
// table is left.
func TestKilledSolve(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a solve several times")
	}
	for name, packed := range map[string][]string{"notakto-5x5.tb": nil, "notakto-5x5.tb.zst": {"--packed"}} {
		plain, shared := t.TempDir(), t.TempDir()
		byOne(t, solveNotakto5(plain, packed...)[1:]...)
		random := rand.New(rand.NewPCG(3, 4))
		for _, workers := range []string{"1", "2", "3"} {
			cmd, _ := begin(t, solveNotakto5(shared, append(packed, "--workers", workers)...)...)
			waitForClass(t, filepath.Join(shared, name))
			time.Sleep(time.Duration(random.Int64N(int64(200 * time.Millisecond))))
			cmd.Process.Kill()
			cmd.Wait()
		}
		output(t, solveNotakto5(shared, append(packed, "--workers", "2", "--force")...)...)
		got, err := os.ReadFile(filepath.Join(shared, name))
		want, failed := os.ReadFile(filepath.Join(plain, name))
		if err != nil || failed != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v, %v", name, err, failed)
		}
		left, err := filepath.Glob(filepath.Join(shared, "*"))
		left = slices.DeleteFunc(left, func(path string) bool { return strings.HasSuffix(path, name) || strings.HasSuffix(path, ".lock") })
		if err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}

// So does a solve that keeps no table, and it leaves nothing but its result.
func TestKilledStream(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a solve several times")
	}
	plain, shared := t.TempDir(), t.TempDir()
	args := func(dir string, more ...string) []string {
		return append([]string{"solve", "notakto", "5", "--after", "a1,c2", "--keep", "result", "--quiet", "--dir", dir}, more...)
	}
	byOne(t, args(plain)[1:]...)
	result := func(dir string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, "notakto-5x5-after-a1-c2.json"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	team := filepath.Join(shared, "notakto-5x5-after-a1-c2.cluster")
	for i, workers := range []string{"1", "2", "3"} {
		cmd, _ := begin(t, args(shared, "--workers", workers)...)
		sealed := func() int {
			files, _ := filepath.Glob(filepath.Join(team, "store", "*", "*", "sealed", "*"))
			return len(files)
		}
		for end := time.Now().Add(time.Minute); sealed() <= i; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("in a minute no class is sealed")
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	text := output(t, args(shared, "--workers", "2", "--json")...)
	var r struct {
		Resumed int `json:"resumed_classes"`
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Resumed < 1 {
		t.Errorf("it resumed after %d classes: %v", r.Resumed, err)
	}
	if !bytes.Equal(result(shared), result(plain)) {
		t.Error("the result differs")
	}
	if left, _ := os.ReadDir(shared); len(left) != 1 {
		t.Errorf("%v are left", left)
	}
}

// After a coordinator was killed between finishing its table or result and its end, the same
// command collects the garbage. Then another board can be solved.
func TestKilledWhileFinishing(t *testing.T) {
	flags := startNATS(t)
	begin(t, append([]string{"work", "--threads", "1"}, flags...)...)
	dir := t.TempDir()
	_, space := newSpace(t, "notakto", 4)
	place, err := store.Open(t.Context(), flags[3])
	if err != nil {
		t.Fatal(err)
	}
	o := cluster.Options{URL: flags[1], Store: place, Version: programVersion()}
	killed := func(o cluster.Options, of cluster.Solve, solve func(c *cluster.Coordinator) error) {
		t.Helper()
		c, err := cluster.Begin(t.Context(), space, of, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := solve(c); err != nil {
			t.Fatal(err)
		}
	}
	tidied := func(flags ...string) {
		t.Helper()
		if text := output(t, append([]string{"solve", "notakto", "4", "--quiet", "--dir", dir}, flags...)...); !strings.Contains(text, "before; --force solves it again") {
			t.Errorf("it says %s", text)
		}
		if s, err := cluster.ReadStatus(t.Context(), o.URL); err != nil || s.Solve != nil {
			t.Errorf("the cluster still has %+v, %v", s.Solve, err)
		}
		for name := range place.List(t.Context(), "") {
			t.Errorf("the store has %s", name)
		}
	}
	killed(o, cluster.NewSolve(space, retro.Options{}), func(c *cluster.Coordinator) error {
		w, err := writer.Create(filepath.Join(dir, "notakto-4x4.tb"), probe.Shape(space, false), false)
		if err != nil {
			return err
		}
		defer w.Close()
		_, err = retro.Solve(c.Context(), space, w, retro.Options{Scheduler: c.Solve})
		return err
	})
	tidied(flags...)

	own := filepath.Join(dir, "notakto-4x4.tb.cluster")
	server, err := local.Start(filepath.Join(own, "nats"))
	if err != nil {
		t.Fatal(err)
	}
	alone := cluster.Options{URL: server.URL(), Getenv: server.Getenv, Own: true, Store: place, Version: programVersion()}
	killed(alone, cluster.NewSolve(space, retro.Options{}), func(*cluster.Coordinator) error { return nil })
	server.Stop()
	tidied("--workers", "1", "--store", flags[3])
	if _, err := os.Stat(own); err == nil {
		t.Errorf("%s is left", own)
	}

	var saved struct{ SHA256 string }
	byOne(t, "notakto", "4", "--keep", "result", "--quiet", "--dir", dir)
	if b, err := os.ReadFile(filepath.Join(dir, "notakto-4x4.json")); err != nil || json.Unmarshal(b, &saved) != nil || saved.SHA256 == "" {
		t.Fatalf("the result is %s, %v", b, err)
	}
	killed(o, cluster.NewStream(space, false, 4), func(c *cluster.Coordinator) error {
		if _, err := outofcore.SolveBy(c.Context(), space, outofcore.Options{}, c.Stages()); err != nil {
			return err
		}
		return c.SetResult(c.Context(), saved.SHA256)
	})
	tidied(append(flags, "--keep", "result")...)
	output(t, append([]string{"solve", "notakto", "3", "--quiet", "--dir", dir}, flags...)...)
}

// tbcluster accepts the command lines in the Kubernetes manifest, the Slurm script and the systemd
// units of docs/howto/cluster-services.md.
func TestCommandLinesOfDocs(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(filepath.FromSlash("../../../docs/howto/" + path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var lines [][]string
	manifest := regexp.MustCompile(`command: \["/usr/bin/tbcluster"\]\n *args: (\[.*\])\n`)
	for _, found := range manifest.FindAllStringSubmatch(read("kubernetes/backsolve.yaml"), -1) {
		var args []string
		if err := json.Unmarshal([]byte(found[1]), &args); err != nil {
			t.Errorf("%s: %v", found[1], err)
		}
		lines = append(lines, args)
	}
	if len(lines) != 2 {
		t.Errorf("the manifest has %d command lines", len(lines))
	}
	for _, found := range regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/tbcluster (.*)$`).FindAllStringSubmatch(read("cluster-services.md"), -1) {
		lines = append(lines, strings.Fields(found[1]))
	}
	for _, found := range regexp.MustCompile(`(?m)^(?:srun )?tbcluster (.*) &$`).FindAllStringSubmatch(read("slurm/backsolve.sbatch"), -1) {
		line := strings.NewReplacer(`"`, "", "$NATS_URL", "nats://host:4222", "$SLURM_CPUS_PER_TASK", "8", "$memory", "12GiB").Replace(found[1])
		lines = append(lines, strings.Fields(line))
	}
	if len(lines) != 6 {
		t.Errorf("there are %d command lines", len(lines))
	}
	for _, args := range lines {
		cmd, rest, err := newRoot().Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil || !cmd.Runnable() || !cmd.Flags().Changed("store") {
			t.Errorf("tbcluster %s: %v", strings.Join(args, " "), err)
		}
	}
}

// If all workers on a machine end by themselves, the solve ends and says why.
func TestAllWorkersEnd(t *testing.T) {
	name := os.Args[0]
	os.Args[0] = "tbcluster" // as which workers are started
	defer func() { os.Args[0] = name }()
	var heard, why string
	p := workerProcess{url: "nats://127.0.0.1:1", store: t.TempDir(), threads: 1, environment: os.Environ()}
	ended := make(chan bool)
	stop, err := startWorkers(1, p, func(_ slog.Level, format string, args ...any) { heard = fmt.Sprintf(format, args...) }, func(err error) {
		why = err.Error()
		close(ended)
	})
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	stop()
	if !strings.Contains(heard, "worker 1 has ended (exit status 1: cannot reach NATS") || !strings.Contains(why, "all workers have ended, the last one with: exit status 1: cannot reach NATS") {
		t.Errorf("it says %q and %q", heard, why)
	}
}
