package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"backsolve/cmd/cli"
)

// programVersion is the version that coordinator and workers must share. Tests replace it.
var programVersion = cli.Release

// workerProcess describes a worker process on this machine.
type workerProcess struct {
	url, store  string
	threads     int
	memory      int64 // bytes; 0 means no limit
	environment []string
}

// command returns the command of the worker, which is this program. Secrets are in its
// environment. It ends when its standard input does, and so with this process.
func (p *workerProcess) command() (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program: %w", err)
	}
	args := []string{"work", "--cluster", p.url, "--store", p.store, "--threads", strconv.Itoa(p.threads), "--quiet", "--attached"}
	if p.memory > 0 {
		args = append(args, "--memory", strconv.FormatInt(p.memory, 10))
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0], cmd.Env = os.Args[0], p.environment
	return cmd, nil
}

// workers are the worker processes on this machine.
type workers struct {
	logf       func(format string, args ...any)
	onAllEnded func(err error)
	running    sync.WaitGroup

	lock     sync.Mutex // guards what follows
	left     int
	stopping bool
	inputs   []io.Closer
	commands []*exec.Cmd
}

// startWorkers starts n worker processes. It logs when one ends by itself, and calls onAllEnded
// when the last one has.
func startWorkers(n int, p workerProcess, logf func(format string, args ...any), onAllEnded func(error)) (*workers, error) {
	w := &workers{logf: logf, onAllEnded: onAllEnded}
	for i := range n {
		if err := w.start(i+1, p); err != nil {
			w.stop()
			return nil, fmt.Errorf("cannot start worker %d of %d: %w", i+1, n, err)
		}
	}
	return w, nil
}

// start starts a worker process.
func (w *workers) start(number int, p workerProcess) error {
	cmd, err := p.command()
	if err != nil {
		return err
	}
	output := new(bytes.Buffer)
	cmd.Stderr = output
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.left++
	w.inputs, w.commands = append(w.inputs, input), append(w.commands, cmd)
	w.running.Go(func() { w.onEnded(number, cmd.Wait(), output.String()) })
	return nil
}

// onEnded logs that a worker has ended.
func (w *workers) onEnded(number int, err error, output string) {
	w.lock.Lock()
	w.left--
	left, stopping := w.left, w.stopping
	w.lock.Unlock()
	if stopping {
		return
	}
	why := "without an error"
	if err != nil {
		why = err.Error()
	}
	if lines := strings.Split(strings.TrimSpace(output), "\n"); lines[len(lines)-1] != "" {
		why += ": " + strings.TrimPrefix(lines[len(lines)-1], "error: ")
	}
	w.logf("worker %d has ended (%s); %d are left", number, why, left)
	if left == 0 {
		w.onAllEnded(fmt.Errorf("all workers have ended, the last one with: %s", why))
	}
}

// stopTimeout is how long workers have to end before they are killed.
const stopTimeout = 5 * time.Second

// stop ends the workers, and returns when they have.
func (w *workers) stop() {
	w.lock.Lock()
	w.stopping = true
	inputs, commands := w.inputs, w.commands
	w.lock.Unlock()
	for _, input := range inputs {
		input.Close()
	}
	kill := time.AfterFunc(stopTimeout, func() {
		for _, cmd := range commands {
			cmd.Process.Kill()
		}
	})
	w.running.Wait()
	kill.Stop()
}
