// Package sealed keeps numbers in self-describing files: a line that names the format, a
// line of JSON, the numbers, and a checksum over all of it. Truncated, damaged and foreign
// files are rejected.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"backsolve/internal/durable"
	"backsolve/internal/strict"
)

// Format is a format of files.
type Format struct {
	// Name begins the first line, which Version ends.
	Name    string
	Version int
	// MaxSize is more bytes than any file of the format has.
	MaxSize int64
}

// The reasons for rejecting a file.
var (
	ErrForeign = errors.New("it is a file of something else")
	ErrVersion = errors.New("it has another version")
	ErrDamaged = errors.New("it is damaged or was cut short: its checksum is not that of what is in it")
)

func (f Format) firstLine() string { return f.Name + " " + strconv.Itoa(f.Version) + "\n" }

// SumJSON returns the SHA-256 of a value as JSON, of numbers and text alone.
func SumJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Write writes a file, over one that is there: a header, which becomes JSON, and the
// numbers. Where anything fails, what was there stays as it was; the error is that of
// durable.Write.
func (f Format) Write(path string, header any, numbers []byte) error {
	line, err := json.Marshal(header)
	if err != nil {
		return err
	}
	head := append(append([]byte(f.firstLine()), line...), '\n')
	sum := sha256.New()
	sum.Write(head)
	sum.Write(numbers)
	return durable.Write(path, func(to *os.File) error {
		for _, part := range [][]byte{head, numbers, sum.Sum(nil)} {
			if _, err := to.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// Read returns the numbers of a file; the system's error, ErrForeign, ErrVersion or ErrDamaged.
func (f Format) Read(path string, header any) (numbers []byte, err error) {
	data, err := ReadAll(path, f.MaxSize)
	if err != nil {
		return nil, err
	}
	first, rest, found := bytes.Cut(data, []byte("\n"))
	number, named := strings.CutPrefix(string(first), f.Name+" ")
	version, err := strconv.Atoi(number)
	switch {
	case !found || !named || err != nil:
		return nil, ErrForeign
	case version != f.Version:
		return nil, fmt.Errorf("%w: %d, where this program knows %d", ErrVersion, version, f.Version)
	}
	body := len(data) - sha256.Size
	if body < len(first)+1 {
		return nil, ErrDamaged
	}
	if sum := sha256.Sum256(data[:body]); !bytes.Equal(sum[:], data[body:]) {
		return nil, ErrDamaged
	}
	line, numbers, found := bytes.Cut(rest[:len(rest)-sha256.Size], []byte("\n"))
	if !found {
		return nil, ErrDamaged
	}
	if err := strict.Unmarshal(line, header); err != nil {
		return nil, fmt.Errorf("its header cannot be understood (%w)", err)
	}
	return numbers, nil
}

// ReadAll reads a file that has no more bytes than most. The error is the system's, or ErrForeign.
func ReadAll(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, ErrForeign
	}
	return data, err
}
