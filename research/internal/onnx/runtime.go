//go:build (linux || darwin) && (amd64 || arm64)

package onnx

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Model is a network with one input and one or two outputs. It is safe for concurrent use.
type Model struct {
	session, input unsafe.Pointer
	outputs        []unsafe.Pointer // their names
	kind           int32            // of the input's numbers
	shape          []int64          // of the input, negative where any size will do
}

// The functions that are used, by their places in OrtApi. New versions only append to it.
const (
	getErrorMessage        = 2
	createEnv              = 3
	createSessionFromArray = 8
	run                    = 9
	createSessionOptions   = 10
	setIntraOpThreads      = 24
	inputCount             = 30
	outputCount            = 31
	inputTypeInfo          = 33
	inputName              = 36
	outputName             = 37
	createTensor           = 49
	tensorData             = 51
	tensorInfoOfType       = 55
	elementType            = 60
	dimensionsCount        = 61
	dimensions             = 62
	elementCount           = 64
	tensorInfo             = 65
	createCPUMemoryInfo    = 69
	allocatorFree          = 76
	defaultAllocator       = 78
	releaseStatus          = 93
	releaseSession         = 95
	releaseValue           = 96
	releaseTypeInfo        = 98
	releaseTensorInfo      = 99
	releaseSessionOptions  = 100
	sessionMetadata        = 111
	lookupMetadata         = 116
	releaseMetadata        = 118
	functions              = 119

	apiVersion = 11 // of onnxruntime 1.11
)

// The types of numbers, as ONNXTensorElementDataType has them.
const (
	float32s int32 = 1
	uint8s   int32 = 2
)

// ort is the library, with what all models share.
type ort struct {
	api                    *[functions]uintptr
	env, memory, allocator unsafe.Pointer
}

// library loads onnxruntime once.
var library = sync.OnceValues(func() (*ort, error) {
	names := []string{"libonnxruntime.so.1", "libonnxruntime.so"}
	if runtime.GOOS == "darwin" {
		names = []string{"libonnxruntime.dylib", "/opt/homebrew/lib/libonnxruntime.dylib"}
	}
	if path := os.Getenv(Variable); path != "" {
		names = []string{path}
	}
	var handle uintptr
	var err error
	for _, name := range names {
		if handle, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w; install it, and set $%s to the path of its library", ErrMissing, err, Variable)
	}
	var base func() *struct{ getAPI, version uintptr }
	symbol, err := purego.Dlsym(handle, "OrtGetApiBase")
	if err != nil {
		return nil, fmt.Errorf("%w: %s is another library: %w; set $%s to the path of onnxruntime's", ErrMissing, os.Getenv(Variable), err, Variable)
	}
	purego.RegisterFunc(&base, symbol)
	var getAPI func(version uintptr) *[functions]uintptr
	purego.RegisterFunc(&getAPI, base().getAPI)
	o := &ort{api: getAPI(apiVersion)}
	if o.api == nil {
		return nil, errors.New("this onnxruntime is too old; install version 1.11 or later")
	}
	const errorsOnly, arena, defaultMemory = 3, 1, 0
	id := []byte("backsolve\x00")
	return o, errors.Join(
		o.call(createEnv, errorsOnly, unsafe.Pointer(&id[0]), unsafe.Pointer(&o.env)),
		o.call(createCPUMemoryInfo, arena, defaultMemory, unsafe.Pointer(&o.memory)),
		o.call(defaultAllocator, unsafe.Pointer(&o.allocator)),
	)
})

// call calls a function with numbers and pointers. Pinning moves what these point to off the
// stack, which may be copied meanwhile.
func (o *ort) call(function int, args ...any) error {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	words := make([]uintptr, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case int:
			words[i] = uintptr(arg)
		case unsafe.Pointer:
			pinner.Pin(arg)
			words[i] = uintptr(arg)
		}
	}
	status, _, _ := purego.SyscallN(o.api[function], words...)
	if status == 0 {
		return nil
	}
	var message func(status uintptr) string
	purego.RegisterFunc(&message, o.api[getErrorMessage])
	err := errors.New(strings.TrimSpace(message(status)))
	purego.SyscallN(o.api[releaseStatus], status)
	return err
}

// release frees what call has given.
func (o *ort) release(function int, p unsafe.Pointer) { purego.SyscallN(o.api[function], uintptr(p)) }

func open(content []byte) (*Model, error) {
	o, err := library()
	if err != nil {
		return nil, err
	}
	m := &Model{}
	if err := m.load(o, content); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Model) load(o *ort, content []byte) error {
	var options unsafe.Pointer
	if err := o.call(createSessionOptions, unsafe.Pointer(&options)); err != nil {
		return err
	}
	defer o.release(releaseSessionOptions, options)
	// The caller has threads of its own; one each gives the same bits every time.
	err := o.call(setIntraOpThreads, options, 1)
	if err == nil {
		err = o.call(createSessionFromArray, o.env, unsafe.Pointer(unsafe.SliceData(content)), len(content), options, unsafe.Pointer(&m.session))
	}
	if err != nil {
		return err
	}
	var inputs, outputs int
	err = errors.Join(o.call(inputCount, m.session, unsafe.Pointer(&inputs)), o.call(outputCount, m.session, unsafe.Pointer(&outputs)))
	if err == nil && (inputs != 1 || outputs < 1 || outputs > 2) {
		err = fmt.Errorf("it has %d inputs and %d outputs; give it one input, and a policy and at most one value as outputs", inputs, outputs)
	}
	if err != nil {
		return err
	}
	m.outputs = make([]unsafe.Pointer, outputs)
	for i := range m.outputs {
		if err := o.call(outputName, m.session, i, o.allocator, unsafe.Pointer(&m.outputs[i])); err != nil {
			return err
		}
	}
	if err := o.call(inputName, m.session, 0, o.allocator, unsafe.Pointer(&m.input)); err != nil {
		return err
	}
	return m.readInput(o)
}

// readInput finds the type and the shape of the input.
func (m *Model) readInput(o *ort) error {
	var info, tensor unsafe.Pointer // tensor is a part of info
	if err := o.call(inputTypeInfo, m.session, 0, unsafe.Pointer(&info)); err != nil {
		return err
	}
	defer o.release(releaseTypeInfo, info)
	if err := o.call(tensorInfoOfType, info, unsafe.Pointer(&tensor)); err != nil {
		return err
	}
	var rank int
	if tensor == nil {
		return errors.New("its input is not a tensor")
	}
	if err := errors.Join(o.call(elementType, tensor, unsafe.Pointer(&m.kind)), o.call(dimensionsCount, tensor, unsafe.Pointer(&rank))); err != nil {
		return err
	}
	if m.kind != float32s && m.kind != uint8s || rank < 2 {
		return errors.New("its input is not a batch of float32 or uint8 numbers")
	}
	m.shape = make([]int64, rank)
	return o.call(dimensions, tensor, unsafe.Pointer(&m.shape[0]), rank)
}

// Close frees the network.
func (m *Model) Close() {
	if o, err := library(); err == nil && m.session != nil {
		o.release(releaseSession, m.session)
		m.session = nil
	}
}

// HasValue reports whether there is a second output, the value.
func (m *Model) HasValue() bool { return len(m.outputs) == 2 }

// Metadata returns what the file has under a key, "" if there is nothing.
func (m *Model) Metadata(key string) (string, error) {
	o, err := library()
	if err != nil {
		return "", err
	}
	var metadata, text unsafe.Pointer
	if err := o.call(sessionMetadata, m.session, unsafe.Pointer(&metadata)); err != nil {
		return "", err
	}
	defer o.release(releaseMetadata, metadata)
	name := append([]byte(key), 0)
	if err := o.call(lookupMetadata, metadata, o.allocator, unsafe.Pointer(&name[0]), unsafe.Pointer(&text)); err != nil || text == nil {
		return "", err
	}
	defer o.call(allocatorFree, o.allocator, text)
	length := 0
	for *(*byte)(unsafe.Add(text, length)) != 0 {
		length++
	}
	return string(unsafe.Slice((*byte)(text), length)), nil
}

// Run returns the outputs for one position, whose input has the given shape after that of the
// batch. The numbers are whole if the network's input is uint8.
func (m *Model) Run(input []float32, shape ...int) ([][]float32, error) {
	o, err := library()
	if err != nil {
		return nil, err
	}
	dims, err := m.fit(len(input), shape)
	if err != nil {
		return nil, err
	}
	data, size := unsafe.Pointer(unsafe.SliceData(input)), 4*len(input)
	if m.kind == uint8s {
		bytes := make([]byte, len(input))
		for i, x := range input {
			bytes[i] = byte(x)
		}
		data, size = unsafe.Pointer(unsafe.SliceData(bytes)), len(bytes)
	}
	var pinner runtime.Pinner // the tensor keeps the address
	pinner.Pin(data)
	defer pinner.Unpin()
	var tensor unsafe.Pointer
	if err := o.call(createTensor, o.memory, data, size, unsafe.Pointer(&dims[0]), len(dims), int(m.kind), unsafe.Pointer(&tensor)); err != nil {
		return nil, err
	}
	defer o.release(releaseValue, tensor)
	values := make([]unsafe.Pointer, len(m.outputs))
	if err := o.call(run, m.session, nil, unsafe.Pointer(&m.input), unsafe.Pointer(&tensor), 1, unsafe.Pointer(&m.outputs[0]), len(values), unsafe.Pointer(&values[0])); err != nil {
		return nil, err
	}
	results := make([][]float32, len(values))
	for i, value := range values {
		defer o.release(releaseValue, value)
		var failed error
		results[i], failed = o.numbers(value)
		err = errors.Join(err, failed)
	}
	return results, err
}

// fit returns the shape of the input with a batch of one: the given one, or flat if the network
// wants two dimensions.
func (m *Model) fit(size int, shape []int) ([]int64, error) {
	dims := []int64{1, int64(size)}
	if len(m.shape) != 2 {
		dims = dims[:1]
		for _, n := range shape {
			dims = append(dims, int64(n))
		}
	}
	wrong := len(dims) != len(m.shape)
	for i := 0; !wrong && i < len(dims); i++ {
		wrong = m.shape[i] >= 0 && m.shape[i] != dims[i]
	}
	if wrong {
		return nil, fmt.Errorf("its input has the shape %v, and a position has %v; -1 is any size", m.shape, dims)
	}
	return dims, nil
}

// numbers copies the numbers of an output.
func (o *ort) numbers(value unsafe.Pointer) ([]float32, error) {
	var info, data unsafe.Pointer
	if err := o.call(tensorInfo, value, unsafe.Pointer(&info)); err != nil {
		return nil, err
	}
	defer o.release(releaseTensorInfo, info)
	var kind int32
	var count int
	err := errors.Join(o.call(elementType, info, unsafe.Pointer(&kind)), o.call(elementCount, info, unsafe.Pointer(&count)), o.call(tensorData, value, unsafe.Pointer(&data)))
	if err != nil || count == 0 {
		return nil, err
	}
	if kind != float32s {
		return nil, errors.New("its outputs are not float32")
	}
	numbers := slices.Clone(unsafe.Slice((*float32)(data), count))
	if slices.ContainsFunc(numbers, func(x float32) bool { return x != x }) {
		return nil, errors.New("its outputs are not numbers (NaN)")
	}
	return numbers, nil
}
