package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cluster"
	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
)

func onCluster(cmd *cobra.Command, do func(cmd *cobra.Command, url string) error) {
	url := clusterFlag(cmd.Flags())
	cmd.Args = cli.Args(0)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkCluster(*url); err != nil {
			return err
		}
		return do(cmd, *url)
	}
}

func statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the solve of a cluster, its progress and its workers",
		Long: `Show the solve of a cluster, its progress and its workers.

` + credentials,
		Example: `  tbcluster status --cluster nats://host:4222
  tbcluster status --cluster nats://host:4222 --json`,
	}
	cli.JSONFlag(cmd.Flags())
	onCluster(cmd, func(cmd *cobra.Command, url string) error {
		status, err := cluster.ReadStatus(cmd.Context(), url)
		if err != nil {
			return err
		}
		return cli.Print(cmd, status, writeStatus)
	})
	return cmd
}

func writeStatus(w io.Writer, s *cluster.Status) error {
	rows := cli.NewRows(w)
	if s.Solve == nil {
		rows.Add("solve", "none")
	} else {
		rows.Add("solve", "%s, begun %s by version %s", s.Solve.Board(), s.Solve.Began.Format(time.DateTime), s.Solve.Version)
	}
	switch {
	case s.Coordinator != nil:
		rows.Add("coordinator", "%v", s.Coordinator)
	case s.Solve != nil:
		rows.Add("coordinator", "none; the command that began the solve resumes it")
	}
	if p := s.Progress; p != nil && p.Class >= 0 {
		rows.Add("class", "%d, %d of %d tasks done", p.Class, p.Done, p.Tasks)
		rows.Add("stored states", "%s decided", cli.Share(p.Decided, p.States))
		rows.Add("speed", "%s", progress.RateText(p.PerSecond, "stored states"))
		rows.Add("time left", "%s", progress.Moment{Left: time.Duration(p.Left * float64(time.Second))}.LeftText())
		if p.Repeated > 0 {
			rows.Add("repeated", "%s", cli.CountOf(uint64(p.Repeated), "task", "tasks"))
		}
	}
	rows.Add("workers", "%d", len(s.Workers))
	for _, worker := range s.Workers {
		state := fmt.Sprintf("%s done", cli.CountOf(uint64(worker.Tasks), "task", "tasks"))
		switch {
		case worker.Refused != "":
			state = "refused: " + worker.Refused
		case worker.Class >= 0:
			state += fmt.Sprintf(", class %d", worker.Class)
		default:
			state += ", waiting"
		}
		if worker.Tasks > 0 {
			state += fmt.Sprintf(", solving %.0f %% of the time", 100*worker.Busy())
		}
		rows.Add("", "%v, version %s: %s", worker.Member, worker.Version, state)
	}
	return rows.Flush()
}

func stopCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the solve of a cluster, to be resumed later",
		Long: `Stop the coordinator of a cluster, like Ctrl-C on its machine. Finished work is kept;
the command that started the solve resumes it. Workers stay and wait.

` + credentials,
		Example: `  tbcluster stop --cluster nats://host:4222`,
	}
	onCluster(cmd, func(cmd *cobra.Command, url string) error {
		solve, err := cluster.Stop(cmd.Context(), url)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is stopping\n", solve.Board())
		return err
	})
	return cmd
}
