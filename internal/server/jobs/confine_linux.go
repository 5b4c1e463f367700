package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// confinedWord, as the first argument of a program with this package, makes it take rights from
// itself and become the solver: those after it are the limits, the solver, and its arguments.
const confinedWord = "confined-solver"

// Plans hold the limits of a queue before; these stop a solver that exceeds its plan.
type resources struct {
	disk, seconds uint64 // seconds of processors; no limit of the disk if that is 0
	nice          int
}

// confined returns a command of the solver in a process group of its own, which no signal to the
// server's reaches. If the server dies, it stops gently. Limits must hold from its start, so this
// program sets them for itself before the solver takes its place.
func (q *Queue) confined(ctx context.Context, nice int, args []string) *exec.Cmd {
	limits := fmt.Sprint(q.o.Disk, int64(q.o.Time/time.Second+1)*int64(runtime.NumCPU()), nice)
	cmd := exec.CommandContext(ctx, "/proc/self/exe", append([]string{confinedWord, limits, q.o.Solver}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return cmd
}

// memoryOf returns how many bytes of memory a process takes beside its files, 0 if it has ended. What
// it has reserved says little: a solve in shards reserves several times what it may take.
func memoryOf(pid int) (bytes int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, after, found := strings.Cut(string(status), "\nRssAnon:"); found {
		fmt.Sscan(after, &bytes)
	}
	return bytes << 10
}

// The runtime runs it on the main thread, from which the solver inherits.
func init() {
	if len(os.Args) < 4 || os.Args[1] != confinedWord {
		return
	}
	var to resources
	_, err := fmt.Sscan(os.Args[2], &to.disk, &to.seconds, &to.nice)
	if err == nil {
		err = confine(to, os.Args[3])
	}
	if err == nil {
		err = syscall.Exec(os.Args[3], os.Args[3:], os.Environ())
	}
	fmt.Fprintf(os.Stderr, "error: the solver cannot be started with fewer rights: %v\n", err)
	os.Exit(1)
}

// confine takes rights from the calling thread, and warns of those that it cannot take on this system.
func confine(to resources, solver string) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: to.seconds}
	if to.disk > 0 {
		limits[unix.RLIMIT_FSIZE] = to.disk
	}
	for resource, most := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d of %d: %w", resource, most, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	warn := func(what string, err error) {
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s%s: %v\n", warning, what, err)
		}
	}
	warn("the solver is not nice", unix.Setpriority(unix.PRIO_PROCESS, 0, to.nice))
	// So that memory is not taken from the server.
	warn("the solver is not the first to be killed for memory", os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0))
	warn("the solver may use the network", confineCalls())
	err := confineFiles(solver)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, unix.EPERM) {
		warn("the solver may read and write what the server may, as there is no Landlock", err)
		err = nil
	}
	return errors.Join(err, dropCapabilities())
}

// dropCapabilities leaves root the right to files of others, which Landlock bounds.
func dropCapabilities() error {
	var now [2]unix.CapUserData
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&header, &now[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	kept := now[0].Permitted & (1 << unix.CAP_DAC_OVERRIDE)
	if now == [2]unix.CapUserData{{Effective: kept, Permitted: kept}} {
		return nil // which needs no call, as the unit of systemd allows none
	}
	now = [2]unix.CapUserData{{Effective: kept, Permitted: kept}}
	if err := unix.Capset(&header, &now[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}
