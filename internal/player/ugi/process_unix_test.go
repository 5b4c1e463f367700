//go:build unix

package ugi

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What an engine has started ends with it, also when it holds its output open.
func TestNothingIsLeft(t *testing.T) {
	l := patient
	l.Quit = 50 * time.Millisecond
	for _, end := range []func(*engine){
		func(e *engine) { e.Close() },
		func(e *engine) { e.kill() },
	} {
		p, err := newEngine(t, l, "parent", "b2").Begin(1)
		if err != nil {
			t.Fatal(err)
		}
		e := p.(*engine)
		waitFor(t, "its number", func() bool { return e.stderr.String() != "" })
		child, err := strconv.Atoi(e.stderr.String())
		if err != nil {
			t.Fatal(err)
		}
		if !running(child) {
			t.Fatalf("there is no child %d", child)
		}
		end(e)
		waitFor(t, "its end", func() bool { return !running(child) })
		e.Close()
	}
}

// waitFor waits for something that happens in its own time.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// running reports whether a process exists and has not ended, even if nobody has collected its
// status.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil && strings.Contains(string(stat), ") Z ") {
		return false
	}
	return syscall.Kill(pid, 0) == nil
}
