// Package cli is shared by the programs: start and end, exit statuses, help, boards, tables and flags.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/kernels"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro/generic"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// The exit statuses. A command that a signal stopped ends with 128 plus the
// signal's number, as shells have it: 130 after Ctrl-C, 143 after SIGTERM.
const (
	StatusFailed   = 1 // the work failed, or a check found differences
	StatusUsage    = 2 // the command line or a position is malformed, or --dir is not a directory
	StatusNoTable  = 3 // there is no such table
	StatusBadTable = 4 // the table is damaged, of a newer format, or not a table
	StatusRefused  = 5 // this machine has too little memory or disk space, or no place to write
	StatusRules    = 6 // the rules of your own game are wrong
)

// UsageError is the error of a malformed command line.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a *UsageError with a formatted message.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// UsageUnlessTable returns a *UsageError for an error, unless it is nil or about a table.
func UsageUnlessTable(err error) error {
	if err == nil || errors.As(err, new(*probe.MissingError)) || errors.As(err, new(*tablebase.Error)) {
		return err
	}
	return &UsageError{err}
}

// RefusedError is why this machine cannot do something, found before any work.
type RefusedError struct {
	Err    error
	Others []string // command lines that this machine can do instead
}

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }

// Interrupted is the cause of a context canceled by a signal.
type Interrupted struct{ Signal syscall.Signal }

func (e *Interrupted) Error() string {
	if e.Signal == syscall.SIGINT {
		return "interrupted"
	}
	return fmt.Sprintf("stopped by a signal (%v)", e.Signal)
}

// TableStatus returns the exit status for an error from making, opening, reading or asking a table: the error's own
// if it has one, or StatusFailed for errors that do not concern the table, such as a missing directory.
func TableStatus(err error) int {
	wraps := func(kinds ...error) bool {
		return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	}
	var own interface{ ExitStatus() int }
	table, _ := errors.AsType[*tablebase.Error](err)
	switch {
	case errors.As(err, &own):
		return own.ExitStatus()
	case errors.As(err, new(*RefusedError)), wraps(generic.ErrMemory):
		return StatusRefused
	case wraps(sparse.ErrState):
		return StatusNoTable
	case wraps(generic.ErrRules), errors.As(err, new(*custom.Fault)) && !tablebase.Unusable(err):
		return StatusRules
	case errors.As(err, new(*probe.DirError)), errors.As(err, new(*game.SyntaxError)), errors.As(err, new(*game.IllegalMoveError)), wraps(probe.ErrPosition):
		return StatusUsage
	case wraps(probe.ErrUnknown, partition.ErrNoTables):
		return StatusNoTable
	case wraps(partition.ErrTooLarge):
		return StatusUsage
	case errors.As(err, new(*probe.MissingError)), table != nil && errors.Is(table, fs.ErrNotExist):
		return StatusNoTable
	case tablebase.Unusable(err):
		return StatusBadTable
	}
	return StatusFailed
}

// Main runs a command and ends the process. Errors go to standard error, with a hint on what to do on a line of its own;
// after a *UsageError, which includes cobra's own errors, another line points at --help. The exit status
// is 0, StatusUsage after a *UsageError, 128 plus the signal after an *Interrupted, or else the result of status.
// The commands must have no PersistentPreRun of their own.
func Main(root *cobra.Command, status func(error) int) {
	os.Exit(run(root, status))
}

// heapStep is the step, in bytes, by which the Go runtime's heap grows.
const heapStep = 64 << 20

// checkSpace refuses a limit of address space in which the heap cannot grow: Go would end with a dump.
func checkSpace(limit, taken int64) error {
	if limit == machine.Unknown || limit-taken >= heapStep {
		return nil
	}
	return fmt.Errorf("the address space is limited to %d MiB (ulimit -v), but the program uses %d MiB at its start and needs %d MiB more; raise the limit, and limit memory with --memory or a control group",
		limit>>20, taken>>20, heapStep>>20)
}

func run(root *cobra.Command, status func(error) int) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	root.SilenceUsage, root.SilenceErrors = true, true
	root.Version = Version() + ", kernels " + kernels.Chosen.String()
	root.SetFlagErrorFunc(flagError)
	// Cobra's own errors come before this, errors of the work after it.
	understood := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		understood = true
		return checkFormat(cmd)
	}

	addHelp(root)
	completeInPlainBash(root)
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd) {
		completeValues(root)
	}
	refuseUnknown(root)
	if len(os.Args) == 2 && os.Args[1] == Describe {
		if err := WriteJSON(root.OutOrStdout(), describe(root)); err != nil {
			return StatusFailed
		}
		return 0
	}
	if err := checkSpace(machine.AddressSpace()); err != nil {
		fmt.Fprintf(root.ErrOrStderr(), "error: %v\n", err)
		return StatusRefused
	}
	if kernels.Err != nil {
		fmt.Fprintf(root.ErrOrStderr(), "error: %v\n", kernels.Err)
		return StatusUsage
	}
	cmd, err := execute(ctx, root)
	if err == nil {
		return 0
	}
	// Some work that a signal stops reports only that it was cancelled.
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	}
	if !understood && !errors.As(err, new(*UsageError)) && !errors.As(err, new(*custom.Fault)) {
		err = &UsageError{err}
	}
	fmt.Fprintf(root.ErrOrStderr(), "error: %v\n", err)
	if hint := Remedy(err); hint != "" {
		fmt.Fprintf(root.ErrOrStderr(), "hint: %s\n", hint)
	}
	if errors.As(err, new(*UsageError)) {
		if cmd.Name() == "help" {
			cmd = root
		}
		fmt.Fprintf(root.ErrOrStderr(), "Run '%s --help' for usage.\n", cmd.CommandPath())
		return StatusUsage
	}
	if interrupted, ok := errors.AsType[*Interrupted](err); ok {
		return 128 + int(interrupted.Signal)
	}
	return status(err)
}

// execute runs the command. Rules of a file may be wrong anywhere, which is an error and no crash.
func execute(ctx context.Context, root *cobra.Command) (cmd *cobra.Command, err error) {
	defer custom.Catch(&err)
	cmd = root
	return root.ExecuteContextC(ctx)
}

// untilSignal returns a context that SIGINT or SIGTERM ends with an *Interrupted; a second one ends the process.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&Interrupted{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// version is set by the build, with -ldflags "-X backsolve/cmd/cli.version=…".
var version string

// Version returns the release, the Go version and the platform.
func Version() string {
	return fmt.Sprintf("%s (%s %s/%s)", Release(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Release returns the version set by the build, else the module's version, which has the revision.
func Release() string { return source(debug.ReadBuildInfo()) }

func source(info *debug.BuildInfo, ok bool) string {
	if version != "" || !ok || info.Main.Version == "(devel)" {
		return cmp.Or(version, "devel")
	}
	return cmp.Or(info.Main.Version, "devel")
}
