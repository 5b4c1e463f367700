package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

func TestRunStatus(t *testing.T) {
	failure := errors.New("it failed")
	for _, c := range []struct {
		name   string
		args   []string
		err    error
		status int
		stderr string
	}{
		{"done", []string{"work"}, nil, 0, ""},
		{"failed", []string{"work"}, failure, 7, "error: it failed\n"},
		{"usage", []string{"work"}, Usagef("no %s", "thanks"), 2, "error: no thanks\nRun 'tool work --help' for usage.\n"},
		{"flag", []string{"work", "--nonsense"}, nil, 2, "error: unknown flag: --nonsense\nRun 'tool work --help' for usage.\n"},
		{"help", []string{"help", "--nonsense"}, nil, 2, "error: unknown flag: --nonsense\nRun 'tool --help' for usage.\n"},
		{"interrupt", []string{"work"}, fmt.Errorf("%w; go on", &Interrupted{syscall.SIGINT}), 130, "error: interrupted; go on\n"},
		{"terminate", []string{"work"}, &Interrupted{syscall.SIGTERM}, 143, "error: stopped by a signal (terminated)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := &cobra.Command{Use: "tool"}
			root.AddCommand(&cobra.Command{Use: "work", RunE: func(*cobra.Command, []string) error { return c.err }})
			var stderr bytes.Buffer
			root.SetArgs(c.args)
			root.SetErr(&stderr)
			got := run(root, func(err error) int {
				if !errors.Is(err, failure) {
					t.Errorf("asked for the status of %v", err)
				}
				return 7
			})
			if got != c.status || stderr.String() != c.stderr {
				t.Errorf("status %d and %q, want %d and %q", got, stderr.String(), c.status, c.stderr)
			}
		})
	}
}

func TestUntilSignal(t *testing.T) {
	ctx, stop := untilSignal(context.Background())
	stop()
	<-ctx.Done()
	if cause := context.Cause(ctx); cause != context.Canceled {
		t.Errorf("stopped with cause %v", cause)
	}
}

func TestUntilSignalEnds(t *testing.T) {
	failure, enough := errors.New("it failed"), errors.New("enough")
	if err := UntilSignal(t.Context(), func() error { return failure }); err != failure {
		t.Errorf("work that fails: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	read := make(chan error)
	defer close(read)
	err := UntilSignal(ctx, func() error {
		cancel(enough)
		return <-read
	})
	if err != enough {
		t.Errorf("work that waits: %v", err)
	}
}

func TestTableStatus(t *testing.T) {
	for err, want := range map[error]int{
		fs.ErrNotExist:         3,
		tablebase.ErrForeign:   4,
		tablebase.ErrTruncated: 4,
		tablebase.ErrDamaged:   4,
		tablebase.ErrNewer:     4,
		fs.ErrPermission:       1,
	} {
		if got := TableStatus(&tablebase.Error{Path: "x.tb", Err: err}); got != want {
			t.Errorf("%v: status %d, want %d", err, got, want)
		}
	}
	board := game.Info{Name: "quixo", Size: 4}
	if got := TableStatus(fmt.Errorf("it is missed: %w", probe.Missing("tables", board, 0, nil))); got != 3 {
		t.Errorf("a table that is missing: status %d", got)
	}
	if _, err := os.ReadFile(filepath.Join(t.TempDir(), "nothing")); TableStatus(err) != 1 {
		t.Errorf("another file that is missing: status %d", TableStatus(err))
	}
}

func TestSource(t *testing.T) {
	build := func(main string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: main}} }
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "devel"},
		{build("v1.2.3"), "v1.2.3"},
		{build("(devel)"), "devel"},
		{build("v0.0.0-20261129061220-6273e1fc100b+dirty"), "v0.0.0-20261129061220-6273e1fc100b+dirty"},
		{build(""), "devel"},
	} {
		if got := source(c.info, c.info != nil); got != c.want {
			t.Errorf("%+v: %s, want %s", c.info, got, c.want)
		}
	}
}

func TestDirFlag(t *testing.T) {
	dir := func(environment string, args ...string) string {
		t.Setenv("BACKSOLVE_TABLES", environment)
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		dir := DirFlag(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		return *dir
	}
	if got := dir(""); got != "tables" {
		t.Errorf("default %q", got)
	}
	if got := dir("elsewhere"); got != "elsewhere" {
		t.Errorf("from the environment %q", got)
	}
	if got := dir("elsewhere", "--dir", "here"); got != "here" {
		t.Errorf("from the flag %q", got)
	}
}

func TestParseSize(t *testing.T) {
	cmd := &cobra.Command{}
	DirFlag(cmd.Flags())
	for board, want := range map[string]int{"quixo 4": 4, "quixo:4": 4, "nim 1-3-5": 3, "notakto 3+3": 2} {
		if b, _, err := Board(cmd, strings.Fields(board), ""); err != nil || b.Info().Size != want {
			t.Errorf("%s is %v, %v", board, b, err)
		}
	}
	for _, text := range []string{"", "four", "x4", "04x4", "4x5,", "4x5,six,six", "4,torus", "99999999999999999999"} {
		var usage *UsageError
		if _, _, err := Board(cmd, []string{"quixo", text}, ""); !errors.As(err, &usage) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
