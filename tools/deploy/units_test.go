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

// systemd accepts the units in docs/howto/cluster-services.md, and rejects a misspelt setting.
func TestUnitsOfDocs(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze")
	}
	page, err := os.ReadFile(filepath.FromSlash(root + "/docs/howto/cluster-services.md"))
	if err != nil {
		t.Fatal(err)
	}
	units := regexp.MustCompile("(?s)```ini\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(units) != 3 {
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
