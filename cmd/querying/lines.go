package querying

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/lines"
	"backsolve/internal/probe"
)

// maxLine is the longest line, in bytes, that is read. Positions are shorter.
const maxLine = 1 << 10

// unanswered is the reply to a line without an answer.
type unanswered struct {
	Line  int64  `json:"line"`
	Error string `json:"error"`
}

// unansweredError counts the lines without an answer.
type unansweredError struct {
	count, of int64
	first     error
	status    int
}

func (e *unansweredError) Error() string {
	return fmt.Sprintf("no answer to %d of %s; the first: %v", e.count, cli.Plural(int(e.of), "line"), e.first)
}

func (e *unansweredError) Unwrap() error   { return e.first }
func (e *unansweredError) ExitStatus() int { return e.status }

// answerLines answers the positions on standard input, one line for each.
func answerLines(cmd *cobra.Command, board *probe.Board, from probe.Answerer, o *options) error {
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
	maxPlies int     // of main lines
	fields   []field // nil for whole answers
	format   string
	stderr   io.Writer
	writer   *cli.Records[probe.Answer] // nil for whole answers
	reply    []byte
	failed   unansweredError
}

// run answers all lines. It writes all answers before it waits for input.
func (b *batch) run(r io.Reader, w io.Writer) (err error) {
	in, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriterSize(w, 1<<16)
	if b.fields != nil {
		b.writer = cli.NewRecords(out, b.format, b.fields)
	}
	for {
		buffered, _ := in.Peek(in.Buffered())
		if bytes.IndexByte(buffered, '\n') < 0 { // reading a line would wait
			if err := out.Flush(); err != nil {
				return err
			}
		}
		text, long, err := lines.Next(in, maxLine)
		if err == io.EOF {
			break
		}
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		if long {
			text, err = nil, errLong
		}
		if err := b.answer(out, string(text), err); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil || b.failed.count == 0 {
		return err
	}
	return &b.failed
}

// answer writes the reply to a line that was read: the answer, or why there is none. It
// returns errors of writing only.
func (b *batch) answer(out io.Writer, text string, err error) error {
	b.failed.of++
	var a *probe.Answer
	switch {
	case err != nil:
	case b.writer == nil:
		b.reply, err = b.appendAnswer(b.reply[:0], text)
	default:
		a, err = b.ask(text)
	}
	switch {
	case err == nil && b.writer == nil:
		_, err = out.Write(append(b.reply, '\n'))
		return err
	case err == nil:
		return errors.Join(b.writer.Write(a), b.writer.Flush())
	}
	b.fail(err)
	if b.writer == nil || b.format == cli.JSON {
		return cli.WriteJSON(out, unanswered{b.failed.of, cli.Sentence(err)})
	}
	fmt.Fprintf(b.stderr, "line %d: %s\n", b.failed.of, cli.Sentence(err))
	err = b.writer.Line(func(f field) any {
		if f.Name == "position" {
			return text
		}
		return nil
	})
	return errors.Join(err, b.writer.Flush())
}

// ask answers a position.
func (b *batch) ask(text string) (*probe.Answer, error) {
	s, err := b.board.Parse(text)
	if err != nil {
		return nil, err
	}
	return b.from.AskState(b.board.Rules(), s, b.maxPlies)
}

// appendAnswer appends the answer to a position as JSON.
func (b *batch) appendAnswer(dst []byte, text string) ([]byte, error) {
	if b.maxPlies == probe.NoLine {
		dst, _, err := probe.AppendAsk(b.from, dst, text)
		return dst, err
	}
	a, err := b.ask(text)
	if err != nil {
		return dst, err
	}
	return a.AppendJSON(dst), nil
}

// fail counts a line without an answer. The exit status is that of the worst error: a
// damaged table before a malformed position.
func (b *batch) fail(err error) {
	if b.failed.count++; b.failed.first == nil {
		b.failed.first = fmt.Errorf("line %d: %w", b.failed.of, err)
	}
	b.failed.status = max(b.failed.status, cli.TableStatus(err))
}

var errLong = fmt.Errorf("%w: the line is too long; write one position a line", probe.ErrPosition)
