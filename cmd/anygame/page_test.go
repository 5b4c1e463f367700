package anygame

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program of docs/howto/your-game.md is built in a module of its own, and its commands
// do what they should. go mod tidy alone is left out: it may ask the network.
func TestPage(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, filepath.Join(root, "docs", "howto", "your-game.md"))
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(page)
	if block == nil {
		t.Fatal("the page has no commands")
	}
	script := strings.NewReplacer("mkdir ../mygame && cd ../mygame\n", "", "go mod init mygame\n", "", "go mod tidy\n", "",
		"=../backsolve", "="+root).Replace(block[1])
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), strings.Replace(read(t, filepath.Join(root, "go.mod")), "module backsolve", "module mygame", 1))
	write(t, filepath.Join(dir, "go.sum"), read(t, filepath.Join(root, "go.sum")))
	cmd := exec.Command(bash, "-e")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.Bytes())
	}
	for _, want := range []string{"take-21: 1000 random games broke no rule", "states  22, counted\n", "the start is win in 11; 22 states", "\n16    win          9\n", "\n  1. 16  2. "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}
