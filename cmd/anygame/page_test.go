package anygame

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"backsolve"
	"backsolve/game/holestest"
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
	page, _, _ := strings.Cut(read(t, filepath.Join(root, "docs", "howto", "your-game.md")), "## In any language")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("the page has %d blocks of commands", len(blocks))
	}
	script := strings.NewReplacer("mkdir ../mygame && cd ../mygame\n", "", "go mod init mygame\n", "", "go mod tidy\n", "",
		"=../backsolve", "="+root).Replace(blocks[0][1])
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
	for _, want := range []string{"take-21: 1,000 random games broke no rule", "states            22, counted\n", "start position  win in 11 for the player to move", "\n16    win          9\n", "\n  1. 16  2. "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	served(t, dir, blocks[1][1])
}

// served runs the command that serves the tables in a directory, and asks it.
func served(t *testing.T, dir, command string) {
	words := strings.Fields(command)
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, words[0]), append(words[1:], "--listen", "127.0.0.1:0")...)
	cmd.Dir = dir
	messages, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	line, err := bufio.NewReader(messages).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), " are at ")
	if err != nil || !ok {
		t.Fatalf("it says %q: %v", line, err)
	}
	for path, want := range map[string]string{
		"": "<!doctype html>", "v1/games": `"name":"take-21"`, "v1/tables": `"file":"take-21.tb"`,
		"v1/take-21/1/position?p=18": `"outcome":"win","steps":9,`, "v1/take-21/1/move?p=startpos&policy=shortest": `"position":"20 o"`,
	} {
		answer, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s is answered by %d, %.200s: %v; want %s", path, answer.StatusCode, body, err, want)
		}
	}
}

// A program plays by the table for another that speaks UGI.
func TestUGI(t *testing.T) {
	dir := t.TempDir()
	game := New(holestest.Game{})
	table, err := backsolve.SolveGame[holestest.State](t.Context(), dir, holestest.Game{}, backsolve.Options{Steps: true})
	if err != nil {
		t.Fatal(err)
	}
	table.Close()
	cmd, err := newProgram("mygame", game)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.SetArgs([]string{"play", "nine-holes", "--ugi", "--dir", dir})
	cmd.SetIn(strings.NewReader("ugi\nposition startpos moves a1 a2 b1\nquery value\ngo\nquery p1turn\nposition startpos moves z9\nquit\n"))
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"id name backsolve nine-holes\n", "response draw\n", "bestmove c1\n", "response false\n", `error: move 1: the move "z9" is not legal`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
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
