package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// Column is a named part of values. Value returns a string, a number, a bool, a list of strings, or nil for no value.
type Column[T any] struct {
	Name     string
	Value    func(v *T) any
	Optional bool // JSON leaves it out where there is no value
}

// Known returns a number, nil if it is not known.
func Known(n int, known bool) any {
	if !known {
		return nil
	}
	return n
}

// Records writes columns of values, one value per line, as CSV, JSON or text with tabs.
type Records[T any] struct {
	columns []Column[T]
	format  string
	out     io.Writer
	csv     *csv.Writer
	texts   []string // of a line
}

// NewRecords returns a writer. In CSV it writes the names of the columns.
func NewRecords[T any](out io.Writer, format string, columns []Column[T]) *Records[T] {
	r := &Records[T]{columns, format, out, csv.NewWriter(out), nil}
	if format == CSV {
		r.Line(func(c Column[T]) any { return c.Name })
		r.Flush() // the next one returns its error, too
	}
	return r
}

// Write writes a value.
func (r *Records[T]) Write(v *T) error {
	if r.format != JSON {
		return r.Line(func(c Column[T]) any { return c.Value(v) })
	}
	var members []string
	for _, c := range r.columns {
		value, text := c.Value(v), new(strings.Builder)
		if value == nil && c.Optional {
			continue
		}
		if err := WriteJSON(text, value); err != nil {
			return err
		}
		members = append(members, fmt.Sprintf("%q:%s", c.Name, strings.TrimSpace(text.String())))
	}
	_, err := fmt.Fprintf(r.out, "{%s}\n", strings.Join(members, ","))
	return err
}

// Line writes a line of CSV or text.
func (r *Records[T]) Line(value func(c Column[T]) any) error {
	r.texts = r.texts[:0]
	for _, c := range r.columns {
		r.texts = append(r.texts, ColumnText(value(c)))
	}
	if r.format == CSV {
		return r.csv.Write(r.texts)
	}
	_, err := io.WriteString(r.out, strings.Join(r.texts, "\t")+"\n")
	return err
}

// Flush writes what is buffered, as CSV is.
func (r *Records[T]) Flush() error {
	if r.format != CSV {
		return nil
	}
	r.csv.Flush()
	return r.csv.Error()
}

// ColumnText returns a value as text: lists separated by spaces, "" for nil.
func ColumnText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(value)
}
