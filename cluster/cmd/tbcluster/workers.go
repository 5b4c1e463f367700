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

// programVersion is the version that coordinators and workers must share; tests put
// another one in its place.
var programVersion = cli.Release

// workerProcess says how a worker of this machine is started.
type workerProcess struct {
	url, store  string
	threads     int
	memory      int64 // 0: no limit is known
	environment []string
}

// command returns the worker's command, which is this program. What may be secret is in
// its environment, and it ends when its standard input does: when this process does,
// whatever ends it.
func (p *workerProcess) command() (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program, to start workers: %w", err)
	}
	args := []string{"work", "--cluster", p.url, "--store", p.store, "--threads", strconv.Itoa(p.threads), "--quiet", "--attached"}
	if p.memory > 0 {
		args = append(args, "--memory", strconv.FormatInt(p.memory, 10))
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0], cmd.Env = os.Args[0], p.environment
	return cmd, nil
}

// workers are the worker processes that were started here.
type workers struct {
	say   func(text string)
	none  func(err error) // told when the last one has ended by itself
	ended sync.WaitGroup

	lock     sync.Mutex
	left     int
	stopping bool
	inputs   []io.Closer
	commands []*exec.Cmd
}

// startWorkers starts so many worker processes. When one ends by itself, it is said; when
// the last one has, none is told why.
func startWorkers(n int, p workerProcess, say func(string), none func(error)) (*workers, error) {
	w := &workers{say: say, none: none}
	for i := range n {
		cmd, err := p.command()
		if err != nil {
			w.stop()
			return nil, err
		}
		output := new(bytes.Buffer)
		cmd.Stderr = output
		input, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			w.stop()
			return nil, fmt.Errorf("cannot start worker %d of %d: %w", i+1, n, err)
		}
		w.lock.Lock()
		w.left++
		w.inputs, w.commands = append(w.inputs, input), append(w.commands, cmd)
		w.lock.Unlock()
		w.ended.Go(func() { w.end(i+1, cmd.Wait(), output) })
	}
	return w, nil
}

// end takes down that a worker has ended.
func (w *workers) end(number int, err error, output *bytes.Buffer) {
	w.lock.Lock()
	w.left--
	left, stopping := w.left, w.stopping
	w.lock.Unlock()
	if stopping {
		return
	}
	why := "it had nothing to do any more"
	if err != nil {
		why = err.Error()
	}
	if lines := strings.Split(strings.TrimSpace(output.String()), "\n"); lines[len(lines)-1] != "" {
		why += ": " + strings.TrimPrefix(lines[len(lines)-1], "error: ")
	}
	w.say(fmt.Sprintf("worker %d has ended (%s); %d are left", number, why, left))
	if left == 0 {
		w.none(fmt.Errorf("all workers have ended, the last one so: %s", why))
	}
}

// stopWait is how long workers have to end before they are killed.
const stopWait = 5 * time.Second

// stop ends the workers, and returns when they have.
func (w *workers) stop() {
	w.lock.Lock()
	w.stopping = true
	inputs, commands := w.inputs, w.commands
	w.lock.Unlock()
	for _, input := range inputs {
		input.Close()
	}
	kill := time.AfterFunc(stopWait, func() {
		for _, cmd := range commands {
			cmd.Process.Kill()
		}
	})
	w.ended.Wait()
	kill.Stop()
}
