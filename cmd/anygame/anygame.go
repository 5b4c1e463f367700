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

	"github.com/spf13/cobra"

	"backsolve"
	"backsolve/cmd/anygame/commands"
	"backsolve/cmd/cli"
	"backsolve/cmd/playing"
	"backsolve/game/custom"
	"backsolve/game/games"
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
	if len(os.Args) > 1 && slices.Contains(commands.Names(of...), os.Args[1]) {
		root.SetArgs(append([]string{"solve"}, os.Args[1:]...))
	}
	cli.Main(root, commands.Status)
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
	root := commands.New(name, of...)
	root.AddCommand(play(name, of), serveCommand())
	return root, nil
}

// play returns tbplay's command for the games.
func play(program string, of []Game) *cobra.Command {
	cmd := playing.Command()
	cmd.Use, cmd.Example = "play GAME", fmt.Sprintf("  %s play %s", program, of[0].Info().Name)
	cmd.ValidArgsFunction = cobra.FixedCompletions(commands.Names(of...), cobra.ShellCompDirectiveNoFileComp)
	cmd.Long = `Play a game by its table: never worse than the table says, unless told to blunder.

At a terminal it draws the board and asks for moves; type help for its commands.
Otherwise, or with --ugi, it speaks UGI, the Universal Game Interface derived from
UCI, which match runners use. With --agent another player takes the table's place.`
	return cmd
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
