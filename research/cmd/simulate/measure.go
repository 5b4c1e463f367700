package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/files"
)

func measureCommand() *cobra.Command {
	var out, note string
	threads := runtime.GOMAXPROCS(0)
	cmd := &cobra.Command{
		Use:   "measure --out FILE -- COMMAND...",
		Short: "Measure a solve for the simulation",
		Long: `Run a solve that prints JSON, and save its output and processor time to a file for the
other commands.`,
		Example: `  simulate measure --out solve.json -- bin/tbsolve notakto 6 --steps --force --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("measure takes the command of a solve, after --")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return cli.Usagef("measure needs a file to write; give --out")
			}
			if threads < 1 {
				return cli.Usagef("--threads %d: give a number from 1", threads)
			}
			m := &measured{Command: strings.Join(args, " "), Note: note, Threads: threads}
			var printed bytes.Buffer
			solve := exec.CommandContext(cmd.Context(), args[0], args[1:]...)
			solve.Stdout, solve.Stderr = &printed, cmd.ErrOrStderr()
			solve.Cancel = func() error { return solve.Process.Signal(os.Interrupt) }
			if err := solve.Run(); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			m.Processor = math.Round(100*(solve.ProcessState.UserTime()+solve.ProcessState.SystemTime()).Seconds()) / 100
			m.Runs = make([]run, 1)
			if err := json.Unmarshal(printed.Bytes(), &m.Runs[0]); err != nil {
				return fmt.Errorf("%s does not print JSON (%w); give it --json", args[0], err)
			}
			if err := m.check(); err != nil {
				return fmt.Errorf("%s cannot be used: %w", args[0], err)
			}
			return files.WriteJSON(out, m)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&out, "out", "o", "", "`FILE` file to write")
	f.StringVar(&note, "note", "", "note to save with the measurement")
	f.IntVar(&threads, "threads", threads, "number of threads of the solve")
	cli.NoCompletion(cmd, "note", "threads")
	return cmd
}
