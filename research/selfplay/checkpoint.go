package selfplay

import (
	"encoding/binary"
	"errors"
	"fmt"

	"backsolve/internal/player/zero"
	"backsolve/internal/sealed"
)

// format is the format of checkpoints, which hold all that the next iteration needs.
var format = sealed.Format{Name: "backsolve learn checkpoint", Version: 2, MaxSize: 16 << 30}

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
		return nil, fmt.Errorf("%s cannot be resumed: %w; start over with lab train", path, err)
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

// sampleHead is the part of a sample that has the same length in all.
type sampleHead struct {
	State   zero.State
	Value   float32
	Actions uint16 // their number
}

func (s *Sample) append(dst []byte) []byte {
	for _, part := range []any{sampleHead{s.State, s.Value, uint16(len(s.Actions))}, s.Actions, s.Policy} {
		dst, _ = binary.Append(dst, binary.LittleEndian, part) // these types have no errors
	}
	return dst
}

func (s *Sample) read(data []byte) ([]byte, error) {
	var head sampleHead
	n, err := binary.Decode(data, binary.LittleEndian, &head)
	if err != nil {
		return nil, errSamples
	}
	s.State, s.Value = head.State, head.Value
	s.Actions, s.Policy = make([]int16, head.Actions), make([]float32, head.Actions)
	for _, part := range []any{s.Actions, s.Policy} {
		data = data[n:]
		if n, err = binary.Decode(data, binary.LittleEndian, part); err != nil {
			return nil, errSamples
		}
	}
	return data[n:], nil
}
