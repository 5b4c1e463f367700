// Command tbcluster solves boards by many processes: it coordinates them, is one of them, and
// says what they do.
package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cluster"
	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/game/games"
	"backsolve/partition"
)

func main() { cli.Main(newRoot(), cli.TableStatus) }

// statuses is the part of every help text that says how a command ends.
const statuses = `Exit status: 0 done; 1 it failed; 2 the command line cannot be understood, or names
no directory; 5 it cannot be done here, for want of memory, of disk space, of a place
to write or of the right version; 130 or 143 stopped by Ctrl-C or SIGTERM.`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tbcluster",
		Short: "Solve boards by many processes, on one machine or on many",
		Long: `tbcluster solves a board by many processes and writes the same table as tbsolve does
by one: a coordinator (tbcluster solve) hands blocks out to workers (tbcluster work),
by way of NATS with JetStream and of a store that all of them see. On one machine
tbsolve is faster.

` + statuses,
		Example: `  tbcluster solve notakto 6 --workers 3
  tbcluster solve notakto 6 --cluster nats://host:4222 --store /shared/backsolve
  tbcluster work --cluster nats://host:4222 --store /shared/backsolve
  tbcluster status --cluster nats://host:4222`,
	}
	cli.OnlyCommands(root)
	root.AddCommand(solveCommand(), workCommand(), statusCommand(), stopCommand())
	return root
}

func solveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "solve",
		Short: "Solve a board by workers, and coordinate them",
		Long: `Solve a board by workers: those that --workers starts on this machine, or those of a
cluster. Games whose blocks depend on each other, as those of Quixo do, are solved by
tbsolve alone.

` + credentials + statuses,
		Example: `  tbcluster solve notakto 6 --workers 3
  tbcluster solve notakto 6 --cluster nats://host:4222 --store /shared/backsolve`,
	}
	cli.OnlyCommands(cmd)
	for _, g := range games.All() {
		if partition.HasTables(g.Name) {
			of := solving.Program{Command: "tbcluster solve", Statuses: statuses, Sharing: new(sharing)}
			game := solving.Command(g, of)
			game.Hidden = !partition.HasNimbers(g.Name) // it is there to say who solves the game
			cmd.AddCommand(game)
		}
	}
	return cmd
}

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
