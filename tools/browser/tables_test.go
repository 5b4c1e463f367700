package browser

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// hasty has the page wait a hundredth of the time.
const hasty = `{ const wait = window.setTimeout; window.setTimeout = (work, time) => wait(work, time / 100); }`

// Without tables, the page names the games that can have one, shows a table as soon as the server
// has it, and drops it when it has gone.
func TestTablesComeAndGo(t *testing.T) {
	if _, err := Chromium(); err != nil {
		t.Skip(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("this system has no signals to send to the server")
	}
	dir := t.TempDir()
	s, err := Serve(programs, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	v := visitOn(t, s, "", 1200, 900)
	v.before(hasty)
	v.wait("table-list", "There is no table here yet.")
	names := eval[string](v, `document.querySelector("table-list p.card").textContent`)
	for name, can := range map[string]bool{"quixo": true, "notakto": true, "tictactoe": true, "nim": false, "othello": false, "dawson": false, "uttt": false} {
		if strings.Contains(names, name) != can {
			t.Errorf("%s: there can be tables of it: %v; the page says %q", name, can, names)
		}
	}
	table, err := os.ReadFile(filepath.Join(tables, "notakto-3x3.tb"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "notakto-3x3.tb")
	for _, there := range []bool{true, false} {
		if there {
			err = os.WriteFile(path, table, 0o644)
		} else {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if there {
			v.do(v.tab.Wait(`document.querySelector('table-list a[href="#notakto/3"]')`))
		} else {
			v.wait("table-list", "There is no table here yet.")
		}
	}
}
