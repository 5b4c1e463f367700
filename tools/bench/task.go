package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/machine"
)

// task is what a child process is asked to do, and once only.
type task struct {
	Kind    string // solve, oracle or lookups
	Board   string
	Threads int
	Dir     string // of the table
	Lookups int    // in a turn
	program string // that does it, "" for this one
}

// outcome is what a child process has measured; the rest is zero.
type outcome struct {
	PeakMemory  int64
	Bytes       int64     // of the file
	Seconds     []float64 // of each of the turns that the task itself took
	Number      int       // of states or lookups in a turn
	Allocations float64   // of a lookup
	processor   float64   // seconds of the process, user and system
}

// spawn runs a task in its own process, and also returns the seconds from its start to the result.
func spawn(ctx context.Context, t task) (o outcome, took float64, err error) {
	var stderr bytes.Buffer
	defer func() {
		if err != nil {
			err = fmt.Errorf("the process that measures %s (%s) failed: %w %s", t.Board, t.Kind, err, strings.TrimSpace(stderr.String()))
		}
	}()
	program := t.program
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return o, 0, err
		}
	}
	text, err := json.Marshal(t)
	if err != nil {
		return o, 0, err
	}
	cmd := exec.CommandContext(ctx, program, taskName, string(text))
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return o, 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return o, 0, err
	}
	line, readErr := bufio.NewReader(out).ReadBytes('\n')
	took = time.Since(start).Seconds()
	if err := errors.Join(cmd.Wait(), readErr); err != nil {
		return o, 0, err
	}
	err = json.Unmarshal(line, &o)
	o.processor = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return o, took, err
}

const taskName = "task"

func taskCommand() *cobra.Command {
	return &cobra.Command{
		Use:    taskName + " JSON",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var t task
			if err := json.Unmarshal([]byte(args[0]), &t); err != nil {
				return cli.Usagef("the task cannot be read: %v; let bench itself call this", err)
			}
			o, err := t.do(cmd.Context())
			if err != nil {
				return err
			}
			o.PeakMemory = machine.PeakMemory()
			return json.NewEncoder(cmd.OutOrStdout()).Encode(o)
		},
	}
}

func (t task) do(ctx context.Context) (outcome, error) {
	b, err := parseBoard(t.Board)
	if err != nil {
		return outcome{}, err
	}
	// One thread means one, for the writer and the collector too.
	runtime.GOMAXPROCS(max(t.Threads, 1))
	switch t.Kind {
	case "solve":
		return solve(ctx, b, t.Dir, t.Threads)
	case "oracle":
		return solveWithOracle(b), nil
	case "lookups":
		return lookUp(b, t.Dir, t.Lookups)
	}
	return outcome{}, cli.Usagef("there is no task %.40q; let bench itself call this", t.Kind)
}
