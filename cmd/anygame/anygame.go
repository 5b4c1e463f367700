// Package anygame makes a program of games that anybody defines: it solves them, answers
// for their positions and plays.
//
//	func main() { anygame.Main("mygame", anygame.New(MyGame{})) }
package anygame

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"backsolve"
	"backsolve/cmd/cli"
	"backsolve/cmd/verifying"
	"backsolve/game/custom"
	"backsolve/retro/generic"
)

// Game is a game of any type of positions. New makes one.
type Game = custom.Listed

// New returns a game for Main.
func New[S comparable](g backsolve.Game[S]) Game { return custom.List(g) }

// Main runs a program of this name with commands for the games, and ends the process.
func Main(program string, games ...Game) {
	if err := checkNames(games); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(cli.StatusUsage)
	}
	root := Command(program, games...)
	root.AddCommand((&commands{program, games}).serve())
	cli.OnlyCommands(root)
	cli.Main(root, Status)
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
		Short: "Solve, look up and play games that are defined by their positions",
		Long: `Solve, look up and play games that are defined in Go by their positions; list shows
them. Commands about a table take its file in place of the game. Positions have the notation
of the game; startpos is the start position.`,
		Example: fmt.Sprintf("  %[1]s list\n  %[1]s solve %[2]s\n  %[1]s query %[2]s --line\n  %[1]s play %[2]s", name, games[0].Info().Name),
	}
	c := commands{name, games}
	root.AddCommand(c.list(), c.check(), c.solve(), c.info(), c.query(), c.verify(), c.export(), c.pack(), c.unpack(), c.play())
	return root
}

// checkNames says what is wrong with the games of a program.
func checkNames(games []Game) error {
	if len(games) == 0 {
		return errors.New("the program has no games; give anygame.Main some")
	}
	names := map[string]bool{}
	for _, g := range games {
		name := g.Info().Name
		if err := g.Check(0, 1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if names[name] {
			return fmt.Errorf("there are two games called %s; rename one", name)
		}
		names[name] = true
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
