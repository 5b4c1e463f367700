package catalog

import (
	"os"
	"strings"
	"testing"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// A table with nimbers is not listed beside the board's other one, whose answers have
// them as soon as it lies there; alone it is the board's table.
func TestNimbers(t *testing.T) {
	dir, rules := newDir(t), probetest.Rules(t, "notakto", 3)
	c, said := open(t, dir)
	wantFiles(t, c, whole)
	said.take()
	wantNimber := func(want bool) {
		t.Helper()
		h := find(t, c, "notakto", 3, "")
		defer h.Release()
		a, err := h.Answerer().Ask(".../.../...", probe.NoLine)
		if err != nil {
			t.Fatal(err)
		}
		if _, known := a.Nimber.Value(); known != want || a.Source != probe.FromTable {
			t.Errorf("nimber %v from the %s", a.Nimber, a.Source)
		}
	}
	wantNimber(false)
	probetest.SolveNimbers(t, dir, rules)
	wantFiles(t, c, whole)
	wantNimber(true)
	if got := said.take(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `msg="table reopened" file=notakto-3x3.tb`) {
		t.Errorf("logged:\n%s", got)
	}
	wantFiles(t, c, whole)
	if got := said.take(); got != "" {
		t.Errorf("logged:\n%s", got)
	}
	remove(t, dir, "notakto-3x3.tb")
	wantFiles(t, c, strings.Replace(whole, "notakto-3x3.tb", "notakto-3x3-grundy.tb", 1))
	wantNimber(true)
	remove(t, dir, "notakto-3x3-grundy.tb")
	wantFiles(t, c, strings.Replace(whole, "notakto-3x3.tb ", "", 1))
	// One that cannot be read takes the board's table away rather than to change what it
	// answers unnoticed.
	solve(t, dir, "notakto", 3, 0)
	if err := os.WriteFile(dir+"/notakto-3x3-grundy.tb", []byte("no table"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, c, strings.Replace(whole, "notakto-3x3.tb", "notakto-3x3.tb!", 1))
	if _, err := c.Find("notakto", 3, ""); err == nil || !strings.Contains(err.Error(), "notakto-3x3-grundy.tb: not a backsolve table") {
		t.Error(err)
	}
	remove(t, dir, "notakto-3x3-grundy.tb")
	wantFiles(t, c, whole)
}
