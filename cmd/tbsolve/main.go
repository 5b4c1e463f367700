// Command tbsolve solves games, writes the answers as tables, and says what is
// in a table and whether it is right.
package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
)

func main() { cli.Main(newRoot(), status) }

// status returns the exit status for an error: what verify finds wrong is what
// it is there for, not a table that cannot be used.
func status(err error) int {
	if wrong := (*wrongError)(nil); errors.As(err, &wrong) {
		return cli.StatusFailed
	}
	return cli.TableStatus(err)
}

const (
	groupGames  = "games"
	groupTables = "tables"
)

// statuses is the part of every help text that says how a command ends.
const statuses = `Exit status: 0 done; 1 the solve failed, or verify found something wrong; 2 the
command line cannot be understood, or names no directory; 3 there is no such table;
4 the table is damaged, not a table, or of a newer format; 5 it cannot be solved
here, for want of memory, of disk space or of a place to write; 130 or 143 stopped
by Ctrl-C or SIGTERM.`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tbsolve",
		Short: "Solve board games completely and keep the answers as tables",
		Long: `tbsolve solves two-player board games completely, by backward induction, and
writes the outcome of every state into a table file that tbquery answers from.

` + statuses,
		Example: `  tbsolve notakto 6            solve Notakto on the 6×6 board
  tbsolve quixo 4 --steps      solve Quixo on the 4×4 board, with steps to the end
  tbsolve notakto 6 --grundy   solve Notakto on the 6×6 board for its nimbers
  tbsolve list                 what can be solved here, and which tables there are
  tbsolve info quixo 4         what is in a table
  tbsolve verify quixo 4       whether it is right
  tbsolve export quixo 4       its states, for other programs`,
	}
	cli.OnlyCommands(root)
	root.AddGroup(&cobra.Group{ID: groupGames, Title: "Games to solve:"}, &cobra.Group{ID: groupTables, Title: "Tables:"})
	program := solving.Program{Command: root.Name(), Group: groupGames, Statuses: statuses}
	for _, g := range games.All() {
		if partition.HasTables(g.Name) {
			solve := solving.Command(g, program)
			solve.SetFlagErrorFunc(byMany)
			root.AddCommand(solve)
		} else {
			root.AddCommand(tablelessCommand(g))
		}
	}
	root.AddCommand(infoCommand(), verifyCommand(), exportCommand(), listCommand(), packCommand(), unpackCommand())
	return root
}

// byMany points at tbcluster who asks for several processes.
func byMany(cmd *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		if name := unknown.GetSpecifiedName(); slices.Contains([]string{"workers", "cluster", "store"}, name) {
			return cli.Usagef("--%s is for a solve by several processes, which tbcluster does: tbcluster solve %s", name, cmd.Name())
		}
	}
	return cmd.Root().FlagErrorFunc()(cmd, err)
}

// tableArgument makes a command one about a table, named by its game and size or by
// its file, that do gets the path of.
func tableArgument(cmd *cobra.Command, do func(cmd *cobra.Command, path string) error) {
	dir, after, grundy := tableFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		find := cli.TablePath
		if *grundy {
			find = nimbersPath
		}
		path, err := find(*dir, *after, args)
		if err != nil {
			return err
		}
		return do(cmd, path)
	}
}

// readArgument makes a command one that reads a table, on this machine or on a web
// server, which do gets what opens.
func readArgument(cmd *cobra.Command, do func(cmd *cobra.Command, open func() (*probe.Table, error)) error) {
	dir, after, grundy := tableFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return do(cmd, func() (*probe.Table, error) {
			if !*grundy {
				return cli.OpenTable(cmd.Context(), *dir, *after, args)
			}
			path, err := nimbersPath(*dir, *after, args)
			if err != nil {
				return nil, err
			}
			return probe.OpenFile(path)
		})
	}
}

// tableFlags makes a command take the arguments and flags that name a table.
func tableFlags(cmd *cobra.Command) (dir, after *string, grundy *bool) {
	dir, after, grundy = cli.DirFlag(cmd.Flags()), cli.AfterFlag(cmd), grundyFlag(cmd)
	cmd.Args, cmd.ValidArgsFunction = cli.TableArgs, cli.CompleteTables(dir)
	return dir, after, grundy
}
