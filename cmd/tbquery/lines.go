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

// answerLines answers the positions on standard input, a line for each line, also for
// one without an answer.
func answerLines(cmd *cobra.Command, board *probe.Board, o *options) error {
	search, err := o.search.OnDemand(1, 0)
	if err != nil {
		return err
	}
	from, closeTable, err := open(cmd, board, *o.dir, search)
	if err != nil {
		return err
	}
	defer closeTable()
	if cli.IsTerminal(cmd.InOrStdin()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Type positions, one a line, such as %s\n", from.Example())
	}
	b := &batch{board: board, from: from, maxPlies: o.maxPlies(), fields: o.fields, format: o.format.Word(), stderr: cmd.ErrOrStderr()}
	return cli.UntilSignal(cmd.Context(), func() error { return b.run(cmd.InOrStdin(), cmd.OutOrStdout()) })
}

// batch answers positions line by line.
type batch struct {
	board    *probe.Board
	from     probe.Answerer
	maxPlies int     // of the main lines
	fields   []field // that are wanted, nil for whole answers
	format   string
	stderr   io.Writer
	writer   *fieldWriter // of the fields
	reply    []byte
	failed   unansweredError
}

// run answers all lines. What is known is written before it waits for input.
func (b *batch) run(r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriterSize(w, 1<<16)
	if b.fields != nil {
		var err error
		if b.writer, err = newFieldWriter(out, b.format, b.fields); err != nil {
			return err
		}
	}
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
		if err := b.answer(out, text, err); err != nil {
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

// answer writes the line for a line that was read: an answer, or why there is
// none. The error is that of writing.
func (b *batch) answer(out io.Writer, text string, err error) error {
	b.failed.of++
	if b.writer != nil {
		return b.answerFields(text, err)
	}
	if err == nil {
		b.reply, err = b.appendAnswer(b.reply[:0], text)
	}
	if err == nil {
		_, err = out.Write(append(b.reply, '\n'))
		return err
	}
	b.fail(err)
	return cli.WriteJSON(out, unanswered{b.failed.of, cli.Sentence(err)})
}

// answerFields writes the fields of the answer to a line. In JSON one without an answer
// is told as ever, else on standard error.
func (b *batch) answerFields(text string, err error) error {
	var a *probe.Answer
	if err == nil {
		a, err = b.ask(text)
	}
	if err == nil {
		return b.writer.write(a)
	}
	b.fail(err)
	if b.format == cli.JSON {
		return cli.WriteJSON(b.writer.out, unanswered{b.failed.of, cli.Sentence(err)})
	}
	fmt.Fprintf(b.stderr, "line %d: %s\n", b.failed.of, cli.Sentence(err))
	return b.writer.unanswered(text)
}

// ask answers a position.
func (b *batch) ask(text string) (*probe.Answer, error) {
	s, err := b.board.Parse(text)
	if err != nil {
		return nil, err
	}
	return b.from.AskState(b.board.Rules(), s, b.maxPlies)
}

// appendAnswer appends the answer to a position.
func (b *batch) appendAnswer(dst []byte, text string) ([]byte, error) {
	if b.maxPlies == probe.NoLine && probe.WrittenOut(text) {
		return b.from.AppendAsk(dst, text)
	}
	a, err := b.ask(text)
	if err != nil {
		return dst, err
	}
	return a.AppendJSON(dst), nil
}

// fail takes note that a line has no answer. A damaged table weighs more in the
// exit status than a malformed position.
func (b *batch) fail(err error) {
	if b.failed.count++; b.failed.first == nil {
		b.failed.first = fmt.Errorf("line %d: %w", b.failed.of, err)
	}
	b.failed.status = max(b.failed.status, status(err))
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
	for errors.Is(err, bufio.ErrBufferFull) {
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
