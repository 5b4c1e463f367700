package zero

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"backsolve/game/games"
	"backsolve/internal/player/zero/network"
	"backsolve/internal/sealed"
)

// Weights are a network with all that made it.
type Weights struct {
	Made
	Network *network.Network

	path string // where they were loaded from
}

// Made is what is known of a network beside its numbers: the header of a file.
type Made struct {
	Game     string        `json:"game"`
	Size     int           `json:"size"`
	Encoding Encoding      `json:"encoding"`
	Shape    network.Shape `json:"network"`
	// Search is how trees were searched while it was trained.
	Search Search `json:"search"`
	// Seed is the seed of the training, Iteration the iteration after which it was saved.
	Seed      uint64 `json:"seed"`
	Iteration int    `json:"iteration"`
	// HeldOut is the share of states that were held out of the training.
	HeldOut float64 `json:"held_out,omitempty"`
	// Run describes the training.
	Run json.RawMessage `json:"run"`
}

var format = sealed.Format{Name: "backsolve zero weights", Version: 1, MaxSize: 1 << 30}

// View returns the view that the network was made for. The error says what is wrong with it.
func (m *Made) View() (View, error) {
	rules, err := games.New(m.Game, m.Size)
	if err != nil {
		return nil, err
	}
	return NewView(rules, m.Encoding)
}

func (m *Made) check() error {
	v, err := m.View()
	if err != nil {
		return err
	}
	if err := m.Shape.Check(); err != nil {
		return err
	}
	if m.Shape.Inputs != v.Inputs() || m.Shape.Actions != v.Actions() {
		return fmt.Errorf("the network has %d inputs and %d actions, and %s of size %d has %d and %d so encoded", m.Shape.Inputs, m.Shape.Actions, m.Game, m.Size, v.Inputs(), v.Actions())
	}
	return m.Search.Check()
}

// Load reads weights. The error is a sentence with the file, what is wrong, and the remedy.
func Load(path string) (*Weights, error) {
	w := &Weights{path: path}
	numbers, err := format.Read(path, &w.Made)
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		return nil, fmt.Errorf("the weights cannot be read: %w; name a file that lab train has made", err)
	}
	if err == nil {
		err = w.check()
	}
	if err == nil {
		w.Network = network.New(w.Shape)
		err = w.Network.Import(Floats(numbers))
	}
	if err != nil {
		return nil, fmt.Errorf("%s is of no use as weights: %w; train new ones with lab train", path, err)
	}
	return w, nil
}

// Save writes the weights, whole or not at all, over a file that is there.
func (w *Weights) Save(path string) error {
	err := w.check()
	if err == nil {
		err = format.Write(path, &w.Made, AppendFloats(nil, w.Network.Export(nil)))
	}
	if err != nil {
		return fmt.Errorf("the weights are not saved: %w", err)
	}
	return nil
}

// AppendFloats appends the bytes of numbers, the lowest byte first.
func AppendFloats(dst []byte, numbers []float32) []byte {
	dst, _ = binary.Append(dst, binary.LittleEndian, numbers) // which only fails for other types
	return dst
}

// Floats returns the numbers of bytes that AppendFloats has appended.
func Floats(data []byte) []float32 {
	numbers := make([]float32, len(data)/4)
	binary.Decode(data, binary.LittleEndian, numbers) // there are enough
	return numbers
}
