// Package playing is the command that plays a board, which several programs have.
package playing

import (
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/ugi"
)

const long = `Play a game by its table: never worse than the table says, unless told to blunder.

At a terminal tbplay draws the board and asks for moves; type help for its commands.
Otherwise, or with --ugi, it speaks UGI, the Universal Game Interface derived from
UCI, which match runners use.

The policy optimal plays any move that keeps the outcome. The policy shortest wins
soonest and loses latest, and needs a table with steps. With --blunder P, each move
is any legal move with probability P. The same seed plays the same games.

With --agent another player takes its place, which needs no table: a search, a trained
network or an engine of your own. The values of moves still come from the table.

With --after, tbplay uses the table of the game after these moves. Notakto on 8×8,
12×12 and so on up to 24×24 has no table: there it plays the pairing strategy of the
second player. Nim and Dawson's chess need no table. What no table covers is solved
before each move, within the limits of --think and --memory. Notakto on several boards
is notakto:3+3+3.

` + cli.TableHelp + cli.WebHelp + `

Shell completion: source <(tbplay completion bash); also zsh, fish and powershell.`

const usage = `  tbplay quixo 4
  tbplay quixo 4 --policy shortest --blunder 0.1
  tbplay notakto 5 --after c3
  tbplay notakto 8
  tbplay nim 4
  tbplay quixo 5 --agent mcts:10000
  tbplay notakto 4 --agent zero:weights=notakto-4x4.weights,sims=100
  tbplay notakto:3+3+3
  tbplay quixo 4 --seed 7 < commands.txt`

type options struct {
	dir     *string
	after   string
	policy  string
	blunder float64
	seed    uint64
	agent   string
	ugi     bool
	search  cli.SearchFlags
	thinks  bool // whether --think is given
}

// Command returns the command of tbplay.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "tbplay BOARD",
		Short:   "Play by a table, against people and programs",
		Long:    long,
		Example: usage,
		Args:    cli.BoardArgs(0, 0),
		RunE:    func(cmd *cobra.Command, args []string) error { return run(cmd, &o, args) },
	}
	cli.AddTopic(cmd, "agents", "Agents", agents.Help())
	var policies []string
	for _, p := range player.Policies {
		policies = append(policies, string(p))
	}
	flags := cmd.Flags()
	o.dir = cli.DirFlag(flags)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.KnownSizes(o.dir))
	flags.StringVar(&o.after, "after", "", "`MOVES` play the game after these moves, for example c3 or a1,c3")
	flags.StringVar(&o.policy, "policy", policies[0], "`WORD` policy: optimal, shortest or trap")
	flags.Float64Var(&o.blunder, "blunder", 0, "`P` probability from 0 to 1 of playing any legal move instead")
	flags.StringVar(&o.agent, "agent", "", "`AGENT` player to use instead, for example mcts:1000 or zero:weights=FILE")
	flags.Uint64Var(&o.seed, "seed", 0, "seed of the games (default a random one)")
	o.search.Register(cmd, 2*time.Second, "steps")
	flags.BoolVar(&o.ugi, "ugi", false, "speak UGI even at a terminal")
	cli.Advanced(cmd, "think", "steps", "ugi")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("agent", func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return agents.CompleteName(begun), cobra.ShellCompDirectiveNoSpace
	}))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(policies, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func run(cmd *cobra.Command, o *options, args []string) error {
	o.thinks = cmd.Flags().Changed("think")
	board, _, err := cli.Board(cmd, args, o.after)
	if err != nil {
		return err
	}
	opponent, err := newOpponent(cmd.Context(), o, board)
	if err != nil {
		return err
	}
	given := cmd.Flags().Changed
	if given("seed") {
		opponent.seed = &o.seed
	}
	if given("policy") || given("blunder") {
		if err := opponent.setStrength(player.Strength{Policy: player.Policy(o.policy), Blunder: o.blunder}); err != nil {
			opponent.close()
			return &cli.UsageError{Err: err}
		}
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
	defer restore() // even if a signal ends the program
	if lines != nil {
		lines.complete(d.completeLine)
		d.readLine = lines.readLine
	}
	return cli.UntilSignal(ctx, func() error {
		defer opponent.close()
		return d.run(ctx)
	})
}

// sideName names a side: by its mark or, with one kind of mark, as first or second.
func sideName(rules game.Rules, s game.Side) string {
	switch {
	case rules.Info().Marks == 2:
		return s.String()
	case s == game.X:
		return "first"
	}
	return "second"
}
