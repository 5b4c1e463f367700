package cli

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether somebody types what is read from r.
func IsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// UntilSignal does work that reads, and returns its error; or the cause of ctx
// where that ends first, as nothing else ends a read from a terminal. The work goes
// on then, and ends with the process.
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
