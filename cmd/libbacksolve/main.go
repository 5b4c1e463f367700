// Command libbacksolve is the C library: make libbacksolve builds it with
// -buildmode=c-shared. It needs cgo and is left out without it.
//
// The compiler compares the functions below with their prototypes in include/backsolve.h. Go
// does not notice changes of this header: then change this package as well, or run go clean
// -cache.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../include
#include <backsolve.h>

typedef const char backsolve_text; // Go has no const
*/
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"backsolve"
	"backsolve/cmd/libbacksolve/bridge"
	"backsolve/game"
)

// An index is out of range unless the numbers equal the header's.
func _() {
	var x [1]struct{}
	_ = x[bridge.API-C.BACKSOLVE_API]
	_ = x[bridge.OK-C.BACKSOLVE_OK]
	_ = x[bridge.Failed-C.BACKSOLVE_FAILED]
	_ = x[bridge.Input-C.BACKSOLVE_INPUT]
	_ = x[bridge.NoTable-C.BACKSOLVE_NO_TABLE]
	_ = x[bridge.BadTable-C.BACKSOLVE_BAD_TABLE]
	_ = x[bridge.Closed-C.BACKSOLVE_CLOSED]
	_ = x[unsafe.Sizeof(bridge.State{})-C.sizeof_backsolve_state]
	_ = x[unsafe.Sizeof(bridge.Value{})-C.sizeof_backsolve_value]
	_ = x[bridge.Leave-C.BACKSOLVE_LEAVE]
	_ = x[backsolve.Draw-C.BACKSOLVE_DRAW]
	_ = x[backsolve.Win-C.BACKSOLVE_WIN]
	_ = x[backsolve.Lose-C.BACKSOLVE_LOSE]
}

// version is set by the build, with -ldflags "-X main.version=…".
var version string

var (
	tables      bridge.Handles[*backsolve.Table]
	games       bridge.Handles[*bridge.Games]
	versionText = C.CString(cmp.Or(version, "devel")) // never freed
)

func main() {} // -buildmode=c-shared needs one

// maxMessage is longer than any message. Callers may give any size.
const maxMessage = 1 << 16

// call runs the work of a function and returns its status to C, with the error as message.
func call(message *C.char, size C.size_t, work func() error) C.int {
	err := safely(work)
	sentence := ""
	if err != nil {
		sentence = err.Error()
	}
	if message != nil {
		bridge.CopyText(unsafe.Slice((*byte)(unsafe.Pointer(message)), min(size, maxMessage)), sentence)
	}
	return C.int(bridge.StatusOf(err))
}

// invalid is the value of a panic about an invalid argument, which call recovers.
type invalid struct{ error }

// safely turns a panic, which would end the caller's process, into an error.
func safely(work func() error) (err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case invalid:
			err = cause.error
		default:
			err = fmt.Errorf("this should not happen, please report it: %v", cause)
		}
	}()
	return work()
}

func refuse(format string, args ...any) { panic(invalid{bridge.Inputf(format, args...)}) }

// notNull refuses arguments that are NULL; names are theirs.
func notNull(names string, arguments ...unsafe.Pointer) {
	if i := slices.Index(arguments, nil); i >= 0 {
		refuse("%s is NULL", strings.Fields(names)[i])
	}
}

func ask(table C.backsolve_table, message *C.char, size C.size_t, work func(t *backsolve.Table) error) C.int {
	return call(message, size, func() error { return tables.Use(uint64(table), work) })
}

func text(t *C.backsolve_text) string { return C.GoString((*C.char)(unsafe.Pointer(t))) }

func put(array []C.char, text string) {
	bridge.CopyText(unsafe.Slice((*byte)(unsafe.Pointer(&array[0])), len(array)), text)
}

func flag(is bool) C.int32_t {
	if is {
		return 1
	}
	return 0
}

func valueOf(v backsolve.Value) C.backsolve_value {
	return C.backsolve_value{outcome: C.int32_t(v.Outcome), steps: C.int32_t(v.Steps)}
}

//export backsolve_version
func backsolve_version() *C.backsolve_text { return (*C.backsolve_text)(unsafe.Pointer(versionText)) }

//export backsolve_open
func backsolve_open(api C.uint32_t, path *C.backsolve_text, table *C.backsolve_table, message *C.char, size C.size_t) C.int {
	return open(api, table, message, size, func() (*backsolve.Table, error) {
		notNull("path", unsafe.Pointer(path))
		return backsolve.OpenFile(text(path))
	})
}

func open(api C.uint32_t, table *C.backsolve_table, message *C.char, size C.size_t, by func() (*backsolve.Table, error)) C.int {
	return call(message, size, func() error {
		notNull("table", unsafe.Pointer(table))
		handle, err := tables.Open(uint32(api), by)
		if err == nil {
			*table = C.backsolve_table(handle)
		}
		return err
	})
}

//export backsolve_close
func backsolve_close(table C.backsolve_table, message *C.char, size C.size_t) C.int {
	return call(message, size, func() error { return tables.Close(uint64(table)) })
}

//export backsolve_describe
func backsolve_describe(table C.backsolve_table, board *C.backsolve_board, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		notNull("board", unsafe.Pointer(board))
		b := t.Board()
		put(board.game[:], b.Game)
		put(board.start[:], b.Start)
		size, _ := game.ParseSize(b.Size)
		board.size, board.marks = C.int32_t(size), C.int32_t(b.Marks)
		board.steps, board.opening = flag(b.Steps), flag(b.Opening)
		return nil
	})
}

//export backsolve_probe
func backsolve_probe(table C.backsolve_table, position *C.backsolve_text, value *C.backsolve_value, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		notNull("position value", unsafe.Pointer(position), unsafe.Pointer(value))
		v, err := t.Value(text(position))
		if err == nil {
			*value = valueOf(v)
		}
		return err
	})
}

//export backsolve_probe_masks
func backsolve_probe_masks(table C.backsolve_table, x, o C.uint64_t, oToMove C.int, value *C.backsolve_value, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		if oToMove != 0 && oToMove != 1 {
			refuse("o_to_move is %d; give 1 if the next mark is an O, otherwise 0", oToMove)
		}
		notNull("value", unsafe.Pointer(value))
		v, err := t.Lookup(uint64(x), uint64(o), oToMove == 1)
		if err == nil {
			*value = valueOf(v)
		}
		return err
	})
}

//export backsolve_nimber
func backsolve_nimber(table C.backsolve_table, position *C.backsolve_text, nimber *C.int32_t, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		notNull("position nimber", unsafe.Pointer(position), unsafe.Pointer(nimber))
		n, err := t.Nimber(text(position))
		if err != nil {
			return err
		}
		*nimber = -1
		if value, known := n.Value(); known {
			*nimber = C.int32_t(value)
		}
		return nil
	})
}

//export backsolve_rank
func backsolve_rank(table C.backsolve_table, position *C.backsolve_text, moves *C.backsolve_move, capacity C.size_t, count *C.size_t, message *C.char, size C.size_t) C.int {
	return ask(table, message, size, func(t *backsolve.Table) error {
		notNull("position", unsafe.Pointer(position))
		if moves == nil && capacity > 0 {
			refuse("moves is NULL, and capacity is %d; give 0 to get no moves", capacity)
		}
		a, err := t.Ask(text(position))
		if err != nil {
			return err
		}
		best := a.Moves[:min(uint64(capacity), uint64(len(a.Moves)))]
		to := unsafe.Slice(moves, len(best))
		for i, m := range best {
			put(to[i].move[:], m.Move)
			put(to[i].position[:], m.Position)
			to[i].value = valueOf(m.Value)
		}
		if count != nil {
			*count = C.size_t(len(a.Moves))
		}
		return nil
	})
}
