package querying

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/probe"
)

// field is a part of an answer that --fields can select.
type field struct {
	name string
	// of returns a string, a number, a bool, a list of strings, or nil if there is no value.
	of func(a *probe.Answer) any
}

// allFields are the fields in the order of help.
var allFields = []field{
	{"game", func(a *probe.Answer) any { return a.Game }},
	{"size", func(a *probe.Answer) any { return game.Size(a.Size) }},
	{"position", func(a *probe.Answer) any { return a.Position }},
	{"outcome", func(a *probe.Answer) any { return a.Outcome.String() }},
	{"steps", func(a *probe.Answer) any { return ifKnown(a.Steps, a.Steps >= 0) }},
	{"nimber", func(a *probe.Answer) any { return ifKnown(a.Nimber.Value()) }},
	{"score", func(a *probe.Answer) any { return ifKnown(a.Score.Value()) }},
	{"terminal", func(a *probe.Answer) any { return a.Terminal }},
	{"source", func(a *probe.Answer) any { return string(a.Source) }},
	{"best_move", bestMove},
	{"right_moves", func(a *probe.Answer) any {
		return movesWith(a, func(m probe.Value) bool { return m.Outcome == a.Outcome })
	}},
	{"strict_moves", func(a *probe.Answer) any { return movesWith(a, func(m probe.Value) bool { return m == a.Value }) }},
	{"line", lineMoves},
}

// standardFields are the default fields of CSV.
var standardFields = []string{"position", "outcome", "steps", "best_move"}

// ifKnown returns a number, nil if it is not known.
func ifKnown(n int, known bool) any {
	if !known {
		return nil
	}
	return n
}

func bestMove(a *probe.Answer) any {
	if len(a.Moves) == 0 {
		return nil
	}
	return a.Moves[0].Move
}

// movesWith returns the moves with a wanted value, best first.
func movesWith(a *probe.Answer, wanted func(probe.Value) bool) []string {
	moves := []string{}
	for _, m := range a.Moves {
		if wanted(m.Value) {
			moves = append(moves, m.Move)
		}
	}
	return moves
}

func lineMoves(a *probe.Answer) any {
	if a.Line == nil {
		return nil
	}
	moves := []string{}
	for _, p := range a.Line.Plies {
		moves = append(moves, p.Move)
	}
	return moves
}

// fieldNames returns the names of all fields.
func fieldNames() (names []string) {
	for _, f := range allFields {
		names = append(names, f.name)
	}
	return names
}

// chooseFields returns the fields of some names. The error is a *cli.UsageError.
func chooseFields(names []string) (fields []field, err error) {
	for _, name := range names {
		i := slices.Index(fieldNames(), name)
		if i < 0 {
			return nil, cli.Usagef("there is no field %.40q; --fields takes %s, separated by commas", name, strings.Join(fieldNames(), ", "))
		}
		fields = append(fields, allFields[i])
	}
	return fields, nil
}

// fieldWriter writes fields of answers, one answer a line: as CSV, JSON or text with tabs.
type fieldWriter struct {
	format string
	fields []field
	out    io.Writer
	csv    *csv.Writer
}

// newFieldWriter returns a writer. In CSV it writes the names of the fields.
func newFieldWriter(out io.Writer, format string, fields []field) (*fieldWriter, error) {
	w := &fieldWriter{format, fields, out, csv.NewWriter(out)}
	if format != cli.CSV {
		return w, nil
	}
	return w, w.line(func(f field) any { return f.name })
}

// write writes the fields of an answer.
func (w *fieldWriter) write(a *probe.Answer) error {
	if w.format == cli.JSON {
		return w.object(a)
	}
	return w.line(func(f field) any { return f.of(a) })
}

// unanswered writes the line of a position without an answer: only the position.
func (w *fieldWriter) unanswered(position string) error {
	return w.line(func(f field) any {
		if f.name == "position" {
			return position
		}
		return nil
	})
}

// line writes a line of CSV or text, at once, so that nothing waits for the next one.
func (w *fieldWriter) line(value func(f field) any) error {
	texts := make([]string, len(w.fields))
	for i, f := range w.fields {
		texts[i] = fieldText(value(f))
	}
	if w.format == cli.CSV {
		w.csv.Write(texts)
		w.csv.Flush()
		return w.csv.Error()
	}
	_, err := fmt.Fprintln(w.out, strings.Join(texts, "\t"))
	return err
}

// object writes the fields as a line of JSON, in their order.
func (w *fieldWriter) object(a *probe.Answer) error {
	members := make([]string, len(w.fields))
	for i, f := range w.fields {
		var value strings.Builder
		if err := cli.WriteJSON(&value, f.of(a)); err != nil {
			return err
		}
		members[i] = fmt.Sprintf("%q:%s", f.name, strings.TrimSpace(value.String()))
	}
	_, err := fmt.Fprintf(w.out, "{%s}\n", strings.Join(members, ","))
	return err
}

// fieldText returns the value of a field as text: moves separated by spaces, "" for nil.
func fieldText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(value)
}
