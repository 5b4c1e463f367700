package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// controlGroup makes a control group, of version 1 or 2, with a memory limit in bytes. It
// lasts until the test ends.
func controlGroup(t *testing.T, bytes int64) (dir string) {
	t.Helper()
	const name = "backsolve-test"
	for _, v := range []struct{ dir, limit string }{
		{"/sys/fs/cgroup", "memory.max"},
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	} {
		dir := filepath.Join(v.dir, fmt.Sprint(name, os.Getpid()))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(dir) })
		limit, err := os.OpenFile(filepath.Join(dir, v.limit), os.O_WRONLY, 0) // never makes a file of its own
		if err != nil {
			continue
		}
		_, err = fmt.Fprint(limit, bytes)
		if limit.Close(); err == nil {
			return dir
		}
	}
	t.Skip("no control group with a memory limit can be made here")
	return ""
}

// kills returns how many processes of a group were killed for lack of memory.
func kills(t *testing.T, group string) (n int) {
	t.Helper()
	for _, name := range []string{"memory.events", "memory.oom_control"} {
		f, err := os.Open(filepath.Join(group, name))
		if err != nil {
			continue
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if count, ok := strings.CutPrefix(lines.Text(), "oom_kill "); ok {
				if n, err = strconv.Atoi(count); err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
	}
	t.Fatal("the group does not count kills")
	return 0
}

// A solve in a control group of 80 MiB plans with that, refuses what does not fit, and
// solves what does.
func TestControlGroup(t *testing.T) {
	if os.Getenv("BACKSOLVE_LONG") == "" {
		t.Skip("makes a control group of this machine")
	}
	const limit = 80 << 20
	group, dir := controlGroup(t, limit), t.TempDir()
	inGroup := func(args ...string) (string, error) {
		cmd := tbsolve(t)
		program := filepath.Join(t.TempDir(), "tbsolve") // by this name it knows what to run as
		if err := os.Symlink(cmd.Path, program); err != nil {
			t.Fatal(err)
		}
		const enter = `echo $$ > "$0/cgroup.procs" && exec "$@"`
		within := exec.Command("sh", slices.Concat([]string{"-c", enter, group, program}, args, []string{"--dir", dir})...)
		within.Env = cmd.Env
		out, err := within.CombinedOutput()
		return string(out), err
	}
	out, err := inGroup("quixo", "4", "--plan", "--json")
	allowed := regexp.MustCompile(`"memory_allowed_bytes":([0-9]+)`).FindStringSubmatch(out)
	if err != nil || allowed == nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n, err := strconv.ParseInt(allowed[1], 10, 64); err != nil || n < limit/2 || n > limit/4*3 {
		t.Errorf("%s bytes may be used in a group of %d", allowed[1], limit)
	}
	for _, memory := range [][]string{{"--memory", "1GiB"}, nil} {
		out, err := inGroup(append([]string{"notakto", "6"}, memory...)...)
		if err == nil || !strings.Contains(out, "hint: this machine ") {
			t.Errorf("Notakto 6×6 with %v: %v, %s", memory, err, out)
		}
	}
	for _, args := range [][]string{{"quixo", "4", "--steps"}, {"notakto", "5", "--after", "c3", "--keep", "result"}} {
		if out, err := inGroup(append(args, "--quiet")...); err != nil {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
	if n := kills(t, group); n > 0 {
		t.Errorf("%d processes were killed for lack of memory", n)
	}
}
