package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// bashCompletion is where Debian and others have it.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// driver completes a line as bash does when the key is pressed: the words are cut at
// = and : and spaces. In the place of the program stands a function that writes down
// what it is asked.
const driver = `
tool() {
    if [[ $1 == __complete ]]; then
        printf '<%%s>' "${@:2}" >asked
        case $2 in
        board) printf 'notakto\tlines lose\nquixo\tlines win\n:4\n' ;;
        file) printf 'tb\nzst\n:8\n' ;;
        dir) printf ':16\n' ;;
        esac
    fi
}
source ./script
COMP_LINE=%q
COMP_POINT=%d
COMP_WORDS=(%s)
COMP_CWORD=%d
COMP_TYPE=9
COLUMNS=80
__start_tool 2>errors
printf '%%s\n' "${COMPREPLY[@]}" | sort -u
grep -v 'compopt: not currently executing completion function' errors
true
`

// The script for bash completes commands, values after = and files, in a shell that
// has the package bash-completion and in one that has not.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash is there")
	}
	dir := t.TempDir()
	var script bytes.Buffer
	if err := writeBashCompletion(&script, &cobra.Command{Use: "tool"}, true); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"script": script.String(), "quixo.tb": "", "quixo.txt": "", "a b.tb": "", "sub/x.zst": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shells := map[string]string{"plain": ""}
	if _, err := os.Stat(bashCompletion); err == nil {
		shells["with the package"] = "source " + bashCompletion + "\n"
	}
	for _, c := range []struct {
		line  string
		words []string // as bash cuts them
		asked string
		want  []string
	}{
		{"tool board ", []string{"tool", "board", ""}, "<board><>", []string{"notakto  (lines lose)", "quixo    (lines win)"}},
		{"tool  board qu", []string{"tool", "board", "qu"}, "<board><qu>", []string{"quixo"}},
		{"tool board --game=qu", []string{"tool", "board", "--game", "=", "qu"}, "<board><--game=qu>", []string{"quixo"}},
		{"tool board --game=", []string{"tool", "board", "--game", "="}, "<board><--game=>", []string{"notakto  (lines lose)", "quixo    (lines win)"}},
		{"tool board unix:a --x qu", []string{"tool", "board", "unix", ":", "a", "--x", "qu"}, "<board><unix:a><--x><qu>", []string{"quixo"}},
		{"tool file ", []string{"tool", "file", ""}, "<file><>", []string{"a b.tb", "quixo.tb", "sub"}},
		{"tool file sub/", []string{"tool", "file", "sub/"}, "<file><sub/>", []string{"sub/x.zst"}},
		{"tool dir s", []string{"tool", "dir", "s"}, "<dir><s>", []string{"sub"}},
	} {
		for shell, prepare := range shells {
			var words strings.Builder
			for _, w := range c.words {
				fmt.Fprintf(&words, "'%s' ", w)
			}
			run := exec.Command(bash, "--norc", "--noprofile", "-c", prepare+fmt.Sprintf(driver, c.line, len(c.line), words.String(), len(c.words)-1))
			run.Dir = dir
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%s, %q: %v: %s", shell, c.line, err, out)
			}
			if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); !reflect.DeepEqual(c.want, got) {
				t.Errorf("%s, %q: got %+v\nwant %+v", shell, c.line, got, c.want)
			}
			asked, err := os.ReadFile(filepath.Join(dir, "asked"))
			if err != nil || string(asked) != c.asked {
				t.Errorf("%s, %q asks %s, want %s (%v)", shell, c.line, asked, c.asked, err)
			}
		}
	}
}

// What cobra says of a package that is needed is replaced, so that nobody looks for it.
func TestBashCompletionCommand(t *testing.T) {
	completion := func(args ...string) string {
		root := &cobra.Command{Use: "tool"}
		root.AddCommand(&cobra.Command{Use: "work", Run: func(*cobra.Command, []string) {}})
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs(append([]string{"completion", "bash"}, args...))
		if status := run(root, func(error) int { return StatusFailed }); status != 0 {
			t.Errorf("%q: status %d", args, status)
		}
		return out.String()
	}
	if text := completion("--help"); !strings.Contains(text, "The script needs no other package.") || strings.Contains(text, "depends") {
		t.Error(text)
	}
	if text := completion(); !strings.Contains(text, "\n__tool_words()\n") || !strings.Contains(text, " __complete ") {
		t.Errorf("%.200s", text)
	}
	if text := completion("--no-descriptions"); !strings.Contains(text, " __completeNoDesc ") {
		t.Errorf("%.200s", text)
	}
}
