// Package bridge is the part of the C library that needs no C: tables by handles, statuses of
// errors, and texts in buffers. include/backsolve.h documents them.
package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"backsolve"
)

// API is the version of the interface: BACKSOLVE_API.
const API = 1

// Status is the result of a function in C.
type Status int32

// The statuses, those of the header.
const (
	OK Status = iota
	Failed
	Input
	NoTable
	BadTable
	Closed
)

var (
	// ErrInput: an argument is invalid.
	ErrInput = errors.New("wrong argument")
	// errHandle: no open table has this handle.
	errHandle = errors.New("not an open table")
)

// inputError is an ErrInput with a sentence.
type inputError string

func (e inputError) Error() string        { return string(e) }
func (e inputError) Is(target error) bool { return target == ErrInput }

// Inputf returns an ErrInput with a sentence.
func Inputf(format string, args ...any) error { return inputError(fmt.Sprintf(format, args...)) }

// StatusOf returns the status of an error.
func StatusOf(err error) Status {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, ErrInput), errors.Is(err, backsolve.ErrPosition):
		return Input
	case errors.Is(err, errHandle), errors.Is(err, fs.ErrClosed):
		return Closed
	case errors.Is(err, backsolve.ErrBadTable):
		return BadTable
	case errors.Is(err, fs.ErrNotExist):
		return NoTable
	}
	return Failed
}

// CopyText copies a text into a buffer of C and ends it with a zero. It copies as many whole
// characters as fit, and nothing into an empty buffer.
func CopyText(buffer []byte, text string) {
	if len(buffer) == 0 {
		return
	}
	if room := len(buffer) - 1; len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		text = text[:room]
	}
	buffer[copy(buffer, text)] = 0
}

// Tables has the open tables by their handles. The zero value has none. It is safe for
// concurrent use.
type Tables struct {
	last atomic.Uint64
	open sync.Map // of *entry by uint64
}

// entry is an open table.
type entry struct {
	closing sync.RWMutex // held for reading during questions
	table   *backsolve.Table
	closed  bool
}

// Open opens a table for a program that was built for an API, and returns its handle.
func (s *Tables) Open(api uint32, path string) (handle uint64, err error) {
	if api != API {
		return 0, Inputf("the program was built for version %d of the interface, and this library has version %d; "+
			"build it with the backsolve.h of this library", api, API)
	}
	t, err := backsolve.OpenFile(path)
	if err != nil {
		return 0, err
	}
	handle = s.last.Add(1)
	s.open.Store(handle, &entry{table: t})
	return handle, nil
}

// Use calls work with the table of a handle, which stays open meanwhile.
func (s *Tables) Use(handle uint64, work func(t *backsolve.Table) error) error {
	v, found := s.open.Load(handle)
	if !found {
		return noTable(handle)
	}
	e := v.(*entry)
	e.closing.RLock()
	defer e.closing.RUnlock()
	if e.closed {
		return noTable(handle)
	}
	return work(e.table)
}

// Close closes the table of a handle, after all questions in progress.
func (s *Tables) Close(handle uint64) error {
	v, found := s.open.LoadAndDelete(handle)
	if !found {
		return noTable(handle)
	}
	e := v.(*entry)
	e.closing.Lock()
	defer e.closing.Unlock()
	e.closed = true
	return e.table.Close()
}

func noTable(handle uint64) error {
	return fmt.Errorf("%w: %d was never opened, or is closed already; ask with what backsolve_open has given", errHandle, handle)
}
