package cli

import (
	"fmt"
	"io"
	"math/big"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// BytesText returns an amount of memory or disk space as text.
func BytesText(bytes int64) string { return humanize.IBytes(uint64(bytes)) }

// CountText returns a number with commas.
func CountText(n uint64) string { return humanize.BigComma(new(big.Int).SetUint64(n)) }

// CountOf returns a number of things: 1 state, 2 states.
func CountOf(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return CountText(n) + " " + many
}

// Share returns a number and its percentage.
func Share(n, all uint64) string {
	return fmt.Sprintf("%s (%.1f %%)", CountText(n), 100*float64(n)/float64(all))
}

// ValueText returns an outcome with its steps, if any.
func ValueText(outcome string, steps *int) string {
	if steps == nil {
		return outcome
	}
	return fmt.Sprintf("%s in %d", outcome, *steps)
}

// Rows writes names and values in two columns.
type Rows struct{ out *tabwriter.Writer }

// NewRows returns rows that are written to w when they are flushed.
func NewRows(w io.Writer) Rows { return Rows{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// Add adds a row.
func (r Rows) Add(name, format string, args ...any) {
	fmt.Fprintf(r.out, "%s\t%s\n", name, fmt.Sprintf(format, args...))
}

// AddStart adds the value of the start position.
func (r Rows) AddStart(outcome string, steps, nimber *int) {
	text := ValueText(outcome, steps) + " for the player to move"
	if nimber != nil {
		text += fmt.Sprintf(", nimber %d", *nimber)
	}
	r.Add("start position", "%s", text)
}

// Flush writes the rows.
func (r Rows) Flush() error { return r.out.Flush() }
