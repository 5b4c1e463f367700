package cli

import (
	"fmt"
	"strconv"
	"strings"

	"backsolve/probe"
)

// WriteMoves writes the moves of an answer as text, with the nimbers and scores after them if
// the game has these, and whether other moves are unknown.
func WriteMoves(b *strings.Builder, a *probe.Answer) {
	_, nimbers := a.Nimber.Value()
	_, scores := a.Score.Value()
	b.WriteString("move  outcome  steps")
	if nimbers {
		b.WriteString("  nimber")
	}
	if scores {
		b.WriteString("  score")
	}
	for _, m := range a.Moves {
		fmt.Fprintf(b, "\n%-4s  %-7v  %5s", m.Move, m.Outcome, Steps(m.Value))
		if nimbers {
			fmt.Fprintf(b, "  %6v", m.Nimber)
		}
		if scores {
			fmt.Fprintf(b, "  %5v", m.Score)
		}
	}
	b.WriteByte('\n')
	// With a pairing every empty cell is a move.
	if a.Partial || a.Source == probe.FromPairing && len(a.Moves) < strings.Count(a.Position, ".") {
		b.WriteString("The other moves are not known.\n")
	}
}

// Steps returns the steps of a value as text, a dash if there are none.
func Steps(v probe.Value) string {
	if v.Steps < 0 {
		return "-"
	}
	return strconv.Itoa(v.Steps)
}

// lineWidth is the width of a main line in columns.
const lineWidth = 76

// WriteLine writes a main line as text, with numbered moves and how it ends.
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
		b.WriteString("Then the first position repeats.\n")
	default:
		fmt.Fprintf(b, "Then the position after move %d repeats.\n", line.Repeats)
	}
}
