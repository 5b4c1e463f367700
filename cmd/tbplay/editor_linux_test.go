package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a terminal, at which somebody sits.
type terminal struct {
	t *testing.T
	// keyboard is where what is typed is written, and what is shown is read.
	keyboard *os.File
	// program is the end that a program has.
	program *os.File
	shown   string // since the last awaited text
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	fd := int(keyboard.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return &terminal{t: t, keyboard: keyboard, program: program}
}

// start starts tbplay at the terminal.
func (x *terminal) start(args ...string) *exec.Cmd {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), time.Minute)
	x.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "tbplay", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = x.program, x.program, x.program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	return cmd
}

// await reads until a text is shown, for a minute at most.
func (x *terminal) await(text string) {
	x.t.Helper()
	buffer := make([]byte, 1<<12)
	for {
		if _, rest, ok := strings.Cut(x.shown, text); ok {
			x.shown = rest
			return
		}
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(x.keyboard.Fd()), Events: unix.POLLIN}}, 60_000); err == unix.EINTR {
			continue
		} else if n == 0 {
			x.t.Fatalf("%q is not shown after %q", text, x.shown)
		}
		n, err := x.keyboard.Read(buffer)
		if err != nil {
			x.t.Fatalf("%v after %q", err, x.shown)
		}
		x.shown += string(buffer[:n])
	}
}

// presses types keys.
func (x *terminal) presses(keys string) {
	x.t.Helper()
	if _, err := x.keyboard.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// modes are what the terminal does by itself, such as echoing what is typed.
func (x *terminal) modes() unix.Termios {
	x.t.Helper()
	modes, err := unix.IoctlGetTermios(int(x.program.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	return *modes
}

// The keys of a line editor.
const (
	enter = "\r"
	up    = "\x1b[A"
	left  = "\x1b[D"
	tab   = "\t"
	ctrlC = "\x03"
	ctrlD = "\x04"
)

// Lines are edited, called back and completed.
func TestLineEditor(t *testing.T) {
	x := newTerminal(t)
	before := x.modes()
	cmd := x.start("notakto", "8")
	x.await("first> ")
	x.presses("vaue" + left + left + "l" + enter) // value
	x.await("first to move: lose")
	x.await("first> ")
	x.presses("side both" + enter)
	x.await("You play both.")
	x.await("first> ")
	x.presses(up + up + enter)
	x.await("first to move: lose")
	x.await("first> ")
	x.presses("und" + tab + " 7" + enter)
	x.await("the game has 0 plies so far; type new to start again")
	x.await("first> ")
	x.presses("exi" + tab + enter)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if after := x.modes(); after != before {
		t.Errorf("the terminal was left as %+v, and was %+v", after, before)
	}
}

// However the program ends, it leaves the terminal as it was.
func TestTerminalIsRestored(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(x *terminal, cmd *exec.Cmd)
		status int
	}{
		{"Ctrl-C", func(x *terminal, _ *exec.Cmd) { x.presses(ctrlC) }, 130},
		{"Ctrl-D", func(x *terminal, _ *exec.Cmd) { x.presses(ctrlD) }, 0},
		{"SIGTERM", func(_ *terminal, cmd *exec.Cmd) { cmd.Process.Signal(syscall.SIGTERM) }, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTerminal(t)
			before := x.modes()
			cmd := x.start("notakto", "8")
			x.await("first> ")
			x.presses("value" + enter)
			x.await("first to move: lose")
			x.await("first> ")
			c.end(x, cmd)
			if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
			if after := x.modes(); after != before {
				t.Errorf("the terminal was left as %+v, and was %+v", after, before)
			}
		})
	}
}
