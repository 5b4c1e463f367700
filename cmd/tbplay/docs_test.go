package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backsolve/player/ugi"
)

// What docs/play.md shows is what comes out.
func TestTranscripts(t *testing.T) {
	text, err := os.ReadFile("../../docs/play.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, game := range []string{"notakto", "nim"} {
		t.Run(game+" at a terminal", func(t *testing.T) {
			prompt := regexp.MustCompile(`(?m)^(\w+> )(.*)\n`)
			shown := transcript(t, string(text), "tbplay "+game+" 3 --seed 1")
			var typed []string
			for _, line := range prompt.FindAllStringSubmatch(shown, -1) {
				typed = append(typed, line[2])
			}
			got := talk(t, newTestOpponent(t, game, 3, ""), typed...)
			if diff := cmp.Diff(prompt.ReplaceAllString(shown, "$1"), got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("UGI", func(t *testing.T) {
		if testing.Short() {
			t.Skip("solving Quixo 4×4 takes long under the race detector")
		}
		var commands, answers strings.Builder
		for line := range strings.Lines(transcript(t, string(text), "tbplay quixo 4")) {
			if command, ok := strings.CutPrefix(line, "> "); ok {
				commands.WriteString(command)
			} else {
				answers.WriteString(line)
			}
		}
		o := newTestOpponent(t, "quixo", 4, "")
		o.seeds = seeds{}
		var out bytes.Buffer
		if err := ugi.Serve(t.Context(), strings.NewReader(commands.String()), &out, o.host()); err != nil {
			t.Fatal(err)
		}
		clock := regexp.MustCompile(`time \d+ nps \d+`)
		if diff := cmp.Diff(clock.ReplaceAllString(answers.String(), ""), clock.ReplaceAllString(out.String(), "")); diff != "" {
			t.Error(diff)
		}
	})
}

// transcript returns the indented lines that follow a command in a document, not
// indented.
func transcript(t *testing.T, text, command string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "    $ "+command+"\n")
	if !ok {
		t.Fatalf("there is no transcript of %s", command)
	}
	var lines strings.Builder
	for line := range strings.Lines(rest) {
		body, indented := strings.CutPrefix(line, "    ")
		if !indented && line != "\n" {
			break
		}
		lines.WriteString(body)
	}
	return strings.TrimRight(lines.String(), "\n") + "\n"
}
