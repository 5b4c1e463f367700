package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"backsolve/probe"
)

// writeText writes an answer for people: the board, its value, the moves and the
// main line.
func writeText(w io.Writer, diagram string, a *probe.Answer) error {
	var b strings.Builder
	b.WriteString(diagram)
	fmt.Fprintf(&b, "\n%s %d×%d", a.Game, a.Size, a.Size)
	if _, side, ok := strings.Cut(a.Position, " "); ok {
		fmt.Fprintf(&b, ", %s to move", side)
	}
	fmt.Fprintf(&b, "\noutcome  %v\nsteps    %s\n", a.Outcome, steps(a.Value))
	if a.Source != probe.FromTable {
		fmt.Fprintf(&b, "source   %s\n", a.Source)
	}
	if a.Terminal {
		b.WriteString("\nThe game is over.\n")
	} else {
		writeMoves(&b, a)
	}
	if a.Line != nil && !a.Terminal {
		writeLine(&b, a.Line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMoves writes the moves, and whether there are others.
func writeMoves(b *strings.Builder, a *probe.Answer) {
	b.WriteString("\nmove  outcome  steps\n")
	for _, m := range a.Moves {
		fmt.Fprintf(b, "%-4s  %-7v  %5s\n", m.Move, m.Outcome, steps(m.Value))
	}
	// A pairing is of a game in which every empty cell is a move.
	if a.Source == probe.FromPairing && len(a.Moves) < strings.Count(a.Position, ".") {
		b.WriteString("Of the other moves nothing is known.\n")
	}
}

// steps writes the steps of a value, a dash where there are none.
func steps(v probe.Value) string {
	if v.Steps < 0 {
		return "-"
	}
	return strconv.Itoa(v.Steps)
}

// lineWidth is how many columns the moves of a main line may fill.
const lineWidth = 76

// writeLine writes the main line, its moves numbered, and how it ends.
func writeLine(b *strings.Builder, line *probe.Line) {
	b.WriteString("\nmain line\n")
	width := 0
	for i, p := range line.Plies {
		word := fmt.Sprintf("  %d. %s", i+1, p.Move)
		if width+len(word) > lineWidth {
			b.WriteByte('\n')
			width = 0
		}
		b.WriteString(word)
		width += len(word)
	}
	b.WriteByte('\n')
	switch line.Repeats {
	case -1:
		b.WriteString("Then the game is over.\n")
	case 0:
		b.WriteString("Then the position asked about stands again.\n")
	default:
		fmt.Fprintf(b, "Then the position after move %d stands again.\n", line.Repeats)
	}
}
