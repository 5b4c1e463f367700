// Package querying has the command that shows the value of positions, which several programs share.
package querying

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/partition"
)

const long = `Show the value of a position: the outcome for the player to move, the steps (plies)
to the end under best play, and all moves, best first: the fastest wins, then draws,
then the slowest losses.

A position is the rows of the board from top to bottom, separated by slashes, with X,
O or . for each cell. In games with two sides the side to move follows, x or o
(default x). startpos is the start position, and moves may follow after the word
moves. A game of Othello may also be a transcript, f5d6c3, or a record in SGF. Only
SGF needs quotes. Nim has heaps instead, 1/3/5/7/9, and Dawson's chess a row of
files, -X-.....; neither needs a table.

Without a position, or with -, tbquery reads positions from standard input, one per
line, and answers each with a line of JSON: the answer, or {"line":1,"error":"..."}.

--fields selects fields of the answer, printed in one line: as text separated by tabs,
as CSV or as JSON. The fields are:

  game, size, position          what was asked
  outcome, steps                the value of the position
  nimber, score, terminal       if known; whether the game is over
  source                        table, formula, pairing or search
  best_move                     the first of the best moves
  right_moves                   the moves that keep the outcome
  strict_moves                  those that also win soonest or lose latest
  line                          the main line

CSV has position, outcome, steps and best_move by default. Fields of a line without an
answer are empty; standard error gives the reason.

With --after, tbquery reads the table of the game after these moves, which covers the
positions with these cells marked. Notakto on several boards is notakto:3+3+3, with up
to 8 boards, or notakto:3+4+4, with up to 4 from 1×1 to 4×4; 1b2 marks b2 of the first.
Notakto on 8×8, 12×12 and so on up to 24×24 needs no table: the pairing strategy of
the second player answers where it was followed, and after one more move.

What no table covers is solved in memory, within the limits of --think and --memory.

` + cli.TableHelp + cli.WebHelp + `

Shell completion: source <(tbquery completion bash); also zsh, fish and powershell.`

const usage = `  tbquery quixo 4 ..../..../..../.... x
  tbquery quixo 4 X..O/..../..../.... o --line
  tbquery quixo 4 startpos moves a1d1 d4a4 --fields outcome,steps,right_moves
  tbquery quixo 4 --format csv < positions.txt
  tbquery notakto 4 X.../..../..../.... --json
  tbquery notakto 5 ...../...../..X../...../..... --after c3
  tbquery notakto 7 --think 30s XXX.XX./X..X.X./.XX.XX./X.XX..X/XX..X../..X.X.X/.X.X..X
  tbquery nim 5 1/3/5/7/9
  tbquery notakto:3+3 X../.../...+.../.X./...
  tbquery notakto 4 < positions.txt > answers.jsonl`

type options struct {
	dir      *string
	after    *string
	line     bool
	fields   []field // nil for whole answers
	maxPlies int     // as probe.Answerer has it
	search   cli.SearchFlags
}

// Command returns the command as tbquery has it.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "tbquery BOARD [POSITION]",
		Short:   "Show the value of a position",
		Long:    long,
		Example: usage,
		Args:    cli.BoardArgs(0, math.MaxInt),
		RunE:    func(cmd *cobra.Command, args []string) error { return run(cmd, &o, args) },
	}
	o.dir, o.after = cli.DirFlag(cmd.Flags()), cli.AfterFlag(cmd)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.KnownSizes(o.dir))
	cmd.Flags().BoolVarP(&o.line, "line", "l", false, "add the main line, best play to the end")
	o.search.Register(cmd, 2*time.Second, "memory", "scratch", "steps")
	cli.JSONFlag(cmd.Flags())
	cli.FormatFlag(cmd, cli.Text, cli.JSON, cli.CSV)
	cmd.Flags().Func("fields", "`LIST` print only these fields, in one line", func(text string) error {
		fields, err := chooseFields(strings.Split(text, ","))
		o.fields = append(o.fields, fields...)
		return err
	})
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("fields", cobra.FixedCompletions(fieldNames(), cobra.ShellCompDirectiveNoFileComp)))
	cli.Advanced(cmd, "think", "memory", "scratch")
	return cmd
}

func run(cmd *cobra.Command, o *options, args []string) error {
	board, words, err := cli.Board(cmd, args, *o.after)
	if err != nil {
		return err
	}
	format := cli.Format(cmd)
	if o.fields == nil && format == cli.CSV {
		o.fields, _ = chooseFields(csvFields) // which there are
	}
	o.maxPlies = pliesOf(o.fields, o.line)
	// An unquoted side to move, and moves, are arguments of their own.
	text := strings.TrimSpace(strings.Join(words, " "))
	lines := text == "" && len(words) == 0 || text == "-"
	var s game.State
	if !lines {
		if s, err = board.Parse(text); err != nil {
			return err
		}
	}
	search, err := o.search.OnDemand(1, 0)
	if err != nil {
		return err
	}
	from, closeTable, err := board.Open(cmd.Context(), *o.dir, search)
	if errors.Is(err, partition.ErrTooLarge) { // only the rules answer
		from, closeTable, err = board.ByRules(err), func() error { return nil }, nil
	}
	if err != nil {
		return err
	}
	defer closeTable()
	if lines {
		return answerLines(cmd, board, from, o)
	}
	a, err := from.AskState(board.Rules(), s, o.maxPlies)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case o.fields != nil:
		w := cli.NewRecords(out, format, o.fields)
		return errors.Join(w.Write(a), w.Flush())
	case format == cli.JSON:
		return cli.WriteJSON(out, a)
	}
	return cli.WriteAnswer(out, board.Rules(), s, a)
}
