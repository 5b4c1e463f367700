// Command tbserve answers questions about positions over HTTP and shows the tables in a browser.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/reload"
	"backsolve/game/examples"
	"backsolve/game/wasm"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
	"backsolve/internal/server"
	"backsolve/internal/server/catalog"
	"backsolve/internal/server/jobs"
	"backsolve/internal/server/page"
	"backsolve/internal/server/token"
)

func main() { cli.Main(newCommand(), cli.TableStatus) }

const long = `Answer questions about positions over HTTP, from the tables of one or more
directories, and show them in a browser: boards to analyse, an opponent, statistics.
New tables are opened and removed ones closed while the server runs.

The API is described at /v1/openapi.yaml, with examples in docs/reference/api.md.
/healthz and /readyz report the state of the server, /metrics serves metrics for
Prometheus, and /uwapi the universal web API of GamesCrafters.

With --jobs, clients whose token has the word solve after it in --token-file can have
boards solved, one at a time, by tbsolve in a process of its own.

With --think, tbserve solves what no table covers. With --opponent, clients can play
against agents, which need no table. A request chooses an agent by its name only.

tbserve listens on 127.0.0.1 by default. On other addresses use --token-file and
--tls-cert; their files are read again when they change. SIGHUP rereads them and the
table directories at once. --config names a file with the line [tbserve] and a line for
each further flag, such as rate = 50; the command line and variables such as
$TBSERVE_RATE take precedence. On a loopback address without a token, tbserve accepts
requests to the host names localhost and --host, which a proxy may need. Sockets from
systemd replace --listen. On SIGTERM or Ctrl-C it finishes open requests and ends with
status 0.`

const usage = `  tbserve
  tbserve --dir /data/tables --listen 0.0.0.0:8080 --token-file token --rate 50
  tbserve --dir /ssd/tables --dir /disk/tables --host tables.example.org
  tbserve --listen unix:/run/tbserve.sock
  tbserve --listen :443 --tls-cert cert.pem --tls-key key.pem --cors https://example.org
  tbserve --opponent fair=mcts:1000 --opponent net=zero:weights=notakto-4x4.weights
  tbserve --jobs /data/jobs --token-file tokens --job-memory 8GiB
  tbserve --health --listen unix:/run/tbserve.sock`

func newCommand() *cobra.Command {
	wasm.Shared = true
	cobra.CheckErr(examples.Add())
	cmd := &cobra.Command{
		Use:               "tbserve",
		Short:             "Serve tables over HTTP and in the browser",
		Long:              long,
		Example:           usage,
		Args:              cli.Args(0),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cli.AddTopic(cmd, "agents", "Agents", agents.Help())
	o := newOptions(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd, o) }
	return cmd
}

// collectAt is the percentage by which the heap grows before a garbage collection. The heap is
// small, as tables are mapped; with the default of 100, collections take a tenth of the time.
const collectAt = 400

func run(cmd *cobra.Command, o *options) error {
	if err := o.configure(cmd); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	if o.health {
		return o.askHealth(cmd.Context())
	}
	opponents, err := server.NewOpponents(o.opponents, atOnce())
	if err != nil {
		return cli.Usagef("--opponent: %w", err)
	}
	for _, dir := range o.dirs {
		if err := probe.CheckDir(dir); err != nil {
			return err
		}
	}
	level := new(slog.LevelVar)
	level.Set(o.logLevel)
	log := cli.NewLogger(cmd, level)
	log.Info("tbserve starts", "version", cli.Release(), "go", runtime.Version(), "os", runtime.GOOS, "arch", runtime.GOARCH, "dirs", o.dirs)
	signals, stop := reload.Hangups()
	defer stop()
	files := &reload.Files{Log: log}
	var s *server.Server
	var tokens *token.Set
	err = files.Tokens(o.tokenFile, func(t *token.Set) {
		if tokens = t; s != nil {
			s.SetTokens(t)
		}
	})
	if err != nil {
		return err
	}
	certificates, err := o.certificates(files)
	if err != nil {
		return err
	}
	if o.config != "" {
		if err := files.Add("configuration", o.reread(cmd, level), o.config); err != nil {
			return err
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	listeners, err := o.listeners(log)
	defer func() {
		for _, l := range listeners {
			l.Close() // unless the server has done so
		}
	}()
	if err != nil {
		return err
	}
	var tables *catalog.Catalog
	queue, err := o.queue(log, func() { tables.Scan() })
	if err != nil {
		return err
	}
	if queue != nil { // the best tables come first
		o.dirs = append([]string{jobs.TablesDir(o.jobs)}, o.dirs...)
	}
	tables, err = catalog.Open(o.dirs, catalog.Options{Log: log, CheckAlways: o.always})
	if err != nil {
		return err
	}
	defer tables.Close()
	searching, err := o.search.OnDemand(atOnce(), 1)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { tables.Run(ctx) })
	if queue != nil {
		watching.Go(func() { queue.Run(ctx) })
	}
	s = server.New(server.Options{
		Catalog: tables, Search: searching.Solver, Opponents: opponents, Page: page.Handler(), Log: log, Tokens: tokens, Jobs: queue,
		Origins: o.origins, Hosts: o.hosts, Version: cli.Release(), Limits: o.Limits,
	})
	stopAdmin, err := o.serveAdmin(s.Admin(), log)
	if err != nil {
		return err
	}
	defer stopAdmin()
	files.All = tables.Scan
	watching.Go(func() { files.Watch(ctx, signals) })
	totals, broken := tables.Totals(), ""
	if totals.Broken > 0 {
		broken = fmt.Sprintf(", and %d that cannot be read", totals.Broken)
	}
	for _, l := range listeners {
		fmt.Fprintf(cmd.ErrOrStderr(), "tbserve answers at %s, %s%s\n", address(l, certificates != nil), cli.CountOf(uint64(totals.OK), "table", "tables"), broken)
	}
	notify(daemon.SdNotifyReady, log)
	watching.Go(func() {
		<-ctx.Done()
		notify(daemon.SdNotifyStopping, log)
	})
	return s.Serve(ctx, listeners, certificates, 15*time.Second)
}
