//go:build unix

package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"backsolve/cmd/cli"
)

// exampleTime is how long an example may run: what still runs then has started well. Enough run at once
// that all take half a minute.
const exampleTime, examplesAtOnce = time.Second, 8

// lacking matches the errors that a failing example may have: something that its reader has is
// missing here. No example may be malformed, or be about a board that cannot be solved.
var lacking = regexp.MustCompile(`(?i)no such (file|host|table)|there (is|are) no (table|data|directory|credentials|strengths)|` +
	`networks to rate|is not packed|cannot reach|permission denied|but only .* (is|are) free`)

// runExamples runs each example in the help of each program, each beside a table of Quixo 4×4, and checks
// that help.
func runExamples(t *testing.T, bin, tables string) {
	table := filepath.Join(tables, "quixo-4x4.tb")
	var running sync.WaitGroup
	turns, found := make(chan struct{}, examplesAtOnce), 0
	for _, pattern := range []string{"cmd/tb*", "cluster/cmd/*", "mcp/cmd/*", "research/cmd/*", "tools/bench"} {
		mains, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, main := range mains {
			program := filepath.Join(bin, filepath.Base(main))
			text, err := exec.Command(program, cli.Describe).Output()
			if errors.Is(err, os.ErrNotExist) {
				continue // it is only for browsers
			}
			var about cli.Description
			if err := errors.Join(err, json.Unmarshal(text, &about)); err != nil {
				t.Fatalf("%s: %v", program, err)
			}
			checkHelp(t, program, about)
			examples := map[string]string{}
			collect(examples, about, "")
			for example, command := range examples {
				found++
				dir := t.TempDir()
				if err := errors.Join(os.MkdirAll(filepath.Join(dir, "tables"), 0o755), os.Link(table, filepath.Join(dir, "tables", filepath.Base(table)))); err != nil {
					t.Fatal(err)
				}
				turns <- struct{}{}
				running.Go(func() {
					defer func() { <-turns }()
					if problem := try(bin, dir, example); problem != "" {
						t.Errorf("%s --help: %s: %s", command, example, problem)
					}
				})
			}
		}
	}
	if running.Wait(); found < 50 {
		t.Errorf("there are only %d examples", found)
	}
}

// collect adds the examples of a command and its subcommands, each with its command.
func collect(to map[string]string, d cli.Description, above string) {
	name, _, _ := strings.Cut(d.Use, " ")
	name = strings.TrimSpace(above + " " + name)
	for line := range strings.Lines(d.Example) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  ") // what it does follows
		if _, there := to[line]; line != "" && !there {
			to[line] = name
		}
	}
	for _, c := range d.Commands {
		collect(to, c, name)
	}
}

// valueWords are the words that help uses for values, in usage lines and of flags.
var valueWords = strings.Fields("N P PERCENT NUMBER BYTES DURATION WORD TEXT LIST FILE DIR URL ADDRESS NAME ORIGIN NAME=AGENT AGENT MOVES POSITION " +
	"BOARD GAME SIZE JOB TRAINING COMMAND A B [=archive]")

var capitals = regexp.MustCompile(`[A-Z]+(=[A-Z]+)?`)

// checkHelp checks that the help of a command and of those below it fits every width, and speaks of values
// by the same words.
func checkHelp(t *testing.T, program string, d cli.Description, names ...string) {
	t.Helper()
	what := filepath.Base(program) + " " + strings.Join(names, " ")
	for _, width := range []int{60, 80, 100} {
		cmd := exec.Command(program, append(slices.Clone(names), "--help")...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("COLUMNS=%d", width))
		help, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s --help: %v", what, err)
		}
		for line := range strings.Lines(string(help)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%s: %d columns of %d: %s", what, n, width, line)
			}
		}
	}
	words := capitals.FindAllString(d.Use, -1)
	for _, f := range d.Flags {
		if strings.ContainsAny(f.Usage, "`\n") {
			t.Errorf("%s --%s: %q", what, f.Name, f.Usage)
		}
		if f.Value != "" {
			words = append(words, f.Value)
		}
	}
	for _, word := range words {
		if !slices.Contains(valueWords, word) {
			t.Errorf("%s: %s is not among the words for values", what, word)
		}
	}
	for _, c := range d.Commands {
		name, _, _ := strings.Cut(c.Use, " ")
		checkHelp(t, program, c, append(slices.Clone(names), name)...)
	}
}

// here replaces addresses that may be taken, and places that are not the test's.
var here = strings.NewReplacer("0.0.0.0:8080", "127.0.0.1:0", "0.0.0.0:8090", "127.0.0.1:0", "127.0.0.1:8090", "127.0.0.1:0", "--listen :443", "--listen 127.0.0.1:0",
	" /data/", " data/", " /ssd/", " ssd/", " /disk/", " disk/", " /shared/", " shared/", "unix:/run/", "unix:")

// try runs an example, and returns what is wrong with it.
func try(bin, dir, example string) string {
	text := here.Replace(example)
	if strings.HasPrefix(text, "tbserve") && !strings.Contains(text, "--listen") {
		text += " --listen 127.0.0.1:0"
	}
	ctx, cancel := context.WithTimeout(context.Background(), exampleTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -o pipefail; "+text)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "BACKSOLVE_TABLES=", "NATS_URL=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	if err == nil || ctx.Err() != nil || lacking.MatchString(said.String()) {
		return ""
	}
	return err.Error() + ": " + said.String()
}
