package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Answer is the answer to a request.
type Answer struct {
	Status int
	// Size is the length of the body in bytes.
	Size int64
	// Body is the body, nil unless it was to be kept.
	Body []byte
	// Close says that the server ends the connection after the answer.
	Close bool

	fields []byte // the lines of the header
}

// Field returns the value of a header field, "" where there is none.
func (a Answer) Field(name string) string {
	for line := range bytes.Lines(a.fields) {
		if key, value, ok := bytes.Cut(line, []byte(":")); ok && strings.EqualFold(string(key), name) {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// maxFields bounds the header of an answer, in bytes.
const maxFields = 64 << 10

// readAnswer reads an answer, skipping interim ones.
func readAnswer(in *bufio.Reader, keep bool) (Answer, error) {
	for {
		a, length, err := readHead(in, keep)
		if err != nil {
			return a, err
		}
		if a.Status >= 200 || a.Status == 101 {
			err = a.readBody(in, length, keep)
			return a, err
		}
	}
}

// What a header says of the length of a body, where it is no number of bytes.
const (
	untilEnd = -1
	chunked  = -2
)

// readHead reads up to the body. The fields are kept only if wanted, or where
// the status is not 200.
func readHead(in *bufio.Reader, keep bool) (a Answer, length int64, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return a, 0, err
	}
	if a.Status, err = parseStatus(line); err != nil {
		return a, 0, err
	}
	length = untilEnd
	for total := 0; total < maxFields; total += len(line) {
		if line, err = in.ReadSlice('\n'); err != nil {
			return a, 0, err
		}
		if len(line) <= 2 {
			if a.Status == 204 || a.Status == 304 {
				length = 0
			}
			return a, length, nil
		}
		if keep || a.Status != 200 {
			a.fields = append(a.fields, line...)
		}
		switch key, value, _ := bytes.Cut(line, []byte(":")); {
		case is(key, "content-length"):
			length, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil || length < 0 {
				return a, 0, fmt.Errorf("the answer has the length %.40q", value)
			}
		case is(key, "transfer-encoding"):
			length = chunked
		case is(key, "connection"):
			a.Close = is(bytes.TrimSpace(value), "close")
		}
	}
	return a, 0, fmt.Errorf("the header of the answer is longer than %d bytes", maxFields)
}

func is(name []byte, lower string) bool {
	return len(name) == len(lower) && strings.EqualFold(string(name), lower)
}

// parseStatus reads the status of a line like HTTP/1.1 200 OK.
func parseStatus(line []byte) (int, error) {
	if len(line) > 12 && string(line[:7]) == "HTTP/1." && line[8] == ' ' {
		if status, err := strconv.Atoi(string(line[9:12])); err == nil && status >= 100 {
			return status, nil
		}
	}
	return 0, fmt.Errorf("the answer begins with %.40q, which is no HTTP", line)
}

func (a *Answer) readBody(in *bufio.Reader, length int64, keep bool) error {
	switch length {
	case chunked:
		return a.readChunks(in, keep)
	case untilEnd:
		a.Close = true
		if !keep {
			n, err := io.Copy(io.Discard, in)
			a.Size = n
			return err
		}
		var err error
		a.Body, err = io.ReadAll(in)
		a.Size = int64(len(a.Body))
		return err
	}
	return a.take(in, length, keep)
}

// readChunks reads a body in chunks, with what follows the last one.
func (a *Answer) readChunks(in *bufio.Reader, keep bool) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		text, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
		length, err := strconv.ParseInt(string(text), 16, 64)
		if err != nil || length < 0 {
			return fmt.Errorf("a chunk of the answer has the length %.40q", text)
		}
		if length == 0 {
			return skipTrailer(in)
		}
		if err := a.take(in, length, keep); err != nil {
			return err
		}
		if _, err := in.Discard(len("\r\n")); err != nil {
			return err
		}
	}
}

func skipTrailer(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil || len(line) <= 2 {
			return err
		}
	}
}

// take reads so many bytes of the body.
func (a *Answer) take(in *bufio.Reader, length int64, keep bool) error {
	if keep {
		if a.Body == nil {
			a.Body = make([]byte, 0, min(length, 1<<20))
		}
		body := bytes.NewBuffer(a.Body)
		n, err := io.CopyN(body, in, length)
		a.Body = body.Bytes()
		a.Size += n
		return err
	}
	for length > 0 {
		n, err := in.Discard(int(min(length, 1<<30)))
		length -= int64(n)
		a.Size += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}
