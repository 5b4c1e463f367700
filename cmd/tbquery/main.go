// Command tbquery says what a table knows of a position: the outcome, the steps
// to the end, all moves from the best to the worst, and the main line.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/internal/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
)

func main() { cli.Main(newCommand(), status) }

// status returns the exit status for an error.
func status(err error) int {
	var syntax *game.SyntaxError
	var unanswered *unansweredError
	switch {
	case errors.As(err, &unanswered):
		return unanswered.status
	case errors.As(err, &syntax), errors.Is(err, partition.ErrTooLarge), errors.Is(err, errLong):
		return cli.StatusUsage
	}
	return cli.TableStatus(err)
}

const long = `Says what the table of a game on an N×N board knows of a position: the outcome
for the player to move, the steps (plies) to the end under best play, and all
moves, the best first: wins with the fewest steps, then draws, then losses with
the most steps.

A position is the rows of the board from top to bottom, separated by slashes,
with X, O or . for each cell, and in games with two sides a space and the side to
move, x or o (x where it is left out). Quotes around it are not needed.

Without a position, or with - for one, positions are read from standard input,
one a line, and each line is answered by one line of JSON: the answer, or
{"line":1,"error":"..."} with the line's number where there is none.

Shells complete games and sizes after: source <(tbquery completion bash), and
likewise for zsh, fish and powershell.

Exit status: 0 answered; 1 failed; 2 the command line or a position cannot be
understood; 3 there is no table for it; 4 the table is damaged or foreign.`

const examples = `  tbquery quixo 4 ..../..../..../.... x
  tbquery quixo 4 X..O/..../..../.... o --line
  tbquery notakto 4 X.../..../..../.... --json
  tbquery notakto 4 < positions.txt > answers.jsonl`

// options are what the flags say.
type options struct {
	dir        *string
	line, json bool
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "tbquery GAME N [POSITION]",
		Short:   "Say what a table knows of a position",
		Long:    long,
		Example: examples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 4 {
				return cli.Usagef("tbquery takes a game, the size of its board and a position; " +
					"an example is: tbquery quixo 4 ..../..../..../.... x")
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return complete(*o.dir, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, &o, args) },
	}
	o.dir = cli.DirFlag(cmd.Flags())
	cmd.Flags().BoolVarP(&o.line, "line", "l", false, "add the main line: best move after best move")
	cmd.Flags().BoolVarP(&o.json, "json", "j", false, "answer in JSON")
	return cmd
}

func run(cmd *cobra.Command, o *options, args []string) error {
	rules, err := newRules(args[0], args[1])
	if err != nil {
		return err
	}
	// An unquoted side to move comes as an argument of its own.
	text := strings.Join(args[2:], " ")
	if len(args) == 2 || text == "-" {
		return answerLines(cmd, o, rules)
	}
	p, err := rules.Parse(text)
	if err != nil {
		return err
	}
	table, err := probe.Open(*o.dir, rules)
	if err != nil {
		return err
	}
	defer table.Close()
	a, err := ask(table, p, o.line)
	if err != nil {
		return err
	}
	if o.json {
		return newEncoder(cmd.OutOrStdout()).Encode(a)
	}
	return writeText(cmd.OutOrStdout(), rules, p, a)
}

// newRules returns the rules that the first two arguments name.
func newRules(name, size string) (game.Rules, error) {
	if _, err := games.Lookup(name); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	n, err := cli.ParseSize(size)
	if err != nil {
		return nil, err
	}
	rules, err := games.New(name, n)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return rules, nil
}

// ask returns what the table says of a position, with the main line if wanted.
func ask(table *probe.Table, p game.Position, line bool) (*probe.Answer, error) {
	a, err := table.Answer(p)
	if err == nil && line {
		a.Line, err = table.Line(p)
	}
	return a, err
}

// newEncoder returns an encoder that writes a line of JSON for each value.
func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// complete returns the games, and then the sizes that have a table.
func complete(dir string, args []string) []string {
	var words []string
	switch len(args) {
	case 0:
		for _, g := range games.All() {
			words = append(words, g.Name+"\t"+g.Summary)
		}
	case 1:
		g, err := games.Lookup(args[0])
		if err != nil {
			return nil
		}
		for n := g.MinSize; n <= g.MaxSize; n++ {
			if _, err := os.Stat(filepath.Join(dir, probe.FileName(g.New(n)))); err == nil {
				words = append(words, strconv.Itoa(n))
			}
		}
	}
	return words
}
