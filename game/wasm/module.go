package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// maxPages is how much memory a module gets, in pages of 64 KiB.
const maxPages = 64

// fuel is how many bytes of code a call may run. Tests make it small.
var fuel int64 = 1 << 26

// Shared is set, before rules are read, by a process that serves others too. Long calls of a
// module then take at most a fifth of a processor, after the first five seconds' worth; short
// ones are free.
var Shared bool

// shortCall is in bytes of code, some 0.1 ms. Tests make mostDebt small.
const shortCall = 1 << 17

var mostDebt = 5 * time.Second

var errShared = errors.New("its calls take more time than a server has for a game; try again in some seconds")

// What passes through a module's buffer.
const (
	bufferBytes = 64 << 10
	recordBytes = 24
	maxRecords  = bufferBytes / recordBytes
	maxText     = 4096
	maxAbout    = 32 << 10
)

type function int

const (
	fnGame function = iota
	fnBuffer
	fnStart
	fnExpand
	fnFormat
	fnParse
	fnMove // from here on optional
	fnTurn
	fnImages
	functionCount
)

var signatures = [functionCount]struct{ name, types string }{
	fnGame:   {"game", "() → (i32)"},
	fnBuffer: {"buffer", "() → (i32)"},
	fnStart:  {"start", "() → ()"},
	fnExpand: {"expand", "(i64 i32) → (i32)"},
	fnFormat: {"format", "(i64 i32) → (i32)"},
	fnParse:  {"parse", "(i32) → (i32)"},
	fnMove:   {"move", "(i64 i32 i64 i32) → (i32)"},
	fnTurn:   {"turn", "(i64 i32) → (i32)"},
	fnImages: {"images", "(i64 i32) → (i32)"},
}

// module is a compiled module. An instance of it serves one call at a time.
type module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	has      [functionCount]bool
	idle     chan *instance
	paid     atomic.Int64 // when the time of long calls will be paid, in Unix nanoseconds
}

func compile(source []byte) (*module, error) {
	code, err := metered(source, uint64(fuel))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2 &^ api.CoreFeatureSIMD).WithMemoryLimitPages(maxPages).WithDebugInfoEnabled(false)
	m := &module{runtime: wazero.NewRuntimeWithConfig(ctx, config), idle: make(chan *instance, 256)}
	if m.compiled, err = m.runtime.CompileModule(ctx, code); err != nil {
		err = fmt.Errorf("it does not compile: %s", firstLine(err))
	} else {
		err = m.checkExports()
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *module) checkExports() error {
	exported := m.compiled.ExportedFunctions()
	for f, want := range signatures {
		got, ok := exported[want.name]
		m.has[f] = ok
		if !ok && function(f) < fnMove {
			return fmt.Errorf("it does not export the function %s", want.name)
		}
		if !ok {
			continue
		}
		if types := typeNames(got); types != want.types {
			return fmt.Errorf("its function %s is %s, and not %s", want.name, types, want.types)
		}
	}
	if len(m.compiled.ExportedMemories()) == 0 {
		return errors.New("it does not export its memory")
	}
	return nil
}

func (m *module) close() { m.runtime.Close(context.Background()) }

// typeNames names the types of a function as they are written in WebAssembly: (i64 i32) → (i32).
func typeNames(f api.FunctionDefinition) string {
	names := func(types []api.ValueType) (text string) {
		for _, t := range types {
			text += " " + api.ValueTypeName(t)
		}
		return "(" + strings.TrimPrefix(text, " ") + ")"
	}
	return names(f.ParamTypes()) + " → " + names(f.ResultTypes())
}

// firstLine drops the place in the code from an error of the machine.
func firstLine(err error) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "wasm error: "), "\n")
	return text
}

type instance struct {
	of        *module
	module    api.Module
	memory    api.Memory
	meter     api.MutableGlobal
	functions [functionCount]api.Function
	buffer    uint32
	stack     [4]uint64
	broken    bool // by an error
}

func (m *module) instance() (*instance, error) {
	ctx := context.Background()
	made, err := m.runtime.InstantiateModule(ctx, m.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("it does not start: %s", firstLine(err))
	}
	i := &instance{of: m, module: made, memory: made.Memory(), meter: made.ExportedGlobal(meterName).(api.MutableGlobal)}
	for f, has := range m.has {
		if has {
			i.functions[f] = made.ExportedFunction(signatures[f].name)
		}
	}
	at, err := i.call(fnBuffer)
	if err == nil {
		i.buffer = uint32(at)
		if _, ok := i.memory.Read(i.buffer, bufferBytes); !ok {
			err = fmt.Errorf("buffer returns %d, but there are no %d bytes of memory from there on", i.buffer, bufferBytes)
		}
	}
	if err != nil {
		made.Close(ctx)
		return nil, err
	}
	return i, nil
}

// ask writes a text, calls a function, and passes its result and output to read. After an
// error the instance is not used again.
func (m *module) ask(f function, text string, arguments []uint64, read func(i *instance, n int32) error) error {
	i, err := m.take()
	if err != nil {
		return err
	}
	defer m.put(i)
	i.memory.WriteString(i.buffer, text)
	n, err := i.call(f, arguments...)
	if err == nil {
		err = read(i, n)
	}
	i.broken = err != nil
	return err
}

func (m *module) take() (*instance, error) {
	select {
	case i := <-m.idle:
		return i, nil
	default:
		return m.instance()
	}
}

// put makes an instance available to others, or closes it if it is broken or there are enough.
func (m *module) put(i *instance) {
	if !i.broken {
		select {
		case m.idle <- i:
			return
		default:
		}
	}
	i.module.Close(context.Background())
}

func (i *instance) call(f function, arguments ...uint64) (result int32, err error) {
	if Shared {
		now := time.Now().UnixNano()
		if i.of.paid.Load() > now+int64(mostDebt) {
			return 0, errShared
		}
		defer func() {
			if ran := fuel - int64(i.meter.Get()); ran > shortCall { // a nanosecond a byte
				i.of.paid.Store(max(i.of.paid.Load(), now) + 5*ran)
			}
		}()
	}
	i.meter.Set(uint64(fuel))
	copy(i.stack[:], arguments)
	if err := i.functions[f].CallWithStack(context.Background(), i.stack[:]); err != nil {
		if int64(i.meter.Get()) < 0 {
			return 0, fmt.Errorf("%s does not end: it ran %d bytes of code", signatures[f].name, fuel)
		}
		return 0, fmt.Errorf("%s traps: %s", signatures[f].name, firstLine(err))
	}
	return int32(uint32(i.stack[0])), nil
}

// text returns the text of length bytes that f has written to the buffer.
func (i *instance) text(f function, length int32) (string, error) {
	if length < 1 || length > maxText {
		return "", fmt.Errorf("%s returns %d; a text has 1 to %d bytes", signatures[f].name, length, maxText)
	}
	b, _ := i.memory.Read(i.buffer, uint32(length))
	return printable(f, b)
}

// printable returns a text unless a terminal could mistake it for commands.
func printable(f function, b []byte) (string, error) {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if text := string(b); utf8.ValidString(text) && !strings.ContainsFunc(text, unprintable) {
		return text, nil
	}
	return "", fmt.Errorf("%s writes %.60q, which is not of printable characters in UTF-8", signatures[f].name, b)
}

// records appends the positions that f has written into the buffer; except for start, its result
// is their number.
func (i *instance) records(dst []state, f function, n int32, tiers int) ([]state, error) {
	most := int32(maxRecords)
	switch f {
	case fnStart:
		n = 1
	case fnParse:
		most = 1
	}
	if n < 0 || n > most {
		return nil, fmt.Errorf("%s returns %d positions; there can be at most %d", signatures[f].name, n, most)
	}
	b, _ := i.memory.Read(i.buffer, uint32(n*recordBytes))
	for le := binary.LittleEndian; len(b) > 0; b = b[recordBytes:] {
		tier := le.Uint32(b[16:])
		if tier >= uint32(tiers) {
			return nil, fmt.Errorf("%s writes a position in tier %d of %d", signatures[f].name, tier, tiers)
		}
		dst = append(dst, state{le.Uint64(b), le.Uint64(b[8:]), int32(tier)})
	}
	return dst, nil
}
