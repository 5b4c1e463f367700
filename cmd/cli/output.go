package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"backsolve/internal/durable"
)

// WriteJSON writes a value as one line of JSON. HTML characters stay as they are.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// WriteFile is durable.Write, with a *RefusedError where nothing can be written there.
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
	return CountOf(uint64(n), noun, noun+"s")
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

// Rows writes names and values in two columns, when they are flushed.
type Rows struct{ *tabwriter.Writer }

// NewRows returns rows for w.
func NewRows(w io.Writer) Rows { return Rows{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// Add adds a row.
func (r Rows) Add(name, format string, args ...any) {
	fmt.Fprintf(r, "%s\t%s\n", name, fmt.Sprintf(format, args...))
}

// AddStart adds the value of the start position.
func (r Rows) AddStart(outcome string, steps, nimber *int) {
	text := ValueText(outcome, steps) + " for the player to move"
	if nimber != nil {
		text += fmt.Sprintf(", nimber %d", *nimber)
	}
	r.Add("start position", "%s", text)
}

// IsTerminal reports whether a reader or writer is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// UntilSignal runs work that reads input, and returns its error, or the cause of ctx if that
// ends first: nothing else ends a read from a terminal. The work then ends with the process.
func UntilSignal(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// NewLogger returns a logger to standard error, as text on a terminal, else as JSON. Errors include hints.
func NewLogger(cmd *cobra.Command, level slog.Leveler) *slog.Logger {
	w, options := cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(Sentence(err))
		}
		return a
	}}
	if IsTerminal(w) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
