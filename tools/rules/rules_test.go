// Package rules builds the templates of rules in other languages, and solves them.
package rules

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const (
	root      = "../.."
	templates = root + "/game/examples"
	asc       = "node_modules/.bin/asc"
)

// programs returns the directory of tbsolve, tbquery and tbserve.
func programs(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("BACKSOLVE_BIN"); given != "" {
		return given
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "backsolve/cmd/tbsolve", "backsolve/cmd/tbquery", "backsolve/cmd/tbserve").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// output runs a program and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v: %s%s", name, strings.Join(args, " "), err, out, said.Bytes())
	}
	return string(out)
}

// rustc returns the compiler that can make WebAssembly, "" for none.
func rustc() string {
	for _, name := range []string{"rustc", "/usr/bin/rustc"} {
		sysroot, err := exec.Command(name, "--print", "sysroot").Output()
		if _, missing := os.Stat(filepath.Join(strings.TrimSpace(string(sysroot)), "lib/rustlib/wasm32-unknown-unknown")); err == nil && missing == nil {
			return name
		}
	}
	return ""
}

// The same game in Go, C, AssemblyScript and Rust makes the same table.
func TestTemplates(t *testing.T) {
	bin, dir := programs(t), t.TempDir()
	tbsolve := filepath.Join(bin, "tbsolve")
	solved := func(board, tables string) (identity string) {
		output(t, tbsolve, board, "--dir", tables, "--quiet")
		return regexp.MustCompile(`"identity":"\w+"`).FindString(output(t, tbsolve, "info", board, "--dir", tables, "--json"))
	}
	want := solved("connect4-4x4", filepath.Join(dir, "go"))
	for language, compile := range map[string][]string{
		"c":              {"clang", "--target=wasm32", "-O3", "-Wall", "-Werror", "-nostdlib", "-Wl,--no-entry", templates + "/c/connect4.c", "-o"},
		"assemblyscript": {asc, templates + "/assemblyscript/connect4.ts", "-O3", "--runtime", "stub", "--use", "abort=", "-o"},
		"rust":           {rustc(), "--edition", "2021", "--target", "wasm32-unknown-unknown", "--crate-type", "cdylib", "-O", "-C", "strip=symbols", templates + "/rust/connect4.rs", "-o"},
	} {
		t.Run(language, func(t *testing.T) {
			if _, err := exec.LookPath(compile[0]); err != nil {
				t.Skip("there is no compiler: ", err)
			}
			if _, err := exec.LookPath("wasm-ld"); err != nil && language == "c" {
				t.Skip("there is no linker: ", err)
			}
			rules := filepath.Join(dir, language+".wasm")
			output(t, compile[0], append(compile[1:], rules)...)
			if out := output(t, tbsolve, "rules", rules); !strings.Contains(out, "broke no rule") {
				t.Error(out)
			}
			if got := solved(rules, filepath.Join(dir, language)); got != want || got == "" {
				t.Errorf("the table has the %s, that of the rules in Go %s", got, want)
			}
		})
	}
}

// What docs/howto/your-game.md says from a text editor to the browser works.
func TestPage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no bash")
	}
	if _, err := os.Stat(asc); err != nil {
		t.Skip("there is no AssemblyScript: npm ci -C tools/rules")
	}
	page, err := os.ReadFile(root + "/docs/howto/your-game.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)## In any language\n.*?```sh\n(.*?)```").FindSubmatch(page)
	script, serve, ok := strings.Cut(string(block[1]), "tbserve")
	if !ok {
		t.Fatalf("nothing is served by %s", block[1])
	}
	copied, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := filepath.Abs(asc)
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), programs(t)
	cmd := exec.Command("bash", "-e")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.Stdin = strings.NewReader(strings.NewReplacer("mkdir ../mygame && cd ../mygame\n", "", "npm install assemblyscript@0.28\n", "",
		"../backsolve/", copied+"/", "npx asc", compiler).Replace(script))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"take-21: 1,000 random games broke no rule", "start position  win in 11 for the player to move", "\n16    win          9\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}

	server := exec.CommandContext(t.Context(), filepath.Join(bin, "tbserve"), append(strings.Fields(serve), "--listen", "127.0.0.1:0")...)
	server.Dir = dir
	said, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	address := ""
	for lines := bufio.NewScanner(said); address == "" && lines.Scan(); {
		address = regexp.MustCompile(`http://[0-9.:]+/`).FindString(lines.Text())
	}
	if address == "" {
		t.Fatal("tbserve does not say where it listens")
	}
	for path, want := range map[string]string{"": "<!doctype html>", "v1/games": `"layout":{"board":{"heaps":1}},"marks":0,"move_form":"one of the moves that are listed for the position","name":"take-21"`, "v1/take-21/1/position?p=18": `"outcome":"win","steps":9,`} {
		answer, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s is answered by %d, %.200s: %v; want %s", path, answer.StatusCode, body, err, want)
		}
	}
}
