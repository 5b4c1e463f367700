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
	"unsafe"

	"golang.org/x/sys/unix"
)

// confinedWord, as the first argument of a program with this package, makes it take rights from
// itself and become the solver: those after it are the limits, the solver, and its arguments.
const confinedWord = "confined-solver"

// confined returns a command of the solver in a process group of its own, which no signal to the
// server's reaches. If the server dies, it stops gently. Limits, which stop a solver that exceeds its
// plan, must hold from its start, so this program sets them for itself before the solver takes its place.
func (q *Queue) confined(ctx context.Context, nice int, args []string) *exec.Cmd {
	limits := fmt.Sprint(int64(q.maxTime/time.Second+1)*int64(runtime.NumCPU()), nice)
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
	var seconds uint64 // of processors
	var nice int
	_, err := fmt.Sscan(os.Args[2], &seconds, &nice)
	if err == nil {
		err = confine(seconds, nice, os.Args[3])
	}
	if err == nil {
		err = syscall.Exec(os.Args[3], os.Args[3:], os.Environ())
	}
	fmt.Fprintf(os.Stderr, "error: the solver cannot be started with fewer rights: %v\n", err)
	os.Exit(1)
}

// confine takes rights from the calling thread, and warns of those that it cannot take on this system.
func confine(seconds uint64, nice int, solver string) error {
	for resource, most := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: seconds} {
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
	warn("the solver is not nice", unix.Setpriority(unix.PRIO_PROCESS, 0, nice))
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
	want := [2]unix.CapUserData{{Effective: kept, Permitted: kept}}
	if now == want {
		return nil // which needs no call, as the unit of systemd allows none
	}
	if err := unix.Capset(&header, &want[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

var auditArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// confineCalls refuses the calls that open sockets, and those of other systems that this one understands.
func confineCalls() error {
	arch, ok := auditArch[runtime.GOARCH]
	if !ok {
		return errors.ErrUnsupported
	}
	const call, system = 0, 4 // where struct seccomp_data has them
	const foreign = 1 << 30   // and beyond are the calls of x32 on amd64
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(code uint16, to uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | code, Jt: yes, Jf: no, K: to}
	}
	filter := []unix.SockFilter{
		load(system), jump(unix.BPF_JEQ, arch, 0, 4), load(call),
		jump(unix.BPF_JGE, foreign, 2, 0), jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1, 0), jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 0, 1),
		{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}, {Code: unix.BPF_RET, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// Accesses to files. A file that is no directory can have inFile alone.
const (
	inFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	read   = inFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	change = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REFER
)

// confineFiles leaves the solver, by Landlock, its own program, the tables of jobs and what
// describes the machine: no tokens, no keys, no other tables, no signals to others.
func confineFiles(solver string) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	handled := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	size := unsafe.Sizeof(handled.Handled_access_fs)
	for from, more := range map[uintptr]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= from {
			handled.Handled_access_fs |= more
		}
	}
	if version >= 6 {
		handled.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(handled.Quiet_access_fs)
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&handled)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(rules))
	// A solver that is not static needs the libraries of the system.
	for path, access := range map[string]uint64{tablesName: change, solver: inFile, "/proc": read, "/sys": read, "/usr": read, "/bin": read, "/lib": read, "/lib64": read} {
		if err := allow(rules, path, access&handled.Handled_access_fs); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func allow(rules uintptr, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
