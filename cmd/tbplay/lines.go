package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"backsolve/cmd/cli"
)

// lineReader is where a dialog has the lines from that the person types.
type lineReader interface {
	// readLine asks for a line by a prompt. After the last one the error is io.EOF.
	readLine(prompt string) (string, error)
}

// scannedLines come from where there is nothing to edit.
type scannedLines struct {
	in  *bufio.Scanner
	out io.Writer
}

func (s *scannedLines) readLine(prompt string) (string, error) {
	fmt.Fprint(s.out, prompt)
	if s.in.Scan() {
		return s.in.Text(), nil
	}
	if err := s.in.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

// editedLines are edited at a terminal; earlier ones can be called back.
type editedLines struct {
	*term.Terminal
	fd     int
	cooked *term.State // the terminal's modes between lines
	last   byte        // the last byte typed: tells Ctrl-C from Ctrl-D
}

// editor returns a line editor if in and out are an interactive terminal, and a function
// that restores the terminal's modes. Elsewhere lines is nil.
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

// Read passes on what is typed.
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
	defer term.Restore(e.fd, e.cooked) // so that the program's own lines are shown as ever
	e.SetPrompt(prompt)
	line, err := e.ReadLine()
	const ctrlC = 3
	if err == io.EOF && e.last == ctrlC {
		return "", &cli.Interrupted{Signal: os.Interrupt} // in raw mode the terminal makes no signal of it
	}
	return line, err
}

// complete sets what completes a line at Tab: as far as all words agree.
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

// completeLine returns the commands, and the moves where the person is to make one, that
// a line begins.
func (d *dialog) completeLine(begun string) (words []string) {
	for _, c := range commands() {
		words = append(words, c.name)
	}
	words = append(words, "quit", "exit")
	if !d.over() && !d.opponentMoves() {
		for _, m := range d.rules.Moves(nil, d.position()) {
			words = append(words, d.rules.FormatMove(m))
		}
	}
	var meant []string
	for _, word := range words {
		if strings.HasPrefix(word, begun) {
			meant = append(meant, word)
		}
	}
	return meant
}
