package main

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/server/jobs"
)

// jobTime is the time limit of a job.
const jobTime = 24 * time.Hour

// jobOptions are the flags of jobs.
type jobOptions struct {
	dir    string
	memory cli.BytesValue
}

func (o *jobOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "jobs", "", "`DIR` solve boards for clients whose token allows it, and keep jobs and tables here")
	flags.Var(&o.memory, "job-memory", "memory limit of a job (default half of what is available)")
	cli.Advanced(cmd, "job-memory")
}

func (o *jobOptions) check(tokenFile string) error {
	switch {
	case o.dir == "":
		return nil
	case tokenFile == "":
		return cli.Usagef("--jobs needs --token-file: jobs need a token with the word solve after it")
	}
	return cli.LocalDir(o.dir)
}

// open opens the queue, nil without --jobs.
func (o *jobOptions) open(log *slog.Logger, finished func()) (*jobs.Queue, error) {
	if o.dir == "" {
		return nil, nil
	}
	solver, err := findSolver()
	if err != nil {
		return nil, err
	}
	return jobs.Open(jobs.Options{
		Dir: o.dir, Solver: solver, Finished: finished, Log: log,
		Limits: jobs.Limits{Memory: int64(o.memory), Time: jobTime},
	})
}

// findSolver returns the path of tbsolve: beside this program, or on the path.
func findSolver() (string, error) {
	name := "tbsolve"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("--jobs needs tbsolve: %w; install it beside tbserve", err)
	}
	return path, nil
}
