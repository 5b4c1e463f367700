package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/peterh/liner"
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

// editedLines are edited at a terminal; those before can be called back.
type editedLines struct{ *liner.State }

// editor returns what edits lines where both ends are those of a terminal that can, and
// what leaves the terminal as it was. Elsewhere the lines are nil.
func editor(in io.Reader, out io.Writer) (lines *editedLines, closing func()) {
	if in != os.Stdin || out != os.Stdout || !liner.TerminalSupported() {
		return nil, func() {}
	}
	// A terminal without a size has no room for a line.
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err != nil || width == 0 {
		return nil, func() {}
	}
	state := liner.NewLiner()
	state.SetCtrlCAborts(true)
	return &editedLines{state}, func() { state.Close() }
}

func (e *editedLines) readLine(prompt string) (string, error) {
	line, err := e.Prompt(prompt)
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", &cli.Interrupted{Signal: os.Interrupt} // the terminal makes no signal of it meanwhile
	case err == nil && strings.TrimSpace(line) != "":
		e.AppendHistory(line)
	}
	return line, err
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
