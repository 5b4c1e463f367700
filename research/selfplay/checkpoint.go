package selfplay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"backsolve/internal/sealed"
	"backsolve/player/zero"
)

// format is that of checkpoints: all that the next iteration needs.
var format = sealed.Format{Name: "backsolve learn checkpoint", Version: 1, MaxSize: 16 << 30}

// saved is the header of a checkpoint. Behind it stand, as numbers of 32 bits, the
// parameters of the best network and of the trained one, Adam's two means and, where there
// is one, the mean of the parameters, padding included, and then the samples.
type saved struct {
	Run        Run   `json:"run"`
	Iteration  int   `json:"iteration"`
	Steps      int   `json:"steps"`
	Parameters int   `json:"parameters"`
	Replay     []int `json:"replay"` // the number of samples of each iteration
}

// Save writes a checkpoint to a file, over one that is there.
func (l *Learner) Save(path string) error {
	h := saved{Run: l.Run, Iteration: l.Iteration, Steps: l.trainer.Steps, Parameters: len(l.Best.Parameters)}
	var numbers []byte
	for _, part := range l.parts() {
		numbers = zero.AppendFloats(numbers, part)
	}
	for _, samples := range l.replay {
		h.Replay = append(h.Replay, len(samples))
		for i := range samples {
			numbers = samples[i].append(numbers)
		}
	}
	if err := format.Write(path, &h, numbers); err != nil {
		return fmt.Errorf("the checkpoint is not saved: %w", err)
	}
	return nil
}

// parts are the numbers of a checkpoint before the samples.
func (l *Learner) parts() [][]float32 {
	return append([][]float32{l.Best.Parameters}, l.trained()...)
}

// errSamples: what should be samples are none.
var errSamples = errors.New("what it has are not the numbers of its header")

// Load goes on with a training that Save has kept, on so many threads. The error is a
// sentence that names the file.
func Load(path string, threads int) (*Learner, error) {
	l, err := load(path, threads)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be gone on with: %w; begin anew with learn train", path, err)
	}
	return l, nil
}

func load(path string, threads int) (*Learner, error) {
	var h saved
	numbers, err := format.Read(path, &h)
	if err != nil {
		return nil, err
	}
	l, err := New(h.Run, threads)
	if err != nil {
		return nil, err
	}
	parts := l.parts()
	if h.Parameters != len(l.Best.Parameters) || len(numbers) < 4*len(parts)*h.Parameters || h.Iteration < 0 || h.Steps < 0 {
		return nil, errSamples
	}
	for _, part := range parts {
		copy(part, zero.Floats(numbers[:4*len(part)]))
		numbers = numbers[4*len(part):]
	}
	l.Best.Pack()
	l.trainer.Network.Pack()
	l.Iteration, l.trainer.Steps = h.Iteration, h.Steps
	for _, count := range h.Replay {
		var samples []Sample
		for range count {
			var s Sample
			if numbers, err = s.read(numbers); err != nil {
				return nil, err
			}
			samples = append(samples, s)
		}
		l.replay = append(l.replay, samples)
	}
	if len(numbers) > 0 {
		return nil, errSamples
	}
	return l, nil
}

// append appends the bytes of a sample: the state, the value, and each action with its
// probability, after their number. The last word of a state is there where it is not 0, and
// a bit of the number says so.
func (s *Sample) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.State[0])
	dst = binary.LittleEndian.AppendUint64(dst, s.State[1])
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(s.Value))
	if last := s.State[2]; last == 0 {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(s.Actions)))
	} else {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(s.Actions))|hasLast)
		dst = binary.LittleEndian.AppendUint64(dst, last)
	}
	for i, a := range s.Actions {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(a))
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(s.Policy[i]))
	}
	return dst
}

const (
	sampleBytes = 22 // of a sample without actions
	lastBytes   = 8
	actionBytes = 6
	hasLast     = 1 << 15
)

// read reads what append has appended, and returns the rest.
func (s *Sample) read(data []byte) ([]byte, error) {
	if len(data) < sampleBytes {
		return nil, errSamples
	}
	s.State = zero.State{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])}
	s.Value = math.Float32frombits(binary.LittleEndian.Uint32(data[16:]))
	number := binary.LittleEndian.Uint16(data[20:])
	data = data[sampleBytes:]
	if number&hasLast != 0 {
		if len(data) < lastBytes {
			return nil, errSamples
		}
		s.State[2] = binary.LittleEndian.Uint64(data)
		data = data[lastBytes:]
	}
	count := int(number &^ hasLast)
	if len(data) < count*actionBytes {
		return nil, errSamples
	}
	for range count {
		s.Actions = append(s.Actions, int16(binary.LittleEndian.Uint16(data)))
		s.Policy = append(s.Policy, math.Float32frombits(binary.LittleEndian.Uint32(data[2:])))
		data = data[actionBytes:]
	}
	return data, nil
}
