package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cluster"
	"backsolve/cluster/store"
	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/cmd/tbsolve/machine"
	"backsolve/retro"
)

// credentials is the part of help texts that says where secrets come from.
const credentials = `Credentials come from the environment, never from the command line: for NATS from
$NATS_CREDS (a file of credentials), $NATS_NKEY (a file with a seed), $NATS_USER and
$NATS_PASSWORD, or $NATS_TOKEN, and for TLS $NATS_CA, $NATS_CERT and $NATS_KEY; for S3
from $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY, or the files that AWS's own
programs read.

`

// clusterFlag adds --cluster, the address of NATS, which $NATS_URL may say.
func clusterFlag(f *pflag.FlagSet) *string {
	url := f.String("cluster", os.Getenv("NATS_URL"), "`address` of the cluster's NATS (default $NATS_URL)")
	f.Lookup("cluster").DefValue = "" // help is the same wherever it is printed
	return url
}

// checkCluster refuses an address that is none. The error is a *cli.UsageError.
func checkCluster(url string) error {
	if url == "" {
		return cli.Usagef("the address of the cluster is missing; give --cluster nats://host:4222, or set $NATS_URL")
	}
	if err := cluster.CheckURL(url); err != nil {
		return cli.Usagef("--cluster: %w", err)
	}
	return nil
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("no argument is wanted, not %q; what there is to say is said by flags", args[0])
	}
	return nil
}

// laborer is a worker as it is asked for on the command line.
type laborer struct {
	url             *string
	store           string
	threads         countValue
	memory          bytesValue
	quiet, attached bool
}

func workCommand() *cobra.Command {
	l := &laborer{threads: countValue{count: runtime.GOMAXPROCS(0), max: maxThreads, standard: "all cores"}}
	cmd := &cobra.Command{
		Use:     "work",
		Short:   "Work for the solves of a cluster, until it is stopped",
		GroupID: groupCluster,
		Args:    noArgs,
		Long: `Work for the solve that is in work in a cluster, and for the next ones. A worker takes
groups of blocks from the queue, settles them and puts them into the store. It may come
and go at any time: what it has not finished is given to another one. It needs the
version of the program that the coordinator has, and the same --store.

` + credentials + statuses,
		Example: `  tbsolve work --cluster nats://host:4222 --store /shared/backsolve
  tbsolve work --cluster tls://host:4222 --store s3://bucket/prefix --threads 8 --memory 16GiB`,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd) },
	}
	f := cmd.Flags()
	l.url = clusterFlag(f)
	f.StringVar(&l.store, "store", "", "where the processes put what they share: a `directory` that all see, or s3://bucket/prefix")
	f.Var(&l.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", maxThreads))
	f.Var(&l.memory, "memory", "limit of memory, for example 8GiB; it is kept (default three quarters of what is available)")
	f.BoolVarP(&l.quiet, "quiet", "q", false, "say nothing of what goes on")
	f.BoolVar(&l.attached, "attached", false, "end when standard input ends: for who starts workers")
	cobra.CheckErr(f.MarkHidden("attached"))
	return cmd
}

func (l *laborer) run(cmd *cobra.Command) error {
	if err := checkCluster(*l.url); err != nil {
		return err
	}
	if l.store == "" {
		return cli.Usagef("--store is missing; give that of the coordinator: a directory that all see, or s3://bucket/prefix")
	}
	ctx := cmd.Context()
	if l.attached {
		// A signal from the terminal is for who started it, and ends both.
		attached, end := context.WithCancel(context.WithoutCancel(ctx))
		defer end()
		go func() {
			io.Copy(io.Discard, cmd.InOrStdin())
			end()
		}()
		ctx = attached
	}
	place, err := store.Open(ctx, l.store)
	if err != nil {
		return err
	}
	memory, _ := memoryLimit(l.memory, machine.AvailableMemory())
	if memory > 0 {
		machine.LimitHeap(memory)
	}
	o := cluster.WorkOptions{Threads: l.threads.count, Memory: memory}
	o.URL, o.Store, o.Version = *l.url, place, programVersion()
	if !l.quiet {
		o.Say = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	}
	err = cluster.Work(ctx, o)
	memoryError := (*retro.MemoryError)(nil)
	switch {
	case l.attached && ctx.Err() != nil:
		return nil // who started it has ended, or wants it no more
	case errors.Is(err, cluster.ErrVersion), errors.Is(err, cluster.ErrStore), errors.Is(err, cluster.ErrOrder), errors.As(err, &memoryError):
		return &refusedError{err}
	}
	return err
}

func clusterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cluster",
		Short:   "See and stop what goes on in a cluster",
		GroupID: groupCluster,
		Long: `See and stop what goes on in a cluster: a NATS with JetStream, by which a coordinator
(tbsolve GAME N --cluster) shares a solve out to workers (tbsolve work).

` + credentials + statuses,
		Example: `  tbsolve cluster status --cluster nats://host:4222
  tbsolve cluster stop --cluster nats://host:4222`,
	}
	cli.OnlyCommands(cmd)
	cmd.AddCommand(clusterStatusCommand(), clusterStopCommand())
	return cmd
}

// onCluster makes a command one about a cluster, whose address do gets.
func onCluster(cmd *cobra.Command, do func(cmd *cobra.Command, url string) error) {
	url := clusterFlag(cmd.Flags())
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkCluster(*url); err != nil {
			return err
		}
		return do(cmd, *url)
	}
}

func clusterStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what is in work in a cluster, how far it is, and who works",
		Long: `Say what is in work in a cluster, how far it is, and which workers are there.

` + credentials + statuses,
		Example: `  tbsolve cluster status --cluster nats://host:4222
  tbsolve cluster status --cluster nats://host:4222 --json`,
	}
	format := cli.FormatFlags(cmd, cli.Text, cli.JSON)
	onCluster(cmd, func(cmd *cobra.Command, url string) error {
		status, err := cluster.ReadStatus(cmd.Context(), url)
		if err != nil {
			return err
		}
		if format.Word() == cli.JSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(status)
		}
		return writeStatus(cmd.OutOrStdout(), status)
	})
	return cmd
}

// writeStatus writes what goes on for people.
func writeStatus(w io.Writer, s *cluster.Status) error {
	rows := newRows(w)
	switch {
	case s.Solve == nil:
		rows.add("solve", "none is in work")
	default:
		rows.add("solve", "%s, begun %s by version %s", s.Solve.Board(), s.Solve.Began.Format(time.DateTime), s.Solve.Version)
	}
	switch {
	case s.Coordinator != nil:
		rows.add("coordinator", "%v", s.Coordinator)
	case s.Solve != nil:
		rows.add("coordinator", "none; the same command that began the solve goes on with it")
	}
	if p := s.Progress; p != nil && p.Class >= 0 {
		rows.add("class", "%d, %d of %d tasks done", p.Class, p.Done, p.Tasks)
		rows.add("stored states", "%s decided", share(p.Decided, p.States))
		rows.add("speed", "%s", progress.RateText(p.PerSecond, "stored states"))
		left := "unknown"
		if p.Left >= 0 {
			left = time.Duration(p.Left * float64(time.Second)).Round(time.Second).String()
		}
		rows.add("time left", "%s", left)
		if p.Repeated > 0 {
			rows.add("repeated", "%s", countOf(uint64(p.Repeated), "task", "tasks"))
		}
	}
	rows.add("workers", "%d", len(s.Workers))
	for _, worker := range s.Workers {
		state := fmt.Sprintf("%s done", countOf(uint64(worker.Tasks), "task", "tasks"))
		switch {
		case worker.Refused != "":
			state = "refused: " + worker.Refused
		case worker.Class >= 0:
			state += fmt.Sprintf(", class %d", worker.Class)
		default:
			state += ", waiting"
		}
		if worker.Tasks > 0 {
			state += fmt.Sprintf(", %.0f %% of its time settling", 100*worker.Busy())
		}
		rows.add("", "%v, version %s: %s", worker.Member, worker.Version, state)
	}
	return rows.flush()
}

func clusterStopCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the solve of a cluster; the command that began it goes on with it",
		Long: `Stop the coordinator of a cluster, as Ctrl-C does where it runs. What is solved is kept:
the command that began the solve goes on with it. Workers stay and wait.

` + credentials + statuses,
		Example: `  tbsolve cluster stop --cluster nats://host:4222`,
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
