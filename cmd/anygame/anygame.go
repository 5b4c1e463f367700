// Package anygame makes a program that solves games that anybody defines, answers for their positions and plays them.
//
//	func main() { anygame.Main("mygame", anygame.New(MyGame{})) }
package anygame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"backsolve"
	"backsolve/cmd/cli"
	"backsolve/cmd/playing"
	"backsolve/cmd/querying"
	"backsolve/cmd/solving"
	"backsolve/cmd/tables"
	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/internal/server"
	"backsolve/internal/server/catalog"
	"backsolve/internal/server/page"
)

// Game is a game of any type of positions. New makes one.
type Game = custom.Listed

// New returns a game for Main.
func New[S comparable](g backsolve.Game[S]) Game { return custom.List(g) }

// Main runs a program of this name with commands for the games, and ends the process.
func Main(program string, list ...Game) {
	root, err := newProgram(program, list...)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(cli.StatusUsage)
	}
	cli.Main(root, cli.TableStatus)
}

// newProgram returns the command of a program, and adds its games to the list of games.
func newProgram(name string, list ...Game) (*cobra.Command, error) {
	if len(list) == 0 {
		return nil, errors.New("the program has no games; give anygame.Main some")
	}
	var entries []game.Game
	for _, g := range list {
		if err := g.Check(0, 1); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Info().Name, err)
		}
		entries = append(entries, custom.Entry(g))
	}
	if err := games.Add(entries...); err != nil {
		return nil, err
	}
	return newRoot(name, entries...)
}

func newRoot(name string, list ...game.Game) (*cobra.Command, error) {
	cli.Solver = name
	first := list[0].Name
	root := tables.Root(name, list...)
	root.Use, root.Short = name+" GAME", "Solve and look up games that are defined by their positions"
	root.Long = `Solve a game that is defined in Go by its positions, and look it up; list shows the games.
Commands about a table take its file in place of the game. Positions have the notation
of the game; startpos is the start position.

` + solving.Help
	root.Example = fmt.Sprintf("  %[1]s %[2]s\n  %[1]s list\n  %[1]s query %[2]s startpos --line", name, first)
	for _, c := range root.Commands() {
		use, _, takes := strings.Cut(c.Use, " ")
		if c.Example = "  " + name + " " + use; takes {
			c.Use, c.Example = use+" GAME", c.Example+" "+first
		}
		c.Long = strings.NewReplacer(cli.TableHelp, "GAME is the name of a game, or the file of its table.", "tbsolve", name).Replace(c.Long)
	}
	for _, g := range list {
		if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == g.Name }) {
			return nil, fmt.Errorf("%s is a command; rename the game", g.Name)
		}
	}
	root.AddCommand(query(name, first), play(name, first), serveCommand(), tables.Gone("solve", name+" GAME"))
	for _, c := range append(root.Commands(), root) {
		for _, flag := range ofBoards {
			if f := c.Flags().Lookup(flag); f != nil {
				f.Hidden = true
			}
		}
	}
	root.Flags().Lookup("steps").Hidden = true
	return root, nil
}

// ofBoards are flags that make no sense for a game that is defined by its positions.
var ofBoards = []string{"after", "grundy", "think", "memory", "scratch", "blocks", "archive", "images", "packed", "keep", "down-to-class"}

func query(program, first string) *cobra.Command {
	cmd := querying.Command()
	cmd.Use, cmd.Example = "query GAME [POSITION]", fmt.Sprintf("  %s query %s startpos", program, first)
	cmd.Long = `Show the value of a position: the outcome for the player to move, the steps (plies)
to the end under best play, and all moves, best first. The position is text of the game,
or startpos; moves may follow after the word moves.

Without a position, or with -, read positions from standard input, one per line, and answer
each with a line of JSON. --fields selects fields of the answer, as those of tbquery.`
	cmd.Flags().Lookup("steps").Hidden = true
	return cmd
}

func play(program, first string) *cobra.Command {
	cmd := playing.Command()
	cmd.Use, cmd.Example = "play GAME", fmt.Sprintf("  %s play %s", program, first)
	cmd.Long = `Play a game by its table: never worse than the table says, unless told to blunder.

At a terminal it draws the board and asks for moves; type help for its commands.
Otherwise, or with --ugi, it speaks UGI, the Universal Game Interface derived from
UCI, which match runners use. With --agent another player takes the table's place.`
	return cmd
}

func serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use: "serve", Short: "Show the tables in the browser, and answer over HTTP", Args: cli.Args(0),
		Long: `Show the tables in the browser, and answer over HTTP as tbserve does. Only clients on
this machine can ask, unless --listen says otherwise; nothing is encrypted.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := cli.Dir(cmd)
			if err := cli.LocalDir(dir); err != nil {
				return err
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return cli.Usagef("--listen: %w", err)
			}
			return serve(cmd.Context(), l, dir, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "`ADDRESS` address to listen on, host:port")
	return cmd
}

// serve answers until ctx ends. It makes the directory if it is missing, for tables yet to come.
func serve(ctx context.Context, l net.Listener, dir string, w io.Writer) error {
	defer l.Close() // unless the server has done so
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tables, err := catalog.Open([]string{dir}, catalog.Options{})
	if err != nil {
		return err
	}
	defer tables.Close()
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { tables.Run(ctx) })
	fmt.Fprintf(w, "the tables of %s are at http://%s/\n", dir, l.Addr())
	s := server.New(server.Options{Catalog: tables, Page: page.Handler(), Limits: server.DefaultLimits()})
	return s.Serve(ctx, []net.Listener{l}, nil, time.Second)
}
