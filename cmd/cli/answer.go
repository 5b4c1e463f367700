package cli

import (
	"fmt"
	"strconv"
	"strings"

	"backsolve/probe"
)

// WriteMoves writes the moves of an answer for people, and whether there are
// others. In games that have nimbers these are those after the moves.
func WriteMoves(b *strings.Builder, a *probe.Answer) {
	_, nimbers := a.Nimber.Value()
	b.WriteString("move  outcome  steps")
	if nimbers {
		b.WriteString("  nimber")
	}
	for _, m := range a.Moves {
		fmt.Fprintf(b, "\n%-4s  %-7v  %5s", m.Move, m.Outcome, Steps(m.Value))
		if nimbers {
			fmt.Fprintf(b, "  %6v", m.Nimber)
		}
	}
	b.WriteByte('\n')
	// A pairing is of a game in which every empty cell is a move.
	if a.Partial || a.Source == probe.FromPairing && len(a.Moves) < strings.Count(a.Position, ".") {
		b.WriteString("Of the other moves nothing is known.\n")
	}
}

// Steps writes the steps of a value, a dash where there are none.
func Steps(v probe.Value) string {
	if v.Steps < 0 {
		return "-"
	}
	return strconv.Itoa(v.Steps)
}

// lineWidth is how many columns the moves of a main line may fill.
const lineWidth = 76

// WriteLine writes a main line for people, its moves numbered, and how it ends.
func WriteLine(b *strings.Builder, line *probe.Line) {
	b.WriteString("main line\n")
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
