package jobs

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate puts a command into a process group of its own, which no signal to the server's
// reaches. If the server dies, the command stops gently.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// limit takes rights from a process that has just started, as far as the system allows. Plans
// hold the limits before; these stop a process that exceeds its plan.
func (q *Queue) limit(pid int) {
	const program = 512 << 20 // of data beside what a solve plans
	set := func(resource int, bytes int64) {
		unix.Prlimit(pid, resource, &unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}, nil)
	}
	set(unix.RLIMIT_CORE, 0)
	set(unix.RLIMIT_DATA, q.o.Memory+q.o.Memory/8+program)
	if q.o.Disk > 0 {
		set(unix.RLIMIT_FSIZE, q.o.Disk)
	}
	unix.Setpriority(unix.PRIO_PGRP, pid, 10)
	os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0) // so that memory is not taken from the server
}
