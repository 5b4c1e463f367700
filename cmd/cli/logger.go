package cli

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// NewLogger returns a logger to standard error, as text on a terminal, else as JSON. Errors include hints.
func NewLogger(cmd *cobra.Command, level slog.Leveler) *slog.Logger {
	w, options := cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(Sentence(err))
		}
		return a
	}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
