package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/files"
	"backsolve/research/internal/measure"
)

func measureCommand() *cobra.Command {
	var out, note string
	threads := cli.ThreadsValue()
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
			m := &measured{Command: strings.Join(args, " "), Note: note, Threads: threads.Count}
			printed, seconds, err := measure.Run(cmd.Context(), cmd.ErrOrStderr(), args[0], args[1:]...)
			if err != nil {
				return err
			}
			m.Processor = seconds
			m.Runs = make([]run, 1)
			if err := json.Unmarshal(printed, &m.Runs[0]); err != nil {
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
	f.Var(&threads, "threads", "number of threads of the solve")
	cli.NoCompletion(cmd, "note", "threads")
	return cmd
}
