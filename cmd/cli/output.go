package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"backsolve/internal/durable"
)

// WriteJSON writes a value as one line of JSON. HTML characters stay as they are.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// WriteFile creates or replaces a file; see durable.Write. The error is a *RefusedError where
// nothing can be written there.
func WriteFile(path string, write func(*os.File) error) error {
	begun := false
	err := durable.Write(path, func(f *os.File) error {
		begun = true
		return write(f)
	})
	if err != nil && !begun && !errors.Is(err, durable.ErrHeld) {
		return &RefusedError{Err: err}
	}
	return err
}

// WriteGrid writes rows in columns; flags are 0 or tabwriter.AlignRight.
func WriteGrid(w io.Writer, flags uint, rows [][]string) error {
	end := "\n"
	if flags&tabwriter.AlignRight != 0 {
		end = "\t\n"
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', flags)
	for _, row := range rows {
		fmt.Fprint(out, strings.Join(row, "\t")+end)
	}
	return out.Flush()
}

// Markdown returns rows as a Markdown table. The first row names the columns; first and
// others are the dashes that align the first column and the others: --- or ---:.
func Markdown(rows [][]string, first, others string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + first + "|" + strings.Repeat(others+"|", len(row)-1) + "\n")
		}
	}
	return b.String()
}

// Plural returns a number with its noun: 1 game, 3 games.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// SecondsText returns seconds with three digits, in a suitable unit.
func SecondsText(s float64) string {
	d := time.Duration(s * float64(time.Second))
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
