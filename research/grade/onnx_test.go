package grade

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
	"backsolve/research/internal/onnx"
	"backsolve/research/nn"
)

// newONNX returns the agent of a file, or skips the test where onnxruntime is not installed.
func newONNX(t *testing.T, rules game.Rules, path string) player.Agent {
	t.Helper()
	a, err := NewONNX(rules, path)
	if os.Getenv(onnx.Variable) == "" && errors.Is(err, onnx.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type foreignShares struct {
	States               int
	Keep, Random, Strict float64
	RandomStrict         float64 `json:"random_strict"`
	Sign                 *float64
}

type foreignGrade struct {
	All, Won foreignShares
	Champion []struct {
		Side                int
		Champion            bool
		States, Kept, Wrong int
		Line                []string
	}
}

// Networks of PyTorch (testdata/foreign.py) have the grades that the Python package found when it
// ran them by PyTorch: its observations, actions and measures are those of this package.
func TestForeignNetworks(t *testing.T) {
	content, err := os.ReadFile("testdata/foreign.json")
	if err != nil {
		t.Fatal(err)
	}
	var grades map[string]foreignGrade
	if err := json.Unmarshal(content, &grades); err != nil {
		t.Fatal(err)
	}
	for name, want := range grades {
		s := newSubject(t, name, 3, true)
		s.Agent, s.Seed = newONNX(t, s.Rules, filepath.Join("testdata", name+"-3.onnx")), 1
		drawn := map[string]int{"quixo": 1000}
		x, err := s.Expert(t.Context(), drawn[name], nil)
		if err != nil {
			t.Fatal(err)
		}
		checkShares(t, name, x.All, x.Estimate, want.All)
		checkShares(t, name+", won", x.Won, x.Estimate, want.Won)
		sides, err := s.Sides()
		if err != nil || len(sides) != len(want.Champion) {
			t.Fatalf("%s: sides %v, %v; want %d", name, sides, err, len(want.Champion))
		}
		for _, w := range want.Champion {
			got, err := s.Champion(t.Context(), game.Side(w.Side), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Champion != w.Champion || got.States != w.States || got.Kept != w.Kept || got.Wrong != w.Wrong || len(got.Line) != len(w.Line) {
				t.Errorf("%s: %+v, want %+v", name, got, w)
			}
		}
	}
}

func checkShares(t *testing.T, name string, got *Shares, estimate bool, want foreignShares) {
	t.Helper()
	random, strict := got.Random()
	n := float64(got.States)
	all := [][2]float64{{n, float64(want.States)}, {float64(got.Keep) / n, want.Keep}, {float64(got.Strict) / n, want.Strict}, {random, want.Random}, {strict, want.RandomStrict}}
	if estimate != (want.Sign != nil) {
		t.Fatalf("%s: it has a value: %t", name, estimate)
	}
	if estimate {
		all = append(all, [2]float64{float64(got.Sign) / float64(got.Signed), *want.Sign}, [2]float64{float64(got.Policy) / n, want.Keep})
	}
	for i, pair := range all {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s: measure %d is %v, want %v", name, i, pair[0], pair[1])
		}
	}
}

// A network that lab export has written plays as the network itself, on canonical images.
func TestExportedNetworkPlays(t *testing.T) {
	s := newSubject(t, "notakto", 3, false)
	encoding := zero.Encoding{Canonical: zero.LineGroup, Parity: true}
	view, err := zero.NewView(s.Rules, encoding)
	if err != nil {
		t.Fatal(err)
	}
	shape := network.Shape{Inputs: view.Inputs(), Actions: view.Actions(), Width: 16, Layers: 1}
	w := &zero.Weights{Network: network.New(shape), Made: zero.Made{Game: "notakto", Size: 3, Encoding: encoding, Shape: shape, Search: zero.DefaultSearch(1), Run: []byte("{}")}}
	w.Network.Init(player.NewRand(5))
	content, err := nn.ONNX(w)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "own.onnx")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	own, err := zero.New(s.Rules, w, 0)
	if err != nil {
		t.Fatal(err)
	}
	agent := newONNX(t, s.Rules, path)
	images := map[zero.State]bool{}
	open, err := reachable(t.Context(), s.Rules, s.Rules.Start())
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range open {
		value, best := own.Estimate(state)
		got, move := agent.(Estimator).Estimate(state)
		if move != best || math.Abs(float64(got-value)) > 1e-5 {
			t.Fatalf("%s: %v and %v, want %v and %v", s.Rules.Format(state), move, got, best, value)
		}
		images[agent.(Symmetric).Canonical(state)] = true
	}
	if len(images) >= len(open)/2 {
		t.Errorf("%d canonical images of %d positions", len(images), len(open))
	}
	if _, err := NewONNX(newSubject(t, "notakto", 2, false).Rules, path); err == nil || !strings.Contains(err.Error(), "it is of notakto of size 3") {
		t.Errorf("on another board: %v", err)
	}
}

// What is no network of the board is refused with the reason.
func TestForeignNetworkRefused(t *testing.T) {
	s := newSubject(t, "notakto", 3, false)
	newONNX(t, newSubject(t, "tictactoe", 3, false).Rules, "testdata/tictactoe-3.onnx")
	content, err := os.ReadFile("testdata/quixo-3.onnx")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.onnx")
	if err := os.WriteFile(cut, content[:len(content)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"testdata/tictactoe-3.onnx": "its input has the shape [-1 2 3 3], and a position has [1 1 3 3]",
		"testdata/nothing.onnx":     "cannot be read",
		"testdata/foreign.json":     "is of no use as a network",
		cut:                         "is of no use as a network",
	} {
		if a, err := NewONNX(s.Rules, path); err == nil || !strings.Contains(err.Error(), want) || a != nil {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
