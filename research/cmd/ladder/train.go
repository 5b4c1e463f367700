package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/player/qlearning"
	"backsolve/research/internal/files"
)

// trainer holds the command line of ladder train.
type trainer struct {
	seed    uint64
	games   cli.CountValue
	display *progress.Display
	out     string
	actions bool
	format  *cli.Format
}

const trainLong = `Train the qlearning agent of a board by self-play and write its weights to a file,
for qlearning:weights=FILE. No table is needed.

With --actions each action has its own weights, for the features of the state before it,
and games are learned from backwards, as in Chan's program. Otherwise one vector of
weights values the state after a move.`

func trainCommand() *cobra.Command {
	t := &trainer{games: cli.NewCount(10_000, 1_000_000_000)}
	cmd := &cobra.Command{
		Use:   "train BOARD",
		Short: "Train the qlearning agent",
		Long:  trainLong,
		Example: `  ladder train quixo 4 --save quixo-4x4.weights.json
  ladder train notakto 5 --games 100000 --seed 7 --save weights.json`,
		Args: cli.BoardArgs(0, 0),
		ValidArgsFunction: cli.CompleteBoard(func(g game.Game) []int {
			return slices.DeleteFunc(g.Sizes(), func(n int) bool { return n > maxGrid })
		}),
		RunE: t.run,
	}
	f := cmd.Flags()
	f.Var(&t.games, "games", "number of games")
	f.Uint64Var(&t.seed, "seed", 1, "seed of all random choices")
	f.StringVar(&t.out, "save", "", "`FILE` file to write the weights to; an existing one is replaced")
	f.BoolVar(&t.actions, "actions", false, "learn weights for each action, backwards over a game")
	t.display = progress.Flags(cmd)
	t.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	cli.NoCompletion(cmd, "games", "seed")
	cli.Advanced(cmd, "seed", "progress", "quiet")
	return cmd
}

// maxGrid is the size of the largest board whose cells fit into a word.
const maxGrid = 8

// trained is the result, as --format json prints it.
type trained struct {
	Game    string `json:"game"`
	Size    int    `json:"size"`
	Games   int    `json:"games"`
	Seed    uint64 `json:"seed"`
	File    string `json:"file"`
	Weights int    `json:"weights"`
}

func (t *trainer) run(cmd *cobra.Command, args []string) error {
	b, _, err := cli.Board(cmd, args, "")
	if err != nil {
		return err
	}
	board := b.Info()
	grid, ok := game.GridOf(b.Rules())
	if !ok {
		return cli.Usagef("%v is too large to learn; give a board of at most 8×8 cells", board)
	}
	if t.out == "" {
		return cli.Usagef("--save is missing; give for example --save %s.weights.json", boardWord(board.Name, board.Size))
	}
	dir := filepath.Dir(t.out)
	if err := files.Writable(dir); err != nil {
		return err
	}
	p := progress.New("training", board.String())
	stop := t.display.Show(cmd, p)
	p.Begin("games", 0, float64(t.games.Count))
	options := qlearning.DefaultOptions(t.games.Count, t.seed)
	options.Actions = t.actions
	weights, err := qlearning.Train(cmd.Context(), grid, options, func(done, _ int) {
		p.Update("learning", float64(done))
	})
	stop()
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := weights.Save(t.out); err != nil {
		return err
	}
	out := trained{board.Name, board.Size, t.games.Count, t.seed, t.out, len(weights.Values)}
	if t.format.Word() == cli.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), out)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "learned from %s; %s has %s\n", cli.Plural(out.Games, "game"), out.File, cli.Plural(out.Weights, "weight"))
	return err
}
