// Package anygame makes a program of games that anybody defines: it solves them, answers
// for their positions and plays.
//
//	func main() { anygame.Main("mygame", anygame.New(MyGame{})) }
package anygame

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve"
	"backsolve/cmd/cli"
	"backsolve/cmd/playing"
	"backsolve/cmd/verifying"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/retro/generic"
)

// Game is a game of any type of positions. New makes one.
type Game = custom.Listed

// New returns a game for Main.
func New[S comparable](g backsolve.Game[S]) Game { return custom.List(g) }

// Main runs a program of this name with commands for the games, and ends the process.
func Main(program string, of ...Game) {
	root, err := newProgram(program, of...)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(cli.StatusUsage)
	}
	if len(os.Args) > 1 && slices.Contains(Names(of...), os.Args[1]) {
		root.SetArgs(append([]string{"solve"}, os.Args[1:]...))
	}
	cli.Main(root, Status)
}

// newProgram returns the command of a program, and adds its games to the list of games.
func newProgram(name string, of ...Game) (*cobra.Command, error) {
	if err := checkNames(of); err != nil {
		return nil, err
	}
	for _, g := range of {
		if err := games.Add(custom.Entry(g)); err != nil {
			return nil, err
		}
	}
	cli.SolveGame = name + " solve"
	root, c := Command(name, of...), commands{name, of}
	root.AddCommand(c.play(), c.serve())
	cli.OnlyCommands(root)
	return root, nil
}

// play returns tbplay's command for the games.
func (c *commands) play() *cobra.Command {
	cmd := playing.Command()
	cmd.Use, cmd.Example, cmd.ValidArgsFunction = "play GAME", c.example("play"), c.complete
	cmd.Long = `Play a game by its table: never worse than the table says, unless told to blunder.

At a terminal it draws the board and asks for moves; type help for its commands.
Otherwise, or with --ugi, it speaks UGI, the Universal Game Interface derived from
UCI, which match runners use. With --agent another player takes the table's place.`
	return cmd
}

// Status returns the exit status for an error of these commands.
func Status(err error) int {
	switch {
	case errors.As(err, new(*verifying.WrongError)):
		return cli.StatusFailed // a failed check, not an unusable table
	case errors.Is(err, backsolve.ErrUnreached), errors.As(err, new(*noTableError)):
		return cli.StatusNoTable
	case errors.Is(err, generic.ErrMemory):
		return cli.StatusRefused
	}
	return cli.TableStatus(err)
}

// Command returns a command that has those for the games below it. name is what users type for it.
func Command(name string, games ...Game) *cobra.Command {
	root := &cobra.Command{
		Use:   name[strings.LastIndex(name, " ")+1:],
		Short: "Solve and look up games that are defined by their positions",
		Long: `Solve and look up games that are defined in Go by their positions; list shows
them. Commands about a table take its file in place of the game. Positions have the notation
of the game; startpos is the start position.`,
		Example: fmt.Sprintf("  %[1]s list\n  %[1]s solve %[2]s\n  %[1]s query %[2]s --line", name, games[0].Info().Name),
	}
	c := commands{name, games}
	root.AddCommand(c.list(), c.check(), c.solve(), c.info(), c.query(), c.verify(), c.export(), c.pack(), c.unpack())
	return root
}

// checkNames says what is wrong with the games of a program.
func checkNames(games []Game) error {
	if len(games) == 0 {
		return errors.New("the program has no games; give anygame.Main some")
	}
	for _, g := range games {
		if err := g.Check(0, 1); err != nil {
			return fmt.Errorf("%s: %w", g.Info().Name, err)
		}
	}
	return nil
}

// Names returns the names of games.
func Names(games ...Game) (names []string) {
	for _, g := range games {
		names = append(names, g.Info().Name)
	}
	return names
}
