package playing

import (
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"backsolve/cmd/cli"
	"backsolve/game"
)

type editedLines struct {
	*term.Terminal
	fd     int
	cooked *term.State // the terminal's modes between lines
	last   byte        // the last byte typed: tells Ctrl-C from Ctrl-D
}

// editor returns a line editor, nil unless in and out are a terminal, and what restores the modes of that.
func editor(in io.Reader, out io.Writer) (lines *editedLines, restore func()) {
	none := func() {}
	if in != os.Stdin || out != os.Stdout || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(os.Stdin.Fd())) {
		return nil, none
	}
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width == 0 {
		return nil, none
	}
	e := &editedLines{fd: int(os.Stdin.Fd())}
	if e.cooked, err = term.GetState(e.fd); err != nil {
		return nil, none
	}
	e.Terminal = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e, out}, "")
	e.SetSize(width, height)
	return e, func() { term.Restore(e.fd, e.cooked) }
}

func (e *editedLines) Read(b []byte) (n int, err error) {
	if n, err = os.Stdin.Read(b); n > 0 {
		e.last = b[n-1]
	}
	return n, err
}

func (e *editedLines) readLine(prompt string) (string, error) {
	if _, err := term.MakeRaw(e.fd); err != nil {
		return "", err
	}
	defer term.Restore(e.fd, e.cooked) // for the output of the program
	e.SetPrompt(prompt)
	line, err := e.ReadLine()
	const ctrlC = 3
	if err == io.EOF && e.last == ctrlC {
		return "", &cli.Interrupted{Signal: syscall.SIGINT} // in raw mode Ctrl-C is no signal
	}
	return line, err
}

func (e *editedLines) complete(words func(begun string) []string) {
	e.AutoCompleteCallback = func(line string, at int, key rune) (string, int, bool) {
		if key != '\t' || at != len(line) {
			return "", 0, false
		}
		found := words(line)
		if len(found) == 0 {
			return line, at, true
		}
		common := found[0]
		for _, w := range found[1:] {
			for !strings.HasPrefix(w, common) {
				common = common[:len(common)-1]
			}
		}
		return common, len(common), true
	}
}

func (d *dialog) completeLine(begun string) (words []string) {
	for _, c := range commands() {
		words = append(words, c.name)
	}
	words = append(words, "quit", "exit")
	if !d.over() && !d.opponentMoves() {
		for _, m := range d.rules.Moves(nil, d.position()) {
			words = append(words, game.MoveText(d.rules, d.position(), m))
		}
	}
	return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, begun) })
}
