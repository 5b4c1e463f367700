// Package grid writes tables, as text or in Markdown.
package grid

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Writer writes a table whose first row names the columns.
type Writer func(w io.Writer, rows [][]string) error

// Text writes columns that are aligned with spaces, the first one to the left.
func Text(w io.Writer, rows [][]string) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(out, strings.Join(row, "\t"))
	}
	return out.Flush()
}

// Markdown writes a table of Markdown whose columns but the first are aligned to
// the right.
func Markdown(w io.Writer, rows [][]string) error {
	for i, row := range rows {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | ")); err != nil {
			return err
		}
		if i == 0 {
			fmt.Fprintln(w, "|---|"+strings.Repeat("---:|", len(row)-1))
		}
	}
	return nil
}
