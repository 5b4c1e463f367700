// Package lines reads lines of bounded length.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Next returns the next line, valid until the next call, without its end and without the byte order
// mark that some editors put at the start of a file, and io.EOF after the last
// one. If it has more than most bytes, which the buffer of in must hold, it is skipped and long.
func Next(in *bufio.Reader, most int) (line []byte, long bool, err error) {
	line, err = in.ReadSlice('\n')
	for long = len(line) > most; errors.Is(err, bufio.ErrBufferFull); long = true {
		_, err = in.ReadSlice('\n')
	}
	if err != nil && (err != io.EOF || len(line) == 0) {
		return nil, false, err
	}
	return bytes.TrimPrefix(bytes.TrimSuffix(line, []byte{'\n'}), []byte("\ufeff")), long, nil
}
