// Command tbquery says what is known of a position: the outcome, the steps
// to the end, all moves from the best to the worst, and the main line.
package main

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
)

func main() {
	cmd := newCommand()
	cmd.SetArgs(protectPositions(os.Args[1:]))
	cli.Main(cmd, status)
}

// dashed is a position of Dawson's chess that begins like a flag. No flag has these
// characters.
var dashed = regexp.MustCompile(`^-[-X.]*[X.][-X.]*$`)

// protectPositions returns arguments among which no position is taken for flags: a space
// before one, which positions may have, tells it from these.
func protectPositions(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if dashed.MatchString(a) {
			args[i] = " " + a
		}
	}
	return args
}

// status returns the exit status for an error.
func status(err error) int {
	var syntax *game.SyntaxError
	var illegal *game.IllegalMoveError
	var unanswered *unansweredError
	switch {
	case errors.As(err, &unanswered):
		return unanswered.status
	case errors.As(err, &syntax), errors.As(err, &illegal), errors.Is(err, probe.ErrPosition), errors.Is(err, errLong):
		return cli.StatusUsage
	case errors.Is(err, probe.ErrUnknown), partition.HasNone(err):
		return cli.StatusNoTable
	}
	return cli.TableStatus(err)
}

const long = `Says what the table of a game on an N×N board knows of a position: the outcome
for the player to move, the steps (plies) to the end under best play, and all
moves, the best first: wins with the fewest steps, then draws, then losses with
the most steps.

A position is the rows of the board from top to bottom, separated by slashes,
with X, O or . for each cell, and in games with two sides a space and the side to
move, x or o (x where it is left out). Quotes around it are not needed. startpos is
the position that the game begins with, and moves may follow, after the word moves.
Nim has heaps instead, 1/3/5/7/9, and Dawson's chess a row of files, -X-.....; both
need no table, and answers have the nimber (Grundy value) where there is one.

Without a position, or with - for one, positions are read from standard input,
one a line, and each line is answered by one line of JSON: the answer, or
{"line":1,"error":"..."} with the line's number where there is none.

--fields asks for parts of an answer in one short line: text with tabs between them,
or with --format CSV or JSON. The fields are
game, size, position, outcome, steps, nimber, score, terminal, source, best_move, right_moves (that
keep the outcome), strict_moves (that also win as soon or lose as late as can be) and
line. CSV has position, outcome, steps and best_move unless others are
asked for; where a line of input has no answer, its fields are empty and standard
error says why.

With --dir https://HOST/PATH the table is one on a web server, of which only what
the answer takes is fetched; docs/howto/web-tables.md says what the server must do. Opening the
table fails after two minutes, retries included, and so does each answer.

Game and size can be named in one word, quixo:4. Several boards of Notakto are
notakto:3+3+3, for which 1 to 8 of 3×3 cells can be taken; positions separate them by
plus signs, and 1b2 marks b2 of the first one.

With --after the table of the game that goes on after the given moves is asked,
which knows the positions with these cells marked. Notakto on 8×8, 12×12, 16×16,
20×20 and 24×24 needs no table: the second player's pairing strategy tells who
wins where it has been kept, and what to reply after one more move.

What neither table nor pairing knows is solved now: the game that goes on from the
position, in memory, within the bounds of --think and --memory, and with --steps with
the steps to the end. What takes more is refused with what it would take.

Shells complete games and sizes after: source <(tbquery completion bash), and
likewise for zsh, fish and powershell.

Exit status: 0 answered; 1 failed; 2 the command line or a position cannot be
understood; 3 there is no table for it, or the pairing does not tell, and it takes
too much to be solved now; 4 the table is damaged or foreign.`

const examples = `  tbquery quixo 4 ..../..../..../.... x
  tbquery quixo 4 X..O/..../..../.... o --line
  tbquery quixo 4 startpos moves a1d1 d4a4 --fields outcome,steps,right_moves
  tbquery quixo 4 --format csv < positions.txt
  tbquery notakto 4 X.../..../..../.... --json
  tbquery notakto 5 ...../...../..X../...../..... --after c3
  tbquery notakto 7 XXX.XX./X..X.X./.XX.XX./X.XX..X/XX..X../..X.X.X/.X.X..X --think 30s
  tbquery nim 5 1/3/5/7/9
  tbquery notakto:3+3 X../.../...+.../.X./...
  tbquery notakto 4 < positions.txt > answers.jsonl`

// options are what the flags say.
type options struct {
	dir        *string
	after      string
	line       bool
	format     *cli.Format
	fieldNames []string
	fields     []field // nil for whole answers
	search     cli.SearchFlags
}

// maxPlies is how long a main line may be.
func (o *options) maxPlies() int {
	if o.line {
		return probe.WholeLine
	}
	return probe.NoLine
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "tbquery GAME N [POSITION]",
		Short:   "Say what a table knows of a position",
		Long:    long,
		Example: examples,
		Args: func(_ *cobra.Command, args []string) error {
			args, err := cli.BoardWords(args)
			if err != nil {
				return err
			}
			if len(args) < 2 {
				return cli.Usagef("tbquery takes a game, the size of its board and a position; " +
					"an example is: tbquery quixo 4 ..../..../..../.... x")
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return cli.CompleteBoard(*o.dir, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, &o, args) },
	}
	o.dir = cli.DirFlag(cmd.Flags())
	cmd.Flags().StringVar(&o.after, "after", "", "ask the table of the game after these `moves`, for example c3 or a1,c3")
	cli.NoCompletion(cmd, "after")
	cmd.Flags().BoolVarP(&o.line, "line", "l", false, "add the main line: best move after best move")
	o.search.Register(cmd, 2*time.Second)
	o.format = cli.FormatFlags(cmd, cli.Text, cli.JSON, cli.CSV)
	cmd.Flags().StringSliceVar(&o.fieldNames, "fields", nil, "only these `fields` of an answer, in one line")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("fields", cobra.FixedCompletions(fieldNames(), cobra.ShellCompDirectiveNoFileComp)))
	cli.Advanced(cmd, "think", "memory", "scratch")
	return cmd
}

// chooseFields finds out which fields are wanted, if not whole answers.
func (o *options) chooseFields() (err error) {
	names := o.fieldNames
	if names == nil && o.format.Word() == cli.CSV {
		names = standardFields
	}
	o.line = o.line || slices.Contains(names, "line")
	o.fields, err = chooseFields(names)
	return err
}

func run(cmd *cobra.Command, o *options, args []string) error {
	args, err := cli.BoardWords(args)
	if err != nil {
		return err
	}
	board, err := cli.ParseBoard(args[0], args[1], o.after)
	if err != nil {
		return err
	}
	if err := o.chooseFields(); err != nil {
		return err
	}
	// An unquoted side to move, and moves, come as arguments of their own.
	text := strings.TrimSpace(strings.Join(args[2:], " "))
	if len(args) == 2 || text == "-" {
		return answerLines(cmd, board, o)
	}
	rules := board.Rules()
	s, err := board.Parse(text)
	if err != nil {
		return err
	}
	search, err := o.search.OnDemand(1, 0)
	if err != nil {
		return err
	}
	from, closeTable, err := open(cmd, board, *o.dir, search)
	if err != nil {
		return err
	}
	defer closeTable()
	a, err := from.AskState(rules, s, o.maxPlies())
	if err != nil {
		return err
	}
	if o.fields != nil {
		w, err := newFieldWriter(cmd.OutOrStdout(), o.format.Word(), o.fields)
		if err != nil {
			return err
		}
		return w.write(a)
	}
	if o.format.Word() == cli.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), a)
	}
	return writeText(cmd.OutOrStdout(), rules.Diagram(s), rules.Info().String(), a)
}

// open returns what answers for a board, and what closes it again: the rules alone where no
// table of its size can be and no search helps.
func open(cmd *cobra.Command, board *probe.Board, dir string, search probe.OnDemand) (from probe.Answerer, closeTable func() error, err error) {
	from, closeTable, err = board.Open(cmd.Context(), dir, search)
	if errors.Is(err, partition.ErrTooLarge) || errors.Is(err, partition.ErrUncut) {
		return board.ByRules(err), func() error { return nil }, nil
	}
	return from, closeTable, err
}
