package anygame

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/probe"
)

func (c *commands) play() *cobra.Command {
	var second, asUGI bool
	cmd := c.opened("play GAME [POSITION]", "Play against the table, a move a line", math.MaxInt-1, func(cmd *cobra.Command, t *probe.Sparse, args []string) error {
		if asUGI {
			return cli.UntilSignal(cmd.Context(), func() error { return playUGI(cmd.Context(), t, cmd.InOrStdin(), cmd.OutOrStdout()) })
		}
		return play(t, position(args), !second, cmd.InOrStdin(), cmd.OutOrStdout())
	})
	cmd.Flags().BoolVar(&asUGI, "ugi", false, "speak UGI, the protocol of match runners, as tbplay does")
	cmd.Flags().BoolVar(&second, "second", false, "let the table begin")
	return cmd
}

// play lets a person and the table move in turn until the game is over.
func play(t *probe.Sparse, position string, person bool, in io.Reader, w io.Writer) error {
	lines := bufio.NewScanner(in)
	for ; ; person = !person {
		a, err := t.Ask(position, probe.NoLine)
		if err != nil {
			return err
		}
		diagram, err := t.Diagram(position)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, diagram)
		if a.Terminal {
			fmt.Fprintln(w, ended(a.Outcome, person))
			return nil
		}
		chosen := a.Moves[0]
		if person {
			var ok bool
			if chosen, ok = ask(a.Moves, lines, w); !ok {
				return lines.Err()
			}
		}
		fmt.Fprintln(w, chosen.Move)
		position = chosen.Position
	}
}

// ended says how a game has ended for a person, who is to move or not.
func ended(outcome game.Outcome, person bool) string {
	switch {
	case outcome == game.Draw:
		return "It is a draw."
	case (outcome == game.Win) == person:
		return "You have won."
	}
	return "The table has won."
}

// ask reads a move until there is a legal one, and returns false at the end of the input.
func ask(moves []probe.Move, lines *bufio.Scanner, w io.Writer) (probe.Move, bool) {
	for {
		fmt.Fprint(w, "your move: ")
		if !lines.Scan() {
			return probe.Move{}, false
		}
		var names []string
		for _, m := range moves {
			if m.Move == strings.TrimSpace(lines.Text()) {
				return m, true
			}
			names = append(names, m.Move)
		}
		fmt.Fprintf(w, "there is no such move; there are %s\n", strings.Join(names, ", "))
	}
}
