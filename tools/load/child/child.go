// Package child runs servers as processes of their own and tells what they use.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a server in a process of its own.
type Process struct {
	// Addr is the host and port that it listens on.
	Addr string

	cmd    *exec.Cmd
	said   tail
	ended  chan struct{} // closed once err is there
	err    error
	cancel context.CancelFunc
}

// startTime is how long a server may take until it is ready.
const startTime = 20 * time.Second

// Start starts a program that listens on a free port of 127.0.0.1, which it is
// told by --listen behind the arguments, and waits until it answers a GET of
// /readyz with 200. The process is killed when ctx ends. The error has what the
// program said.
func Start(ctx context.Context, program string, args ...string) (*Process, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &Process{Addr: addr, ended: make(chan struct{}), cancel: cancel}
	p.cmd = exec.CommandContext(ctx, program, append(args, "--listen", addr)...)
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	if err := p.untilReady(ctx); err != nil {
		p.Kill()
		return nil, fmt.Errorf("%s is not ready: %w: %s", program, err, p.Said())
	}
	return p, nil
}

// freeAddr returns an address of 127.0.0.1 that nobody listens on.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (p *Process) untilReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		if isReady(ctx, p.Addr) {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("it has ended (%v)", p.cmd.ProcessState)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func isReady(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	status, _, err := get(ctx, addr, "/readyz", "")
	return err == nil && status == http.StatusOK
}

// Said returns the last lines of what the program wrote.
func (p *Process) Said() string { return p.said.String() }

// Pid is the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Terminate asks the program to end; where the system has no such request it is
// killed.
func (p *Process) Terminate() error {
	if runtime.GOOS == "windows" {
		return p.cmd.Process.Kill()
	}
	return p.cmd.Process.Signal(syscall.SIGTERM)
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err says how the process has ended: nil with the exit status 0. It waits until
// it has.
func (p *Process) Err() error {
	<-p.ended
	return p.err
}

// Kill ends the process at once.
func (p *Process) Kill() {
	p.cancel()
	<-p.ended
}

// stopTime is how long a server may take to end.
const stopTime = 30 * time.Second

// Stop asks the program to end and waits until it has. It is an error where it
// takes longer than half a minute, and is killed then, or where the exit status
// is not 0.
func (p *Process) Stop() error {
	defer p.cancel()
	if err := p.Terminate(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.ended:
	case <-time.After(stopTime):
		p.Kill()
		return fmt.Errorf("it did not end within %v of being asked to: %s", stopTime, p.Said())
	}
	if p.err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("%w: %s", p.err, p.Said())
	}
	return nil
}

// tail keeps the last kilobytes of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - tailSize; extra > 0 {
		t.kept = bytes.Clone(t.kept[extra:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
