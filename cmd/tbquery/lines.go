package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/probe"
)

// maxLine is the longest line, in bytes, that is read; no position is as long.
const maxLine = 1 << 10

// unanswered is the answer to a line that has none.
type unanswered struct {
	Line  int64  `json:"line"`
	Error string `json:"error"`
}

// unansweredError says how many lines had no answer, and what it comes to.
type unansweredError struct {
	count, of int64
	first     error
	status    int
}

func (e *unansweredError) Error() string {
	return fmt.Sprintf("no answer to %d of %d lines; the first: %v", e.count, e.of, e.first)
}

func (e *unansweredError) Unwrap() error { return e.first }

// answerLines answers the positions on standard input, a line of JSON for each
// line, also for one without an answer.
func answerLines(cmd *cobra.Command, s source, line bool) error {
	if err := s.open(); err != nil {
		return err
	}
	defer s.close()
	if cli.IsTerminal(cmd.InOrStdin()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Type positions, one a line, such as %s\n", s.Example())
	}
	b := &batch{source: s, line: line}
	return cli.UntilSignal(cmd.Context(), func() error { return b.run(cmd.InOrStdin(), cmd.OutOrStdout()) })
}

// batch answers positions line by line.
type batch struct {
	source source
	line   bool // with the main line
	failed unansweredError
}

// run answers all lines. What is known is written before it waits for input.
func (b *batch) run(r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriterSize(w, 1<<16)
	encoder := newEncoder(out)
	for {
		if !hasLine(in) {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		text, err := readLine(in)
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, errLong) {
			return errors.Join(err, out.Flush())
		}
		if err := encoder.Encode(b.reply(text, err)); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if b.failed.count > 0 {
		return &b.failed
	}
	return nil
}

// reply returns what is written for a line: an answer, or why there is none. A
// damaged table weighs more in the exit status than a malformed position.
func (b *batch) reply(text string, err error) any {
	b.failed.of++
	if err == nil {
		var a *probe.Answer
		if a, err = b.answer(text); err == nil {
			return a
		}
	}
	if b.failed.count++; b.failed.first == nil {
		b.failed.first = fmt.Errorf("line %d: %w", b.failed.of, err)
	}
	b.failed.status = max(b.failed.status, status(err))
	return unanswered{b.failed.of, err.Error()}
}

// answer answers the position of a line.
func (b *batch) answer(text string) (*probe.Answer, error) {
	q, err := b.source.read(text)
	if err != nil {
		return nil, err
	}
	return q.answer(b.line)
}

// errLong is why a line has no answer that is too long to be read.
var errLong = errors.New("the line is longer than any position; write one position a line")

// hasLine says whether a whole line is there without waiting.
func hasLine(in *bufio.Reader) bool {
	buffered, _ := in.Peek(in.Buffered())
	return bytes.IndexByte(buffered, '\n') >= 0
}

// readLine returns the next line without its end. A longer one than maxLine is
// skipped, with errLong; after the last one comes io.EOF.
func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	long := len(line) > maxLine
	for err == bufio.ErrBufferFull {
		_, err = in.ReadSlice('\n')
	}
	switch {
	case err != nil && (err != io.EOF || len(line) == 0):
		return "", err
	case long:
		return "", errLong
	}
	return strings.TrimSuffix(string(line), "\n"), nil
}
