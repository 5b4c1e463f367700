package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/tablebase"
)

// The operator reads in the log what helps; HTTP clients, who read the error itself, do not.
func TestLogHasRemedies(t *testing.T) {
	broken := &tablebase.Error{Path: "notes.tb", Err: tablebase.ErrForeign}
	var said bytes.Buffer
	cmd := new(cobra.Command)
	cmd.SetErr(&said)
	cli.NewLogger(cmd, slog.LevelInfo).Warn("table broken", "error", broken)
	if want := "not a backsolve table; give the path of a .tb file that tbsolve wrote"; !strings.Contains(said.String(), want) {
		t.Errorf("%q lacks %q", said.String(), want)
	}
}
