package selfplay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"backsolve/internal/sealed"
	"backsolve/player/zero"
)

// format is the format of checkpoints, which hold all that the next iteration needs.
var format = sealed.Format{Name: "backsolve learn checkpoint", Version: 1, MaxSize: 16 << 30}

// saved is the header of a checkpoint. 32-bit numbers follow, padding included: the
// parameters of the best network and of the trained one, Adam's two means, the mean of the
// parameters if there is one. The samples come last.
type saved struct {
	Run        Run   `json:"run"`
	Iteration  int   `json:"iteration"`
	Steps      int   `json:"steps"`
	Parameters int   `json:"parameters"`
	Replay     []int `json:"replay"` // the number of samples of each iteration
}

// Save writes a checkpoint to a file, replacing an existing one.
func (l *Learner) Save(path string) error {
	h := saved{Run: l.Run, Iteration: l.Iteration, Steps: l.trainer.Steps, Parameters: len(l.Best.Parameters)}
	var numbers []byte
	for _, vector := range l.vectors() {
		numbers = zero.AppendFloats(numbers, vector)
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

// vectors returns the numbers of a checkpoint before the samples.
func (l *Learner) vectors() [][]float32 {
	return append([][]float32{l.Best.Parameters}, l.trained()...)
}

var errSamples = errors.New("its numbers do not match its header")

// Load resumes a training from a checkpoint of Save. The error is a sentence that names the
// file.
func Load(path string, threads int) (*Learner, error) {
	l, err := load(path, threads)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w; start over with learn train", path, err)
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
	vectors := l.vectors()
	if h.Parameters != len(l.Best.Parameters) || len(numbers) < 4*len(vectors)*h.Parameters || h.Iteration < 0 || h.Steps < 0 {
		return nil, errSamples
	}
	for _, vector := range vectors {
		copy(vector, zero.Floats(numbers[:4*len(vector)]))
		numbers = numbers[4*len(vector):]
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

// append appends the encoding of a sample: the state, the value, the number of actions, and
// each action with its probability. The state's last word is left out if it is 0, which a bit
// of the number tells.
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

// read decodes a sample and returns the bytes behind it.
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
