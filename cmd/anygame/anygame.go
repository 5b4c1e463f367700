// Package anygame makes a program of games that anybody defines: it solves them, answers
// for their positions and plays.
//
//	func main() { anygame.Main("mygame", anygame.New(MyGame{})) }
package anygame

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"backsolve"
	"backsolve/cmd/cli"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

// Game is a game of any type of positions. New makes one.
type Game struct {
	name, start string
	check       func(games int, seed uint64) error
	solve       func(ctx context.Context, dir string, o backsolve.GameOptions) (table, error)
	open        func(dir string) (table, error)
}

// New returns a game for Main.
func New[S comparable](g backsolve.Game[S]) Game {
	return Game{
		name: g.Name(), start: g.Format(g.Start()),
		check: func(games int, seed uint64) error { return backsolve.CheckGame(g, games, seed) },
		solve: func(ctx context.Context, dir string, o backsolve.GameOptions) (table, error) {
			t, err := backsolve.SolveGame(ctx, dir, g, o)
			return tableOf[S]{g, t}, err
		},
		open: func(dir string) (table, error) {
			t, err := backsolve.OpenGame(dir, g)
			return tableOf[S]{g, t}, err
		},
	}
}

// table is an open table, its positions being texts.
type table interface {
	Close() error
	Stored() *sparse.Table
	Verify(ctx context.Context, o backsolve.GameOptions) error
	answer(position string, line int) (*answer, error)
	export(tier int, row func(position string, v sparse.Value) error) error
}

// answer is what a table says of a position.
type answer struct {
	Game     string `json:"game"`
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	// Steps is nil for a draw.
	Steps    *int   `json:"steps,omitempty"`
	Terminal bool   `json:"terminal,omitempty"`
	Moves    []move `json:"moves"`
	Line     []move `json:"line,omitempty"`
	diagram  string
}

type move struct {
	Move     string `json:"move"`
	Outcome  string `json:"outcome"`
	Steps    *int   `json:"steps,omitempty"`
	Position string `json:"position"`
}

// tableOf is a table of one type of positions.
type tableOf[S comparable] struct {
	game backsolve.Game[S]
	*backsolve.GameTable[S]
}

// errPosition is the cause when a text is no position of the game.
var errPosition = errors.New("no position of the game")

func (t tableOf[S]) answer(position string, line int) (*answer, error) {
	s := t.game.Start()
	if position != "startpos" {
		var err error
		if s, err = t.game.Parse(position); err != nil {
			return nil, fmt.Errorf("%w: %w", errPosition, err)
		}
	}
	v, err := t.Value(s)
	if err != nil {
		return nil, err
	}
	a := &answer{Game: t.game.Name(), Position: t.game.Format(s), diagram: t.game.Format(s)}
	if drawer, ok := t.game.(backsolve.Drawer[S]); ok {
		a.diagram = strings.TrimSuffix(drawer.Diagram(s), "\n")
	}
	a.Outcome, a.Steps = words(v)
	_, a.Terminal = t.game.Terminal(s)
	moves, err := t.Moves(s)
	if err != nil {
		return nil, err
	}
	a.Moves = t.named(moves)
	best, err := t.Line(s, line)
	a.Line = t.named(best)
	return a, err
}

func (t tableOf[S]) named(moves []backsolve.GameMove[S]) []move {
	named := make([]move, len(moves))
	for i, m := range moves {
		outcome, steps := words(m.Value)
		named[i] = move{m.Name, outcome, steps, t.game.Format(m.After)}
	}
	return named
}

// words returns a value as JSON has it.
func words(v backsolve.Value) (outcome string, steps *int) {
	if v.Steps >= 0 {
		steps = &v.Steps
	}
	return v.Outcome.String(), steps
}

func (t tableOf[S]) export(tier int, row func(position string, v sparse.Value) error) error {
	for state, err := range t.Stored().Tier(tier) {
		if err == nil {
			err = row(t.game.Format(t.game.FromKey(state.Key)), state.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Main runs a program of this name with commands for the games, and ends the process.
func Main(program string, games ...Game) {
	root := Command(program, games...)
	cli.OnlyCommands(root)
	cli.Main(root, Status)
}

// Status returns the exit status for an error of these commands.
func Status(err error) int {
	switch {
	case errors.Is(err, errPosition):
		return cli.StatusUsage
	case errors.Is(err, backsolve.ErrUnreached), errors.As(err, new(*noTableError)):
		return cli.StatusNoTable
	case errors.Is(err, sparse.ErrDamaged), errors.Is(err, sparse.ErrForeign):
		return cli.StatusBadTable
	case errors.Is(err, generic.ErrMemory):
		return cli.StatusRefused
	}
	return cli.TableStatus(err)
}

// Command returns a command that has those for the games below it.
func Command(name string, games ...Game) *cobra.Command {
	root := &cobra.Command{
		Use:   name,
		Short: "Solve, look up and play games that are defined by their positions",
		Long: `Solve, look up and play games that are defined in Go by their positions; list shows
them. Positions have the notation of the game; startpos is the start position.`,
		Example: fmt.Sprintf("  %[1]s list\n  %[1]s solve %[2]s\n  %[1]s query %[2]s --line\n  %[1]s play %[2]s", name, games[0].name),
	}
	c := commands{games}
	root.AddCommand(c.list(), c.check(), c.solve(), c.info(), c.query(), c.verify(), c.export(), c.play())
	return root
}
