package faulttest

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Run runs a command to its end with a fault. It returns ErrUnavailable where
// ptrace is not permitted.
func Run(c Command, f Fault) (*Result, error) {
	// All requests must come from the thread that started the program.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var output [2]*os.File
	for i := range output {
		fd, err := unix.MemfdCreate("output", unix.MFD_CLOEXEC)
		if err != nil {
			return nil, err
		}
		output[i] = os.NewFile(uintptr(fd), "output")
		defer output[i].Close()
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	pid, err := syscall.ForkExec(c.Args[0], c.Args, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: []uintptr{null.Fd(), output[0].Fd(), output[1].Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true}, // a process group separates its threads from other children
	})
	if err == unix.EPERM || err == unix.ENOSYS {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err != nil {
		return nil, err
	}
	t := &tracing{pid: pid, threads: map[int]*thread{pid: {begun: true}}}
	t.recorder = recorder{dir: c.Dir, fault: f, result: &Result{Status: -1}, files: map[int]*openFile{}}
	if err := t.follow(); err != nil {
		unix.Kill(pid, unix.SIGKILL)
		for {
			if _, gone := t.wait(nil); gone != nil {
				return nil, err
			}
		}
	}
	for i, text := range []*string{&t.result.Stdout, &t.result.Stderr} {
		all, err := io.ReadAll(io.NewSectionReader(output[i], 0, 1<<30))
		if err != nil {
			return nil, err
		}
		*text = string(all)
	}
	return t.result, nil
}

// tracing is a program under way.
type tracing struct {
	recorder
	pid     int
	threads map[int]*thread
}

// thread is where a thread of the program is.
type thread struct {
	begun bool
	call  *pending // the call that it is in, if that is watched
}

// follow lets the program run until it has ended.
func (t *tracing) follow() error {
	var status unix.WaitStatus
	if _, err := t.wait(&status); err != nil {
		return err
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(t.pid, options); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for tid, signal := t.pid, 0; ; {
		// ESRCH: it has been killed, and its end is waited for.
		if err := unix.PtraceSyscall(tid, signal); err != nil && err != unix.ESRCH {
			return err
		}
		var err error
		for {
			if tid, err = t.wait(&status); err != nil {
				return err
			}
			if status.Stopped() {
				break
			}
			if tid == t.pid {
				if status.Exited() {
					t.result.Status = status.ExitStatus()
				}
				return nil
			}
			delete(t.threads, tid)
		}
		if signal, err = t.stopped(tid, status.StopSignal()); err != nil && err != unix.ESRCH {
			return err
		}
	}
}

// wait waits for one of the program's threads to stop or to end.
func (t *tracing) wait(status *unix.WaitStatus) (tid int, err error) {
	for {
		tid, err := unix.Wait4(-t.pid, status, unix.WALL, nil)
		if err != unix.EINTR {
			return tid, err
		}
	}
}

// stopped looks at a thread that has stopped and returns the signal that it is
// to get.
func (t *tracing) stopped(tid int, stop syscall.Signal) (signal int, err error) {
	th := t.threads[tid]
	if th == nil {
		th = &thread{}
		t.threads[tid] = th
	}
	switch {
	case stop == unix.SIGTRAP|0x80:
		return 0, t.systemCall(tid, th)
	case stop == unix.SIGTRAP: // a thread was made
		return 0, nil
	case stop == unix.SIGSTOP && !th.begun: // so threads begin
		th.begun = true
		return 0, nil
	}
	return int(stop), nil
}

// systemCall looks at the begin or the end of a system call and changes what the
// fault wants to be changed.
func (t *tracing) systemCall(tid int, th *thread) error {
	stop, err := stopAt(tid)
	if err != nil {
		return err
	}
	var change func(*unix.PtraceRegs)
	kill := false
	switch {
	case stop.op == stopEntry:
		if th.call, err = t.watch(memory(tid), stop.number, stop.args); err != nil || th.call == nil {
			return err
		}
		switch t.strike(th.call) {
		case skip:
			change = func(r *unix.PtraceRegs) { r.Orig_rax = ^uint64(0) }
		case die:
			change, kill = func(r *unix.PtraceRegs) { r.Orig_rax = ^uint64(0) }, true
		case halve:
			half := uint64(len(th.call.Data) / 2)
			change = func(r *unix.PtraceRegs) { r.Rdx = half }
		}
	case stop.op == stopExit && th.call != nil:
		call, result := th.call, int64(stop.number)
		th.call = nil
		if call.override != 0 {
			result = -int64(call.override)
			change = func(r *unix.PtraceRegs) { r.Rax = uint64(result) }
		}
		t.returned(call, result)
		kill = call.kill
	}
	if change != nil {
		var regs unix.PtraceRegs
		if err := unix.PtraceGetRegs(tid, &regs); err != nil {
			return err
		}
		change(&regs)
		if err := unix.PtraceSetRegs(tid, &regs); err != nil {
			return err
		}
	}
	if kill {
		return unix.Kill(t.pid, unix.SIGKILL)
	}
	return nil
}
