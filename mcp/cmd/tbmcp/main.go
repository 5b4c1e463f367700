// Command tbmcp answers assistants from tables over the Model Context Protocol.
package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game/examples"
	"backsolve/internal/probe"
)

func main() { cli.Main(newCommand(), cli.TableStatus) }

const long = `Let assistants ask for exact values, over the Model Context Protocol (MCP). The tools are
games, value, moves, line, explain and play. They read the tables of --dir, and never write.

tbmcp talks over standard input and output to the program that starts it. With --listen
it serves streamable HTTP at /mcp instead. An address that is not a loopback address
needs --token-file; for TLS put a proxy in front.

What no table covers is solved within --think, in half of the memory that is available.`

const usage = `  tbmcp --dir /data/tables
  tbmcp --listen 127.0.0.1:8090
  tbmcp --listen 0.0.0.0:8090 --token-file token`

type options struct {
	dir       *string
	listen    string
	tokenFile string
	search    cli.SearchFlags
}

func newCommand() *cobra.Command {
	cobra.CheckErr(examples.Add())
	var o options
	cmd := &cobra.Command{
		Use:               "tbmcp",
		Short:             "Answer assistants from tables, over the Model Context Protocol",
		Long:              long,
		Example:           usage,
		Args:              cli.Args(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(cmd, &o) },
	}
	o.dir = cli.DirFlag(cmd.Flags())
	cmd.Flags().StringVar(&o.listen, "listen", "", "`ADDRESS` serve HTTP at this host:port instead of standard input and output")
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "", "`FILE` file with the tokens of HTTP clients, one a line; * lets everyone ask")
	o.search.Register(cmd, 2*time.Second)
	return cmd
}

const maxMessage = 1 << 20 // bytes

func run(cmd *cobra.Command, o *options) error {
	if o.listen == "" && o.tokenFile != "" {
		return cli.Usagef("--token-file is for HTTP; give --listen too, or leave it out")
	}
	if err := probe.CheckDir(*o.dir); err != nil {
		return err
	}
	atOnce := runtime.GOMAXPROCS(0)
	search, err := o.search.OnDemand(atOnce, 1)
	if err != nil {
		return err
	}
	server := newServer(&tables{dir: *o.dir, search: search, turns: make(chan struct{}, atOnce)})
	if o.listen != "" {
		return serveHTTP(cmd, o, server)
	}
	err = server.Run(cmd.Context(), stdio{cmd.InOrStdin(), cmd.OutOrStdout()})
	if err != nil && cmd.Context().Err() == nil {
		return fmt.Errorf("reading from or writing to the client failed: %w; start tbmcp from a program that speaks MCP", err)
	}
	return nil
}
