// Command load measures what tbserve does under load, beside a handler that
// answers the same requests with constants, and attacks it to see what it
// withstands.
package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/tools/load/grid"
	"backsolve/tools/load/measure"
)

func main() { cli.Main(newCommand(), cli.TableStatus) }

const long = `Measures what tbserve does under load, in one run on this machine. Server and
load share its cores. Each workload is also sent to a handler that does what none
can leave out: in a process of its own it reads the request and answers with as
many constant bytes as the answers have on average. The two take turns, so that
both see the same machine, and the ratio says what the answers themselves cost.

position  one position a request, over several connections at once
mix       positions, moves of the opponent, main lines, batches of 100
array     a large batch as a JSON array, one after the other
lines     the same as JSON lines

Positions are random ones that are not over, each asked once before any comes
again. The first answers to each workload and a thousandth of the others are
compared with the table. At the end so many single positions are asked that memory
which is not given back shows.

Unless --url names a running server, tbserve is started on a table that is solved
for the run, or on the tables of --dir.

Exit status: 0 measured, and every answer was right; 1 failed, or some were not;
2 the command line cannot be understood; 3 there is no table; 4 it is damaged.`

const examples = `  load
  load --markdown > figures.md
  load --board quixo-5 --dir /data/tables --rounds 9
  load --url http://127.0.0.1:8080 --board notakto-6 --dir tables --requests 0
  load --json | jq '.workloads[] | {name, ratio: .ratio.median}'
  load abuse`

// options are what the flags say.
type options struct {
	target
	tbserve        programFlag
	url            string
	tokenFile      string
	json, markdown bool
	measure.Options
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "load",
		Short:   "Measure what tbserve does under load",
		Long:    long,
		Example: examples,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.target.register(cmd)
	o.tbserve.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.url, "url", "", "`address` of a running server to measure, like http://127.0.0.1:8080")
	f.StringVar(&o.tokenFile, "token-file", "", "`file` with the token that the server of --url wants")
	f.IntVar(&o.Connections, "connections", 16, "`number` of connections that single requests come over")
	f.IntVar(&o.Positions, "positions", 100_000, "`number` of distinct positions")
	f.IntVar(&o.Batch, "batch", 10_000, "`number` of positions of a large batch")
	f.IntVar(&o.Rounds, "rounds", 7, "how many `times` each workload is sent to each server")
	f.DurationVar(&o.RoundTime, "round-time", 2*time.Second, "`time` that a workload is sent for")
	f.Int64Var(&o.Requests, "requests", 1_000_000, "`number` of requests during which the memory is watched, 0 for none")
	f.BoolVar(&o.json, "json", false, "print the figures as one JSON object")
	f.BoolVar(&o.markdown, "markdown", false, "print the figures as tables of Markdown")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	cmd.AddCommand(abuseCommand(), constantCommand())
	return cmd
}

// errWrong is the error where the server was measured, but was not right.
var errWrong = errors.New("the server did not answer everything, or not as the table says; the report tells what")

func (o *options) run(cmd *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	ctx := cmd.Context()
	table, dir, cleanUp, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer cleanUp()
	served, stop, err := o.served(ctx, dir)
	if err != nil {
		return err
	}
	r, err := measure.Run(ctx, table, served, startConstant, o.Options, cmd.ErrOrStderr())
	if stopErr := stop(); err == nil && stopErr != nil {
		err = fmt.Errorf("tbserve did not end well: %w", stopErr)
	}
	if err != nil {
		return err
	}
	if err := o.write(cmd.OutOrStdout(), r); err != nil {
		return err
	}
	if !r.OK() {
		return errWrong
	}
	return nil
}

// check refuses what cannot be measured, before any work.
func (o *options) check() error {
	for name, n := range map[string]int{"connections": o.Connections, "positions": o.Positions, "batch": o.Batch, "rounds": o.Rounds} {
		if n < 1 || n > 1e7 {
			return cli.Usagef("--%s must be a whole number from 1 to 10,000,000", name)
		}
	}
	if o.RoundTime <= 0 || o.Requests < 0 {
		return cli.Usagef("--round-time must be more than 0, and --requests not less")
	}
	if o.url == "" && o.tokenFile != "" {
		return cli.Usagef("--token-file is for the server of --url; give both")
	}
	if o.url != "" {
		if _, err := hostPort(o.url); err != nil {
			return err
		}
	}
	return nil
}

// hostPort returns the host and port of the address of a server.
func hostPort(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Port() == "" || strings.Trim(u.Path, "/") != "" {
		return "", cli.Usagef("--url %s is not the address of a server; write it like http://127.0.0.1:8080", address)
	}
	return u.Host, nil
}

func (o *options) write(w io.Writer, r *measure.Report) error {
	switch {
	case o.json:
		return r.WriteJSON(w)
	case o.markdown:
		return r.Write(w, grid.Markdown)
	default:
		return r.Write(w, grid.Text)
	}
}
