package querying

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/lines"
	"backsolve/internal/probe"
)

const maxLine = 1 << 10 // bytes; positions are shorter

type unanswered struct {
	Line  int64  `json:"line"`
	Error string `json:"error"`
}

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

func answerLines(cmd *cobra.Command, board *probe.Board, from probe.Answerer, o *options) error {
	if cli.IsTerminal(cmd.InOrStdin()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Type positions, one per line, such as %s\n", from.Example())
	}
	b := &batch{board: board, from: from, maxPlies: o.maxPlies, fields: o.fields, format: cli.Format(cmd), stderr: cmd.ErrOrStderr()}
	return cli.UntilSignal(cmd.Context(), func() error { return b.run(cmd.InOrStdin(), cmd.OutOrStdout()) })
}

type batch struct {
	board    *probe.Board
	from     probe.Answerer
	maxPlies int     // of main lines
	fields   []field // nil for whole answers
	format   string
	stderr   io.Writer
	writer   *cli.Records[probe.Answer] // nil for whole answers
	waiting  []question
	answers  []probe.Answer // of lines that wait
	reply    []byte
	failed   unansweredError
}

type question struct {
	text   string
	answer *probe.Answer // nil until it is looked up
	err    error
}

const together = 1 << 14 // lines

// run answers all lines. It writes all answers before it waits for input.
func (b *batch) run(r io.Reader, w io.Writer) (err error) {
	in, out := bufio.NewReaderSize(r, 1<<19), bufio.NewWriterSize(w, 1<<16)
	if b.fields != nil {
		b.writer = cli.NewRecords(out, b.format, b.fields)
	}
	for {
		buffered, _ := in.Peek(in.Buffered())
		waits := bytes.IndexByte(buffered, '\n') < 0 // reading a line would
		if waits || len(b.waiting) == together {
			if err := b.answerWaiting(out); err != nil {
				return err
			}
		}
		if waits {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		text, long, err := lines.Next(in, maxLine)
		if err == io.EOF {
			break
		}
		if err != nil {
			return errors.Join(err, b.answerWaiting(out), out.Flush())
		}
		q := question{text: string(text)}
		if long {
			q = question{err: errLong}
		}
		b.waiting = append(b.waiting, q)
	}
	if err := b.answerWaiting(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil || b.failed.count == 0 {
		return err
	}
	return &b.failed
}

// answerWaiting answers the lines that wait. It returns errors of writing only.
func (b *batch) answerWaiting(out io.Writer) error {
	if b.maxPlies == probe.NoMoves {
		b.lookUp()
	}
	for _, q := range b.waiting {
		if err := b.answer(out, q); err != nil {
			return err
		}
	}
	b.waiting = b.waiting[:0]
	return nil
}

// lookUp looks up the values of all lines that wait at once, so that their reads of memory overlap.
func (b *batch) lookUp() {
	if b.answers == nil {
		b.answers = make([]probe.Answer, together)
	}
	states, errs := make([]game.State, len(b.waiting)), make([]error, len(b.waiting))
	var asked []*question
	for i := range b.waiting {
		q := &b.waiting[i]
		if q.err != nil {
			continue
		}
		if states[len(asked)], q.err = b.board.Parse(q.text); q.err == nil {
			asked = append(asked, q)
		}
	}
	probe.AskAlone(b.from, b.board.Rules(), states[:len(asked)], b.answers, errs)
	for i, q := range asked {
		q.answer, q.err = &b.answers[i], errs[i]
	}
}

// answer writes the answer to a line, or why there is none. It returns errors of writing only.
func (b *batch) answer(out io.Writer, q question) error {
	b.failed.of++
	whole := b.writer == nil
	a, err := q.answer, q.err
	switch {
	case err != nil, a != nil:
	case whole && b.maxPlies == probe.NoLine:
		b.reply, _, err = probe.AppendAsk(b.from, b.reply[:0], q.text)
	default:
		if a, err = b.from.Ask(q.text, b.maxPlies); err == nil && whole {
			b.reply = a.AppendJSON(b.reply[:0])
		}
	}
	switch {
	case err == nil && whole:
		_, err = out.Write(append(b.reply, '\n'))
		return err
	case err == nil:
		return errors.Join(b.writer.Write(a), b.writer.Flush())
	}
	// The exit status is the worst error's: a damaged table before a malformed position.
	b.failed.status = max(b.failed.status, cli.TableStatus(err))
	if b.failed.count++; b.failed.first == nil {
		b.failed.first = fmt.Errorf("line %d: %w", b.failed.of, err)
	}
	if whole || b.format == cli.JSON {
		return cli.WriteJSON(out, unanswered{b.failed.of, cli.Sentence(err)})
	}
	fmt.Fprintf(b.stderr, "line %d: %s\n", b.failed.of, cli.Sentence(err))
	err = b.writer.Line(func(f field) any {
		if f.Name == "position" {
			return q.text
		}
		return nil
	})
	return errors.Join(err, b.writer.Flush())
}

var errLong = fmt.Errorf("%w: the line is too long; write one position a line", probe.ErrPosition)

type field = cli.Column[probe.Answer]

func pliesOf(fields []field, line bool) int {
	has := func(names ...string) bool {
		return slices.ContainsFunc(fields, func(f field) bool { return slices.Contains(names, f.Name) })
	}
	switch {
	case line || has("line"):
		return probe.WholeLine
	case fields == nil || has("best_move", "right_moves", "strict_moves"):
		return probe.NoLine
	}
	return probe.NoMoves
}

var allFields = []field{
	{Name: "game", Value: func(a *probe.Answer) any { return a.Game }},
	{Name: "size", Value: func(a *probe.Answer) any { return game.Size(a.Size) }},
	{Name: "position", Value: func(a *probe.Answer) any { return a.Position }},
	{Name: "outcome", Value: func(a *probe.Answer) any { return a.Outcome.String() }},
	{Name: "steps", Value: func(a *probe.Answer) any { return cli.Known(a.Steps, a.Steps >= 0) }},
	{Name: "nimber", Value: func(a *probe.Answer) any { return cli.Known(a.Nimber.Value()) }},
	{Name: "score", Value: func(a *probe.Answer) any { return cli.Known(a.Score.Value()) }},
	{Name: "terminal", Value: func(a *probe.Answer) any { return a.Terminal }},
	{Name: "source", Value: func(a *probe.Answer) any { return string(a.Source) }},
	{Name: "best_move", Value: func(a *probe.Answer) any {
		if len(a.Moves) == 0 {
			return nil
		}
		return a.Moves[0].Move
	}},
	{Name: "right_moves", Value: func(a *probe.Answer) any {
		return movesWith(a, func(m probe.Value) bool { return m.Outcome == a.Outcome })
	}},
	{Name: "strict_moves", Value: func(a *probe.Answer) any { return movesWith(a, func(m probe.Value) bool { return m == a.Value }) }},
	{Name: "line", Value: func(a *probe.Answer) any {
		if a.Line == nil {
			return nil
		}
		moves := []string{}
		for _, p := range a.Line.Plies {
			moves = append(moves, p.Move)
		}
		return moves
	}},
}

var csvFields = []string{"position", "outcome", "steps", "best_move"}

func movesWith(a *probe.Answer, wanted func(probe.Value) bool) []string {
	moves := []string{}
	for _, m := range a.Moves {
		if wanted(m.Value) {
			moves = append(moves, m.Move)
		}
	}
	return moves
}

func fieldNames() (names []string) {
	for _, f := range allFields {
		names = append(names, f.Name)
	}
	return names
}

func chooseFields(names []string) (fields []field, err error) {
	for _, name := range names {
		i := slices.Index(fieldNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("there is no field %.40q; --fields takes %s, separated by commas", name, strings.Join(fieldNames(), ", "))
		}
		fields = append(fields, allFields[i])
	}
	return fields, nil
}
