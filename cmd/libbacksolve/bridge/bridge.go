// Package bridge is the part of the C library that needs no C: tables by handles, statuses of
// errors, and texts in buffers. include/backsolve.h documents them.
package bridge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"backsolve"
	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
)

// API is the version of the interface: BACKSOLVE_API.
const API = 1

// Status is the result of a function in C.
type Status int32

// The statuses, as in the header.
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
	ErrInput  = errors.New("wrong argument")
	errHandle = errors.New("not open")
)

type inputError string

func (e inputError) Error() string        { return string(e) }
func (e inputError) Is(target error) bool { return target == ErrInput }

// Inputf returns an ErrInput with a sentence.
func Inputf(format string, args ...any) error { return inputError(fmt.Sprintf(format, args...)) }

// StatusOf returns the status of an error.
func StatusOf(err error) Status {
	err = backsolve.Classify(err)
	wraps := func(kinds ...error) bool {
		return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	}
	switch illegal := (*game.IllegalMoveError)(nil); {
	case err == nil:
		return OK
	case wraps(ErrInput, backsolve.ErrPosition, backsolve.ErrBoard), errors.As(err, &illegal):
		return Input
	case wraps(errHandle, fs.ErrClosed):
		return Closed
	case wraps(backsolve.ErrBadTable):
		return BadTable
	case wraps(fs.ErrNotExist, probe.ErrUnknown), partition.HasNone(err):
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

// Handles has open tables, or games, by their handles. The zero value has none. It is safe for concurrent use.
type Handles[T io.Closer] struct {
	last atomic.Uint64
	open sync.Map // of *entry[T] by uint64
}

type entry[T io.Closer] struct {
	closing sync.RWMutex // held for reading during questions
	object  T
	closed  bool
}

// Open adds the result of open for a program built for an API version, and returns its handle.
func (s *Handles[T]) Open(api uint32, open func() (T, error)) (handle uint64, err error) {
	if api != API {
		return 0, Inputf("the program was built for version %d of the interface, and this library has version %d; "+
			"build it with the backsolve.h of this library", api, API)
	}
	object, err := open()
	if err != nil {
		return 0, err
	}
	handle = s.last.Add(1)
	s.open.Store(handle, &entry[T]{object: object})
	return handle, nil
}

// Use calls work with the object of a handle, which stays open meanwhile.
func (s *Handles[T]) Use(handle uint64, work func(object T) error) error {
	v, found := s.open.Load(handle)
	if !found {
		return noTable(handle)
	}
	e := v.(*entry[T])
	e.closing.RLock()
	defer e.closing.RUnlock()
	if e.closed {
		return noTable(handle)
	}
	return work(e.object)
}

// Close closes the object of a handle, after all questions in progress.
func (s *Handles[T]) Close(handle uint64) error {
	v, found := s.open.LoadAndDelete(handle)
	if !found {
		return noTable(handle)
	}
	e := v.(*entry[T])
	e.closing.Lock()
	defer e.closing.Unlock()
	e.closed = true
	return e.object.Close()
}

func noTable(handle uint64) error {
	return fmt.Errorf("%w: %d was never opened, or is closed already; use the handle that opening returned", errHandle, handle)
}
