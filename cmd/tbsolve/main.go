// Command tbsolve solves games, writes tables of the results, and inspects and checks
// tables.
package main

import (
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/anygame/commands"
	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/game/othello"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

func main() {
	root := newRoot()
	root.SetArgs(cli.SplitBoards(root, toGame(root, os.Args[1:])))
	cli.Main(root, commands.Status)
}

// toGame puts game before arguments that are about one of its games or the file of their tables,
// as tbsolve info connect4-5x5, and game solve before the name of a game.
func toGame(root *cobra.Command, args []string) []string {
	custom, _, err := root.Find([]string{"game"})
	if err == nil && len(args) > 0 && slices.Contains(commands.Names(examples.All()...), args[0]) {
		return append([]string{custom.Name(), "solve"}, args...)
	}
	if err != nil || len(args) == 0 || !slices.ContainsFunc(custom.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] }) {
		return args
	}
	for _, word := range args[1:] {
		name := strings.TrimSuffix(strings.TrimSuffix(path.Base(word), tablebase.PackedSuffix), probe.FileSuffix)
		if slices.Contains(commands.Names(examples.All()...), name) || cli.IsTableFile(word) && isSparse(word) {
			if args[0] == "check" { // a table, as of boards, and not the rules
				args = append([]string{"verify", "--sample", "1000"}, args[1:]...)
			}
			return append([]string{custom.Name()}, args...)
		}
	}
	return args
}

// isSparse reports whether a file is a table of single positions.
func isSparse(file string) bool {
	t, err := reader.Open(file)
	if err == nil {
		t.Close()
	}
	return errors.Is(err, tablebase.ErrSparse)
}

const (
	groupGames  = "games"
	groupTables = "tables"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tbsolve",
		Short: "Solve board games completely and write tables of the results",
		Long: `tbsolve solves two-player board games completely, by backward induction. It writes
the outcome of every state to a table file, from which tbquery answers.`,
		Example: `  tbsolve notakto 6           solve Notakto on the 6×6 board
  tbsolve quixo 4 --steps     solve Quixo on the 4×4 board, with steps
  tbsolve notakto 6 --grundy  compute the nimbers of Notakto 6×6
  tbsolve list                list boards and tables
  tbsolve info quixo 4        show what a table contains
  tbsolve verify quixo 4      check a table
  tbsolve export quixo 4      write its states for other programs
  tbsolve digest quixo 4      print a hash of its rules and indexes`,
	}
	root.ValidArgsFunction = cli.CompleteOneWord
	root.AddGroup(&cobra.Group{ID: groupGames, Title: "Solve a game:"}, &cobra.Group{ID: groupTables, Title: "Tables:"})
	program := solving.Program{Command: root.Name(), Group: groupGames}
	for _, g := range games.All() {
		if partition.HasTables(g.Name) {
			solve := solving.Command(g, program)
			solve.SetFlagErrorFunc(byMany)
			root.AddCommand(solve)
		} else if g.Name == othello.Game.Name {
			root.AddCommand(othelloCommand())
		} else {
			root.AddCommand(tablelessCommand(g))
		}
	}
	custom := commands.New("tbsolve game", examples.All()...)
	custom.GroupID = groupGames
	root.AddCommand(custom, infoCommand(), verifyCommand(), exportCommand(), mineCommand(), digestCommand(), listCommand(), packCommand(), unpackCommand(),
		fetchCommand(), publishCommand())
	return root
}

// byMany directs a user who asks for several processes to tbcluster.
func byMany(cmd *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		if name := unknown.GetSpecifiedName(); slices.Contains([]string{"workers", "cluster", "store"}, name) {
			return cli.Usagef("--%s is a flag of tbcluster, which solves with several processes: tbcluster solve %s", name, cmd.Name())
		}
	}
	return cmd.Root().FlagErrorFunc()(cmd, err)
}

// tableArgument makes a command one about a table, whose path do gets.
func tableArgument(cmd *cobra.Command, do func(cmd *cobra.Command, path string) error) {
	flags := cli.AddTableFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := flags.Path(cmd, args)
		if err != nil {
			return err
		}
		return do(cmd, path)
	}
}

// readArgument makes a command one that reads a table, on this machine or on a web server.
// do gets the function that opens it.
func readArgument(cmd *cobra.Command, do func(cmd *cobra.Command, open func() (*probe.Table, error)) error) {
	flags := cli.AddTableFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return do(cmd, func() (*probe.Table, error) { return flags.Open(cmd, args) })
	}
}
