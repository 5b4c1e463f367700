package jobs

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"backsolve/internal/memory"
	"backsolve/internal/server/api"
)

// As a solver, the tests say what they may do.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "rights" {
		json.NewEncoder(os.Stdout).Encode(tryAll(os.Args[2]))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tryAll tries what a solver must not do, and what it needs. It gets the address of a listener.
func tryAll(address string) map[string]string {
	status := func(err error) string {
		if err != nil {
			return "denied"
		}
		return "done"
	}
	read := func(name string) string {
		_, err := os.ReadFile(name)
		return status(err)
	}
	write := func(name string) string { return status(os.WriteFile(name, []byte("x"), 0o600)) }
	limit := func(resource int) string {
		var l unix.Rlimit
		return fmt.Sprint(unix.Getrlimit(resource, &l), l.Cur, l.Max)
	}
	_, connected := net.DialTimeout("tcp", address, time.Second)
	_, listened := net.Listen("tcp", "127.0.0.1:0")
	_, sent := net.Dial("udp", address)
	own, err := os.ReadFile("/proc/self/status")
	_, privileges, _ := strings.Cut(string(own), "NoNewPrivs:\t")
	capabilities := func(set string) string {
		_, after, _ := strings.Cut(string(own), set+":\t")
		return after[:min(len(after), 16)]
	}
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 less the niceness
	other := make(chan int)
	go func() { // on another thread
		runtime.LockOSThread()
		n, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
		other <- n
	}()
	return map[string]string{
		"read tokens": read("../tokens"), "read the environment of the server": read(fmt.Sprintf("/proc/%d/environ", os.Getppid())),
		"write a record": write("x.json"), "write elsewhere": write("../x"), "remove tokens": status(os.Remove("../tokens")),
		"make a device": status(unix.Mkfifo("tables/pipe", 0o600)), "connect": status(connected), "listen": status(listened), "send": status(sent),
		"stop the server": status(syscall.Kill(os.Getppid(), 0)),
		"write a table":   write("tables/x.tb"), "rename it": status(os.Rename("tables/x.tb", "tables/y.tb")), "read it": read("tables/y.tb"),
		"ask the machine": read("/proc/meminfo"), "a directory": status(os.MkdirAll("tables/a/b", 0o700)), "status": status(err),
		"capabilities": capabilities("CapEff") + capabilities("CapPrm"),
		"nice":         fmt.Sprint(nice, <-other), "no new privileges": privileges[:1],
		"processors": limit(unix.RLIMIT_CPU), "core": limit(unix.RLIMIT_CORE),
	}
}

// A solver has fewer rights than the server from its first instruction on.
func TestRights(t *testing.T) {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); errno != 0 {
		t.Skip("this system has no Landlock: ", errno)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "tokens"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	q, _ := open(t, filepath.Join(root, "jobs"), limits{Memory: 1 << 30, Time: time.Minute})
	if q.o.Solver, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	cmd := q.command(t.Context(), niceness, []string{"rights", l.Addr().String()})
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got map[string]string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	seconds := 61 * runtime.NumCPU()
	header, own := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
	if err := unix.Capget(&header, &own[0]); err != nil {
		t.Fatal(err)
	}
	files := fmt.Sprintf("%016x", own[0].Permitted&(1<<unix.CAP_DAC_OVERRIDE)) // the one that root keeps
	wants := map[string]string{
		"capabilities": files + files,
		"nice":         "10 10", "no new privileges": "1", "core": "<nil> 0 0",
		"processors": fmt.Sprintf("<nil> %d %[1]d", seconds),
	}
	for _, may := range []string{"write a table", "rename it", "read it", "ask the machine", "a directory", "status"} {
		wants[may] = "done"
	}
	for what, is := range got {
		if want, ok := wants[what]; !ok && is != "denied" || ok && is != want {
			t.Errorf("%s: %s, want %s", what, is, want)
		}
	}
}

// A solver that cannot be confined does not run, and the job says why; one on a system that
// refuses a right to take is warned of.
func TestUnconfined(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{})
	cmd := q.command(t.Context(), niceness, []string{"quick"})
	cmd.Args[2] = "x"
	if out, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(out), "error: the solver cannot be started with fewer rights: ") || strings.Count(string(out), "\n") != 1 || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v: %s", err, out)
	}
	var warned []string
	said := follow(strings.NewReader("warning: the solver is not nice: x\nother\n"), nil, func(text string) { warned = append(warned, text) })
	if len(said) != 1 || len(warned) != 1 || warned[0] != "the solver is not nice: x" {
		t.Errorf("%q, %q", said, warned)
	}
}

// A solver that takes more memory than it planned is stopped. What it has only reserved is no memory.
func TestWatchMemory(t *testing.T) {
	q, _ := open(t, t.TempDir(), limits{Memory: 1 << 20})
	j := add(t, q, "hoards", 4)
	defer q.start()()
	if j = until(t, q, j.Id, api.JobStateFailed); !strings.HasPrefix(*j.Reason, errMemory.Error()) {
		t.Errorf("it failed as %s", *j.Reason)
	}
	array, err := memory.NewArray[byte](min(4<<30, math.MaxInt))
	if err != nil {
		t.Fatal(err)
	}
	defer memory.FreeArray(array)
	if bytes := memoryOf(os.Getpid()); bytes < 1<<20 || bytes > 2<<30 {
		t.Errorf("this process takes %d bytes", bytes)
	}
}
