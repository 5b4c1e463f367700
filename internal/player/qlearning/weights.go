package qlearning

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/sealed"
	"backsolve/internal/strict"
)

// Weights are what was learned of a board.
type Weights struct {
	Game string `json:"game"`
	Size int    `json:"size"`
	// Options are what they were learned with.
	Options Options `json:"options"`
	// Values are of the 4n + 7 features of the n×n board, or as many for each action.
	Values []float64 `json:"weights"`

	path string // where they were loaded from
}

// What a file of weights begins with.
const (
	format  = "backsolve weights"
	version = 1
)

// maxFile exceeds the size of any file of weights.
const maxFile = 1 << 20

type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// Load reads weights. The error is a sentence with the file, what is wrong, and the remedy.
func Load(path string) (*Weights, error) {
	data, err := sealed.ReadAll(path, maxFile)
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		return nil, fmt.Errorf("the weights cannot be read: %w; train some with lab train", err)
	}
	var w *Weights
	if err == nil {
		w, err = decode(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is of no use: %w; train new weights with lab train", path, err)
	}
	w.path = path
	return w, nil
}

func decode(data []byte) (*Weights, error) {
	var h header
	if err := json.Unmarshal(data, &h); err != nil && h.Format == "" {
		return nil, fmt.Errorf("it is not a file of weights, or a damaged one (%w)", err)
	}
	switch {
	case h.Format != format:
		return nil, errors.New("it is not a file of weights")
	case h.Version != version:
		return nil, fmt.Errorf("it has version %d, and this program knows version %d", h.Version, version)
	}
	var all struct {
		header
		Weights
	}
	err := strict.Unmarshal(data, &all)
	if err == nil {
		err = all.Weights.check()
	}
	if err != nil {
		return nil, fmt.Errorf("it is damaged (%w)", err)
	}
	return &all.Weights, nil
}

// Save writes the weights, whole or not at all, over a file that is there.
func (w *Weights) Save(path string) error {
	if err := w.check(); err != nil {
		return fmt.Errorf("the weights are not saved: %w", err)
	}
	data, err := json.MarshalIndent(struct {
		header
		*Weights
	}{header{format, version}, w}, "", "  ")
	if err != nil {
		return fmt.Errorf("the weights are not saved: %w", err)
	}
	if err := durable.WriteFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("the weights are not saved: %w", err)
	}
	return nil
}

func (w *Weights) check() error {
	rules, err := games.NewGrid(w.Game, w.Size)
	if err != nil {
		return err
	}
	if err := w.Options.check(); err != nil {
		return err
	}
	if want := len(newValuer(rules, w.Options, nil).weights); len(w.Values) != want {
		return fmt.Errorf("there are %d weights, and %s %d×%d has %d", len(w.Values), w.Game, w.Size, w.Size, want)
	}
	for i, v := range w.Values {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fmt.Errorf("weight %d is %v, which is not a finite number", i+1, v)
		}
	}
	return nil
}
