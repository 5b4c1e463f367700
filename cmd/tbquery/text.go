package main

import (
	"fmt"
	"io"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/probe"
)

// writeText writes an answer as text: a diagram of the position, the board, the value, the
// moves and the main line.
func writeText(w io.Writer, diagram, board string, a *probe.Answer) error {
	var b strings.Builder
	b.WriteString(diagram)
	b.WriteString("\n" + board)
	if _, side, ok := strings.Cut(a.Position, " "); ok {
		side, _, _ = strings.Cut(side, " ") // what else follows is for the rules alone
		fmt.Fprintf(&b, ", %s to move", side)
	}
	fmt.Fprintf(&b, "\noutcome  %v\nsteps    %s\n", a.Outcome, cli.Steps(a.Value))
	if n, known := a.Nimber.Value(); known {
		fmt.Fprintf(&b, "nimber   %d\n", n)
	}
	if _, known := a.Score.Value(); known {
		fmt.Fprintf(&b, "score    %v\n", a.Score)
	}
	if a.Source != probe.FromTable {
		fmt.Fprintf(&b, "source   %s\n", a.Source)
	}
	if a.Terminal {
		b.WriteString("\nThe game is over.\n")
	} else {
		b.WriteByte('\n')
		cli.WriteMoves(&b, a)
	}
	if a.Line != nil && !a.Terminal {
		b.WriteByte('\n')
		cli.WriteLine(&b, a.Line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
