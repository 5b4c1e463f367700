package cli

import (
	"context"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

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
