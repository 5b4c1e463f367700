package probe_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"backsolve/game/games"
	"backsolve/probe"
)

// Words that a shell takes as they are stay as they are, so that commands are easy
// to read; all others are quoted.
func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"tables": "tables", "/data/Tables-2.0_x:y+z": "/data/Tables-2.0_x:y+z", "azAZ09": "azAZ09",
		"": "''", "my tables": "'my tables'", "it's": `'it'\''s'`, "~": "'~'", "$HOME": "'$HOME'", "a*": "'a*'", "ä": "'ä'",
		"`": "'`'", "{": "'{'", "[": "'['", "@": "'@'", ";": "';'", "\n": "'\n'",
	} {
		if got := probe.ShellWord(word); got != want {
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
			command.WriteString(" " + probe.ShellWord(w))
		}
		out, err := exec.Command(sh, "-c", command.String()).Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(words, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// The command of an error makes the table that is missing, where it is missing.
func TestCommandOfMissing(t *testing.T) {
	rules, err := games.New("notakto", 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir   string
		taken uint64
		want  string
	}{
		{probe.DefaultDir(), 0, "tbsolve notakto 5"},
		{filepath.Join(probe.DefaultDir(), "."), 0, "tbsolve notakto 5"},
		{"/data", 0, "tbsolve notakto 5 --dir /data"},
		{"/my data", 1, "tbsolve notakto 5 --keep table --after a5 --dir '/my data'"},
		{probe.DefaultDir(), 1<<0 | 1<<2, "tbsolve notakto 5 --keep table --after a5,c5"},
	} {
		if got := probe.Missing(c.dir, rules.Info(), c.taken, nil).Command; got != c.want {
			t.Errorf("in %s after %b: %s, want %s", c.dir, c.taken, got, c.want)
		}
	}
}

// Every text, even one that is no UTF-8, is the string that encoding/json would
// write, and those of games go in without a copy of their own.
func TestAppendText(t *testing.T) {
	want := func(text string) string {
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for c := range 256 {
		for _, text := range []string{string([]byte{byte(c)}), string([]byte{'a', byte(c), 'b'})} {
			if got := string(probe.AppendText([]byte("x"), text)); got != "x"+want(text) {
				t.Errorf("%q is written as %s, want %s", text, got, want(text))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := string(probe.AppendText(nil, text)); got != want(text) {
			t.Fatalf("%q is written as %s, want %s", text, got, want(text))
		}
	})
	dst := make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() { probe.AppendText(dst, "XXOO/O.XO/O..X/XXO. x ~!#()") }); n != 0 {
		t.Errorf("the text of a position is copied %g times", n)
	}
}
