package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"backsolve/internal/lines"
)

// maxPosition is the limit for the text of a position, in bytes; no valid one is that long.
const maxPosition = 1 << 10

var (
	errLong  = &textError{errors.New("this is longer than any position; write one position a line or string")}
	errBlank = &textError{errors.New("this line is blank; write one position a line")}
)

// malformed is the error of a body whose rest cannot be read.
func malformed(format string, args ...any) error {
	return refusal(http.StatusBadRequest, format, args...)
}

// batchReader reads the positions of a batch one by one, without waiting for more of the body.
type batchReader interface {
	// next returns the text of the next position, valid until the next call, or io.EOF. It goes on after a *textError.
	next() ([]byte, error)
}

// textError is the error of one position of a batch; the next can be read.
type textError struct{ err error }

func (e *textError) Error() string { return e.err.Error() }

func isLocal(err error) bool { return errors.As(err, new(*textError)) }

type lineReader struct {
	in   *bufio.Reader // of at least maxPosition bytes
	text []byte
}

func (l *lineReader) next() ([]byte, error) {
	line, long, err := lines.Next(l.in, maxPosition)
	if err != nil {
		return nil, err
	}
	line = bytes.TrimSpace(line)
	switch {
	case long:
		return nil, errLong
	case len(line) == 0:
		return nil, errBlank
	case line[0] == '"':
		l.text, err = unquote(l.text[:0], line)
		return l.text, err
	}
	return line, nil
}

func unquote(dst, quoted []byte) ([]byte, error) {
	if plain, closed := bytes.CutSuffix(quoted[1:], []byte{'"'}); closed && isPlain(plain) {
		return append(dst, plain...), nil
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return dst, &textError{fmt.Errorf("this is not a JSON string: %w", err)}
	}
	return append(dst, text...), nil
}

func isPlain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

type arrayReader struct {
	in     *bufio.Reader
	begun  bool
	quoted []byte
	text   []byte
}

func (a *arrayReader) next() ([]byte, error) {
	c, err := a.separator()
	if err != nil {
		return nil, err
	}
	if c == ']' {
		return nil, a.end()
	}
	if c != '"' {
		return nil, unexpected(c, "a string")
	}
	long, err := a.readString()
	switch {
	case err != nil:
		return nil, noEnd(err)
	case long:
		return nil, errLong
	}
	a.text, err = unquote(a.text[:0], a.quoted)
	return a.text, err
}

// separator reads up to the next string and returns its quote, or the closing bracket.
func (a *arrayReader) separator() (byte, error) {
	c, err := a.token()
	if err != nil {
		return 0, noEnd(err)
	}
	if !a.begun {
		if c != '[' {
			return 0, unexpected(c, "an array of positions, [\"…\",\"…\"],")
		}
		a.begun = true
		c, err = a.token()
		return c, noEnd(err)
	}
	switch c {
	case ']':
		return c, nil
	case ',':
		c, err = a.token()
		if err == nil && c == ']' {
			err = unexpected(c, "a string")
		}
		return c, noEnd(err)
	}
	return 0, unexpected(c, "a comma or the end of the array")
}

func (a *arrayReader) end() error {
	c, err := a.token()
	if err == nil {
		return unexpected(c, "nothing after the array")
	}
	return err
}

// token returns the next byte that is not white space.
func (a *arrayReader) token() (byte, error) {
	for {
		c, err := a.in.ReadByte()
		if err != nil || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, err
		}
	}
}

// readString reads the rest of a string into a.quoted, or reports that it is too long.
func (a *arrayReader) readString() (long bool, err error) {
	a.quoted = append(a.quoted[:0], '"')
	for escaped := false; ; {
		c, err := a.in.ReadByte()
		if err != nil {
			return false, err
		}
		if len(a.quoted) <= maxPosition {
			a.quoted = append(a.quoted, c)
		} else {
			long = true
		}
		if c == '"' && !escaped {
			return long, nil
		}
		escaped = c == '\\' && !escaped
	}
}

func unexpected(c byte, wanted string) error {
	return malformed("the body is malformed: found %q, expected %s", rune(c), wanted)
}

// noEnd turns the end of a body within the array into an error.
func noEnd(err error) error {
	if err == io.EOF {
		return malformed("the body ends within the array of positions")
	}
	return err
}
