// Package measure runs programs and measures them.
package measure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
)

// Run runs a program to its end. It returns what the program prints and its processor time in
// seconds, in hundredths. When ctx ends, the program gets an interrupt. The error has the name
// of the program.
func Run(ctx context.Context, stderr io.Writer, program string, args ...string) (printed []byte, seconds float64, err error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", program, err)
	}
	seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return out.Bytes(), math.Round(100*seconds) / 100, nil
}
