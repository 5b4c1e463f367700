// Command tbplay plays by a table: against people at the terminal, and against
// programs that speak UGI.
package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/player"
	"backsolve/player/agents"
	"backsolve/player/ugi"
)

func main() { cli.Main(newCommand(), status) }

// status returns the exit status for an error.
func status(err error) int {
	if errors.Is(err, partition.ErrTooLarge) || errors.Is(err, partition.ErrUncut) {
		return cli.StatusUsage
	}
	if errors.Is(err, partition.ErrNoTables) {
		return cli.StatusNoTable
	}
	return cli.TableStatus(err)
}

var long = `Plays a game on an N×N board by its table: never worse than the table says,
unless told to blunder.

At a terminal it shows the board and asks you for moves; type help to see what
else it understands. Lines can be edited there, called back with the arrow keys and
completed with Tab. When something else than a terminal is on standard input, or
with --ugi, it speaks UGI, the Universal Game Interface derived from UCI, in which
match runners talk to engines.

The policy optimal plays any move that keeps the outcome. The policy shortest wins
as soon and loses as late as can be, for which the table must have steps. With
--blunder P every move is any legal one instead with the probability P. The same
seed plays the same games.

With --agent another player sits down in its place, which needs no table: one that
searches, one that has learned, or an engine of your own. What is said of the worth
of moves is still the table's.

With --dir https://HOST/PATH the table is one on a web server. Opening it fails after
two minutes, retries included, and so does looking up a position.

With --after it plays by the table of the game that goes on after the given moves.
Notakto on 8×8, 12×12 and so on up to 24×24 has no table; there the second player's
pairing strategy plays. Where no table knows, the rest of the game is solved before
each move, within the bounds of --think and --memory. Nim and Dawson's chess need no
table, and all that is said of one above holds. Game and size can be named in one
word, quixo:4; several boards of Notakto are notakto:3+3+3.

Shells complete games and sizes after: source <(tbplay completion bash), and
likewise for zsh, fish and powershell.

Agents:
` + agents.Help() + "\n" + cli.StatusHelp

const examples = `  tbplay quixo 4
  tbplay quixo 4 --policy shortest --blunder 0.1
  tbplay notakto 5 --after c3
  tbplay notakto 8
  tbplay nim 4
  tbplay quixo 5 --agent mcts:10000
  tbplay notakto 4 --agent zero:weights=notakto-4x4.weights,sims=100
  tbplay notakto:3+3+3
  tbplay quixo 4 --seed 7 < commands.txt`

// options are what the flags say.
type options struct {
	dir     *string
	after   string
	policy  string
	blunder float64
	seed    uint64
	agent   string
	ugi     bool
	search  cli.SearchFlags
	// thinks says that --think was given.
	thinks bool
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "tbplay GAME N",
		Short:   "Play by a table, against people and programs",
		Long:    long,
		Example: examples,
		Args: func(_ *cobra.Command, args []string) error {
			args, err := cli.BoardWords(args)
			if err != nil {
				return err
			}
			if len(args) != 2 {
				return cli.Usagef("tbplay takes a game and the size of its board; an example is: tbplay quixo 4")
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return cli.CompleteBoard(*o.dir, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, &o, args) },
	}
	policies := []string{string(player.Optimal), string(player.Shortest)}
	flags := cmd.Flags()
	o.dir = cli.DirFlag(flags)
	flags.StringVar(&o.after, "after", "", "play the game after these `moves`, for example c3 or a1,c3")
	flags.StringVar(&o.policy, "policy", policies[0], "which of the best moves to play: optimal or shortest")
	flags.Float64Var(&o.blunder, "blunder", 0, "`probability`, from 0 to 1, of any legal move instead")
	flags.StringVar(&o.agent, "agent", "", "`agent` that plays instead, for example mcts:1000 or zero:weights=FILE")
	flags.Uint64Var(&o.seed, "seed", 0, "play the games of this `number`, others each time where there is none")
	o.search.Register(cmd, 2*time.Second)
	flags.BoolVar(&o.ugi, "ugi", false, "speak UGI at a terminal, too")
	cli.Advanced(cmd, "think", "memory", "scratch", "steps", "ugi")
	cli.NoCompletion(cmd, "after", "blunder", "seed")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("agent", func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return agents.CompleteName(begun), cobra.ShellCompDirectiveNoSpace
	}))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(policies, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func run(cmd *cobra.Command, o *options, args []string) error {
	o.thinks = cmd.Flags().Changed("think")
	args, err := cli.BoardWords(args)
	if err != nil {
		return err
	}
	opponent, err := newOpponent(cmd.Context(), o, args[0], args[1])
	if err != nil {
		return err
	}
	if err := opponent.configure(cmd.Flags(), o); err != nil {
		opponent.close()
		return err
	}
	ctx, in, out := cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()
	if o.ugi || !cli.IsTerminal(in) {
		return cli.UntilSignal(ctx, func() error {
			defer opponent.close()
			return ugi.Serve(ctx, in, out, opponent.host())
		})
	}
	d := newDialog(opponent, in, out)
	lines, restore := editor(in, out)
	defer restore() // also where a signal ends what waits for a line
	if lines != nil {
		lines.complete(d.completeLine)
		d.lines = lines
	}
	return cli.UntilSignal(ctx, func() error {
		defer opponent.close()
		return d.run(ctx)
	})
}

// sideName is what a player is called: by the marks, or where all are the same by
// who begins.
func sideName(rules game.Rules, s game.Side) string {
	switch {
	case rules.Info().Marks == 2:
		return s.String()
	case s == game.X:
		return "first"
	}
	return "second"
}
