package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/cmd/cli"
)

// programVersion is the version that coordinator and workers must share. Tests replace it.
var programVersion = cli.Release

type workerProcess struct {
	url, store  string
	table       string // that it may write, "" for none
	threads     int
	memory      int64 // bytes; 0 means no limit
	environment []string
}

// start starts the worker, which is this program. Secrets are in its environment. It ends when its
// standard input does: when ctx ends, or this process.
func (p *workerProcess) start(ctx context.Context) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program: %w", err)
	}
	args := []string{"work", "--cluster", p.url, "--store", p.store, "--threads", strconv.Itoa(p.threads), "--attached"}
	if p.table != "" {
		args = append(args, "--table", p.table)
	}
	if p.memory > 0 {
		args = append(args, "--memory", strconv.FormatInt(p.memory, 10))
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0], cmd.Env, cmd.Stderr = os.Args[0], p.environment, new(bytes.Buffer)
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Cancel, cmd.WaitDelay = input.Close, stopTimeout
	return cmd, cmd.Start()
}

// stopTimeout is how long workers have to end before they are killed.
const stopTimeout = 5 * time.Second

type workers struct {
	logf       func(level slog.Level, format string, args ...any)
	onAllEnded func(err error)
	cancel     context.CancelFunc
	running    sync.WaitGroup
	left       atomic.Int64
}

// startWorkers starts n worker processes. It logs when one ends by itself, and calls onAllEnded
// when the last one has.
func startWorkers(n int, p workerProcess, logf func(level slog.Level, format string, args ...any), onAllEnded func(error)) (*workers, error) {
	ctx, cancel := context.WithCancel(context.Background())
	w := &workers{logf: logf, onAllEnded: onAllEnded, cancel: cancel}
	w.left.Store(int64(n))
	for i := range n {
		cmd, err := p.start(ctx)
		if err != nil {
			w.stop()
			return nil, fmt.Errorf("cannot start worker %d of %d: %w", i+1, n, err)
		}
		w.running.Go(func() {
			if err := cmd.Wait(); ctx.Err() == nil {
				w.onEnded(i+1, err, fmt.Sprint(cmd.Stderr))
			}
		})
	}
	return w, nil
}

func (w *workers) onEnded(number int, err error, output string) {
	why := "without an error"
	if err != nil {
		why = err.Error()
	}
	if lines := strings.Split(strings.TrimSpace(output), "\n"); lines[len(lines)-1] != "" {
		why += ": " + strings.TrimPrefix(lines[len(lines)-1], "error: ")
	}
	left := w.left.Add(-1)
	w.logf(slog.LevelWarn, "worker %d has ended (%s); %d are left", number, why, left)
	if left == 0 {
		w.onAllEnded(fmt.Errorf("all workers have ended, the last one with: %s", why))
	}
}

// stop ends the workers, and returns when they have.
func (w *workers) stop() {
	w.cancel()
	w.running.Wait()
}
