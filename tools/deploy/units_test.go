package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// verified returns what systemd has against a unit.
func verified(t *testing.T, unit string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backsolve-test.service")
	if err := os.WriteFile(path, []byte(unit), 0o666); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("systemd-analyze", "verify", path).CombinedOutput()
	if err != nil {
		return string(said) + err.Error()
	}
	return string(said)
}

// systemd accepts the unit of tbserve, whose filter of system calls lets tbserve take rights from
// the solver of jobs, as internal/server/jobs does it, and keeps others of their groups.
func TestUnitOfServer(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze")
	}
	unit, err := os.ReadFile(filepath.FromSlash(root + "/cmd/tbserve/systemd/tbserve.service"))
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllString(string(unit), "ExecStart=/bin/true")
	if says := verified(t, strings.ReplaceAll(text, "tbserve.socket", "dbus.socket")); says != "" {
		t.Error(says)
	}
	allowed := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^SystemCallFilter=(~?)(.*)`).FindAllStringSubmatch(text, -1) {
		for name := range strings.FieldsSeq(line[2]) {
			for _, call := range callsOf(t, name) {
				allowed[call] = line[1] == ""
			}
		}
	}
	for _, call := range []string{"setpriority", "prlimit64", "prctl", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "execve", "capget", "setpgid"} {
		if !allowed[call] {
			t.Errorf("%s is refused", call)
		}
	}
	for _, call := range []string{"sched_setscheduler", "setrlimit", "mount", "capset", "bpf"} {
		if allowed[call] {
			t.Errorf("%s is allowed", call)
		}
	}
}

// callsOf returns the system calls of a group, or the one of that name.
func callsOf(t *testing.T, name string) (calls []string) {
	t.Helper()
	if name[0] != '@' {
		return []string{name}
	}
	group, err := exec.Command("systemd-analyze", "syscall-filter", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(group), "\n")[1:] {
		if word := strings.TrimSpace(line); word != "" && word[0] != '#' {
			calls = append(calls, callsOf(t, word)...)
		}
	}
	return calls
}

// systemd accepts the units in docs/howto, and rejects a misspelt setting.
func TestUnitsOfDocs(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze")
	}
	var units [][]string
	for _, name := range []string{"cluster-services.md", "batch.md"} {
		page, err := os.ReadFile(filepath.FromSlash(root + "/docs/howto/" + name))
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, regexp.MustCompile("(?s)```ini\n(.*?)```").FindAllStringSubmatch(string(page), -1)...)
	}
	if len(units) != 4 {
		t.Errorf("there are %d units", len(units))
	}
	program := regexp.MustCompile(`(?m)^ExecStart=\S+`) // which is not here
	for _, unit := range units {
		text := program.ReplaceAllString(unit[1], "ExecStart=/bin/true")
		if says := verified(t, text); says != "" {
			t.Errorf("%s\nin\n%s", says, text)
		}
		if says := verified(t, strings.Replace(text, "\nRestart=", "\nRestarts=", 1)); !strings.Contains(says, "Restarts") {
			t.Errorf("a misspelt setting is taken: %q", says)
		}
	}
}
