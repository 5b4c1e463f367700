package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"backsolve/game"
	"backsolve/internal/probe"
)

// WriteAnswer writes an answer as text: a diagram of the position, the board, the value, the moves and the main line.
func WriteAnswer(w io.Writer, rules game.Rules, s game.State, a *probe.Answer) error {
	var b strings.Builder
	b.WriteString(rules.Diagram(s))
	b.WriteString("\n" + rules.Info().String())
	_, words, _ := strings.Cut(a.Position, " ") // besides the side, only the rules know what they mean
	if side := rules.Turn(s).String(); slices.Contains(strings.Fields(words), side) {
		fmt.Fprintf(&b, ", %s to move", side)
	}
	fmt.Fprintf(&b, "\noutcome  %v\nsteps    %s\n", a.Outcome, Steps(a.Value))
	if n, known := a.Nimber.Value(); known {
		fmt.Fprintf(&b, "nimber   %d\n", n)
	}
	if _, known := a.Score.Value(); known {
		fmt.Fprintf(&b, "score    %s\n", a.Score.Signed())
	}
	if a.Source != probe.FromTable {
		fmt.Fprintf(&b, "source   %s\n", a.Source)
	}
	if a.Terminal {
		b.WriteString("\nThe game is over.\n")
	} else {
		b.WriteByte('\n')
		WriteMoves(&b, a)
	}
	if a.Line != nil && !a.Terminal {
		b.WriteByte('\n')
		WriteLine(&b, a.Line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMoves writes the moves of an answer as text, with nimbers and scores if there are some, and if others are unknown.
func WriteMoves(b *strings.Builder, a *probe.Answer) {
	_, nimbers := a.Nimber.Value()
	_, scores := a.Score.Value()
	width := len("move")
	for _, m := range a.Moves {
		width = max(width, utf8.RuneCountInString(m.Move))
	}
	fmt.Fprintf(b, "%-*s  outcome  steps", width, "move")
	if nimbers {
		b.WriteString("  nimber")
	}
	if scores {
		b.WriteString("  score")
	}
	for _, m := range a.Moves {
		fmt.Fprintf(b, "\n%-*s  %-7v  %5s", width, m.Move, m.Outcome, Steps(m.Value))
		if nimbers {
			fmt.Fprintf(b, "  %6v", m.Nimber)
		}
		if scores {
			fmt.Fprintf(b, "  %5s", m.Score.Signed())
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

const lineWidth = 76 // columns

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
	switch {
	case line.Truncated:
		b.WriteString("No further move is known.\n")
	case line.Repeats < 0:
		b.WriteString("Then the game is over.\n")
	case line.Repeats == 0:
		b.WriteString("Then the first position repeats.\n")
	default:
		fmt.Fprintf(b, "Then the position after move %d repeats.\n", line.Repeats)
	}
}
