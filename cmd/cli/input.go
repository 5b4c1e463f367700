package cli

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether r is a terminal.
func IsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
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
