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
	cmd.Cancel, cmd.WaitDelay = input.Close, 5*time.Second // then it is killed
	return cmd, cmd.Start()
}

// startWorkers starts n worker processes. It logs when one ends by itself, and calls onAllEnded
// when the last one has. stop ends them, and returns when they have.
func startWorkers(n int, p workerProcess, logf func(level slog.Level, format string, args ...any), onAllEnded func(error)) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	stop = func() {
		cancel()
		running.Wait()
	}
	var left atomic.Int64
	left.Store(int64(n))
	for i := range n {
		cmd, err := p.start(ctx)
		if err != nil {
			stop()
			return nil, fmt.Errorf("cannot start worker %d of %d: %w", i+1, n, err)
		}
		running.Go(func() {
			err := cmd.Wait()
			if ctx.Err() != nil {
				return
			}
			why, left := whyEnded(err, fmt.Sprint(cmd.Stderr)), left.Add(-1)
			logf(slog.LevelWarn, "worker %d has ended (%s); %d are left", i+1, why, left)
			if left == 0 {
				onAllEnded(fmt.Errorf("all workers have ended, the last one with: %s", why))
			}
		})
	}
	return stop, nil
}

func whyEnded(err error, output string) string {
	why := "without an error"
	if err != nil {
		why = err.Error()
	}
	if lines := strings.Split(strings.TrimSpace(output), "\n"); lines[len(lines)-1] != "" {
		why += ": " + strings.TrimPrefix(lines[len(lines)-1], "error: ")
	}
	return why
}
