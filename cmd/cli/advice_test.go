package cli

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// Words that a shell takes as they are stay as they are, so that commands are easy
// to read; all others are quoted.
func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"tables": "tables", "/data/Tables-2.0_x:y+z": "/data/Tables-2.0_x:y+z", "azAZ09": "azAZ09",
		"": "''", "my tables": "'my tables'", "it's": `'it'\''s'`, "~": "'~'", "$HOME": "'$HOME'", "a*": "'a*'", "ä": "'ä'",
		"`": "'`'", "{": "'{'", "[": "'['", "@": "'@'", ";": "';'", "\n": "'\n'",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}

// Whatever a word is, a shell reads it back.
func TestShellReadsWords(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching("[ -~\\n\\täß]{0,8}"), 1, 200).Draw(t, "words")
		var command strings.Builder
		command.WriteString(`printf '%s\0'`)
		for _, w := range words {
			command.WriteString(" " + ShellWord(w))
		}
		out, err := exec.Command(sh, "-c", command.String()).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !reflect.DeepEqual(words, got) {
			t.Fatalf("got %+v\nwant %+v", got, words)
		}
	})
}

// The command makes the table where it was looked for.
func TestSolveCommand(t *testing.T) {
	board := probetest.Rules(t, "notakto", 5).Info()
	for _, c := range []struct {
		dir   string
		taken uint64
		want  string
	}{
		{probe.DefaultDir(), 0, "tbsolve notakto 5"},
		{filepath.Join(probe.DefaultDir(), "."), 0, "tbsolve notakto 5"},
		{"/data", 0, "tbsolve notakto 5 --dir /data"},
		{"/my data", 1, "tbsolve notakto 5 --after a5 --keep table --dir '/my data'"},
		{probe.DefaultDir(), 1<<0 | 1<<2, "tbsolve notakto 5 --after a5,c5 --keep table"},
		{"https://example.org/tables", 0, "tbsolve notakto 5 --packed"},
	} {
		if got := newSolve(board, c.taken, c.dir).String(); got != c.want {
			t.Errorf("in %s after %b: %s, want %s", c.dir, c.taken, got, c.want)
		}
	}
}

func TestMemoryFlag(t *testing.T) {
	for bytes, want := range map[int64]string{
		1:           "--memory 1MiB",
		20<<20 + 1:  "--memory 21MiB",
		773<<30 - 5: "--memory 773GiB",
	} {
		got := MemoryFlag(bytes)
		if got != want {
			t.Errorf("%d: %s, not %s", bytes, got, want)
		}
		var v BytesValue
		if err := v.Set(strings.TrimPrefix(got, "--memory ")); err != nil || int64(v) < bytes {
			t.Errorf("%s is read as %d, %v", got, v, err)
		}
	}
}
