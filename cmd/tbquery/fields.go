package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/probe"
)

// field is a part of an answer that can be asked for by itself.
type field struct {
	name string
	// of returns a string, a number, a list of strings, or nil where there is none.
	of func(a *probe.Answer) any
}

// allFields are the fields in the order of help.
var allFields = []field{
	{"game", func(a *probe.Answer) any { return a.Game }},
	{"size", func(a *probe.Answer) any { return a.Size }},
	{"position", func(a *probe.Answer) any { return a.Position }},
	{"outcome", func(a *probe.Answer) any { return a.Outcome.String() }},
	{"steps", func(a *probe.Answer) any { return numberOrNil(a.Steps) }},
	{"nimber", nimber},
	{"terminal", func(a *probe.Answer) any { return a.Terminal }},
	{"source", func(a *probe.Answer) any { return string(a.Source) }},
	{"best_move", bestMove},
	{"right_moves", func(a *probe.Answer) any {
		return movesWith(a, func(m probe.Value) bool { return m.Outcome == a.Outcome })
	}},
	{"strict_moves", func(a *probe.Answer) any { return movesWith(a, func(m probe.Value) bool { return m == a.Value }) }},
	{"line", func(a *probe.Answer) any { return lineMoves(a.Line) }},
}

// standardFields are those of CSV where none are asked for.
var standardFields = []string{"position", "outcome", "steps", "best_move"}

func numberOrNil(n int) any {
	if n < 0 {
		return nil
	}
	return n
}

func nimber(a *probe.Answer) any {
	if n, known := a.Nimber.Value(); known {
		return n
	}
	return nil
}

func bestMove(a *probe.Answer) any {
	if len(a.Moves) == 0 {
		return nil
	}
	return a.Moves[0].Move
}

// movesWith returns the moves of some values, the best first.
func movesWith(a *probe.Answer, wanted func(probe.Value) bool) []string {
	moves := []string{}
	for _, m := range a.Moves {
		if wanted(m.Value) {
			moves = append(moves, m.Move)
		}
	}
	return moves
}

func lineMoves(l *probe.Line) any {
	if l == nil {
		return nil
	}
	moves := []string{}
	for _, p := range l.Plies {
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
		i := slices.IndexFunc(allFields, func(f field) bool { return f.name == name })
		if i < 0 {
			return nil, cli.Usagef("there is no field %.40q; --fields takes %s, separated by commas", name, strings.Join(fieldNames(), ", "))
		}
		fields = append(fields, allFields[i])
	}
	return fields, nil
}

// fieldWriter writes the fields of answers, a line each: as CSV, as JSON, or as text
// with tabs between them.
type fieldWriter struct {
	format string
	fields []field
	out    io.Writer
	csv    *csv.Writer
}

// newFieldWriter returns a writer, and writes the names of the fields where CSV has
// them.
func newFieldWriter(out io.Writer, format string, fields []field) (*fieldWriter, error) {
	w := &fieldWriter{format: format, fields: fields, out: out}
	if format != cli.CSV {
		return w, nil
	}
	w.csv = csv.NewWriter(out)
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return w, w.record(names)
}

// write writes the fields of an answer.
func (w *fieldWriter) write(a *probe.Answer) error {
	if w.format == cli.JSON {
		return w.object(a)
	}
	texts := make([]string, len(w.fields))
	for i, f := range w.fields {
		texts[i] = fieldText(f.of(a))
	}
	return w.line(texts)
}

// unanswered writes the line of a position without an answer: the position, where that
// is a field, and nothing else.
func (w *fieldWriter) unanswered(position string) error {
	texts := make([]string, len(w.fields))
	for i, f := range w.fields {
		if f.name == "position" {
			texts[i] = position
		}
	}
	return w.line(texts)
}

func (w *fieldWriter) line(texts []string) error {
	if w.format == cli.CSV {
		return w.record(texts)
	}
	_, err := fmt.Fprintln(w.out, strings.Join(texts, "\t"))
	return err
}

// record writes a record of CSV at once, so that nothing waits for the next one.
func (w *fieldWriter) record(texts []string) error {
	if err := w.csv.Write(texts); err != nil {
		return err
	}
	w.csv.Flush()
	return w.csv.Error()
}

// object writes the fields as a line of JSON, in their order.
func (w *fieldWriter) object(a *probe.Answer) error {
	var b strings.Builder
	for i, f := range w.fields {
		value, err := json.Marshal(f.of(a))
		if err != nil {
			return err
		}
		separator := ","
		if i == 0 {
			separator = "{"
		}
		fmt.Fprintf(&b, "%s%q:%s", separator, f.name, value)
	}
	_, err := io.WriteString(w.out, b.String()+"}\n")
	return err
}

// fieldText writes the value of a field as text: moves with spaces between them, and
// nothing where there is none.
func fieldText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []string:
		return strings.Join(v, " ")
	case int:
		return strconv.Itoa(v)
	}
	return fmt.Sprint(value)
}
