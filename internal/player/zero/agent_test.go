package zero

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero/network"
)

// newWeights returns the weights of an untrained network.
func newWeights(t testing.TB, name string, n int, e Encoding) *Weights {
	t.Helper()
	v := newView(t, newRules(t, name, n), e)
	shape := network.Shape{Inputs: v.Inputs(), Actions: v.Actions(), Width: 32, Layers: 1, Residual: true}
	w := &Weights{Network: network.New(shape), Made: Made{Game: name, Size: n, Encoding: e, Shape: shape, Search: DefaultSearch(50), Seed: 7, Iteration: 3, Run: json.RawMessage(`{"a":1}`)}}
	w.Network.Init(rand.New(rand.NewPCG(16, 4)))
	return w
}

func newAgent(t testing.TB, w *Weights, simulations int) *Agent {
	t.Helper()
	a, err := New(newRules(t, w.Game, w.Size), w, simulations)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func moveOf(t testing.TB, a *Agent, s game.State) game.Move {
	t.Helper()
	p, err := a.Begin(1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m, err := player.Move(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The agent plays legal moves, images of them in images of a position, and with no simulations
// the network's move.
func TestAgentPlays(t *testing.T) {
	rules := newRules(t, "notakto", 4)
	for _, key := range []bool{false, true} {
		w := newWeights(t, "notakto", 4, Encoding{Canonical: LineGroup})
		w.Search.KeyStates, w.Search.Proved = key, key
		searching, reflex := newAgent(t, w, 30), newAgent(t, w, 0)
		group := bitboard.LineGroup(4)
		for _, p := range some(rules, 400, 60000) {
			if _, over := rules.Terminal(p); over {
				continue
			}
			for _, a := range []*Agent{searching, reflex} {
				m := moveOf(t, a, p)
				if !slices.Contains(rules.Moves(nil, p), m) {
					t.Fatalf("%s plays %v in %s", a.Name(), m, rules.Format(p))
				}
				image := game.Position{X: group[11].Apply(p.(game.Position).X)}
				if a.Canonical(image) != a.Canonical(p) {
					t.Fatalf("%s: its image is another state", rules.Format(p))
				}
				if one, other := a.Canonical(rules.Play(p, m)), a.Canonical(rules.Play(image, moveOf(t, a, image))); one != other {
					t.Fatalf("%s: its image is played otherwise", rules.Format(p))
				}
			}
			if _, best := searching.Estimate(p); best != moveOf(t, reflex, p) {
				t.Errorf("%s: the network's move is not that without simulations", rules.Format(p))
			}
		}
	}
}

// A search sees what wins and what loses at once.
func TestAgentSees(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	for _, search := range []Search{{C1: 1, C2: 19652}, {Constant: 1, Proved: true}, {Constant: 1, KeyStates: true}} {
		w := newWeights(t, "notakto", 3, Encoding{})
		w.Search = search
		a := newAgent(t, w, 300)
		// After the only move that completes no line, the opponent must complete one.
		p, err := rules.Parse("XX./X../.XX")
		if err != nil {
			t.Fatal(err)
		}
		if m := rules.FormatMove(moveOf(t, a, p)); m != "c2" {
			t.Errorf("%+v: it plays %s", search, m)
		}
		over, err := rules.Parse("XXX/.../...")
		if err != nil {
			t.Fatal(err)
		}
		begun, err := a.Begin(1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := player.Move(t.Context(), begun, over); !errors.Is(err, player.ErrOver) {
			t.Error(err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := player.Move(cancelled, begun, rules.Start()); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := begun.Close(); err != nil {
			t.Error(err)
		}
	}
}

// With a network of zeros every position is worth 0, and the search is as before.
func TestZeros(t *testing.T) {
	a := newAgent(t, newWeights(t, "notakto", 3, Encoding{}), 30)
	z := a.Zeros()
	rules := newRules(t, "notakto", 3)
	s := rules.Play(rules.Start(), rules.Moves(nil, rules.Start())[0])
	if value, _ := z.Estimate(s); value != 0 || z.Name() != "zero:sims=30" || z.options != a.options {
		t.Errorf("%v, %s", value, z.Name())
	}
	if value, _ := a.Estimate(s); value == 0 {
		t.Error("the agent has lost its network")
	}
}

// readBack writes weights into a file and reads them again.
func readBack(t *testing.T, w *Weights) (path string, got *Weights) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "w")
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, got
}

func TestWeightsRoundTrip(t *testing.T) {
	w := newWeights(t, "notakto", 3, Encoding{Canonical: LineGroup, Parity: true})
	path, got := readBack(t, w)
	if !slices.Equal(got.Network.Parameters, w.Network.Parameters) || got.Game != "notakto" || got.Size != 3 || got.Encoding != w.Encoding ||
		!reflect.DeepEqual(got.Shape, w.Shape) || got.Search != w.Search || got.Seed != 7 || got.Iteration != 3 || string(got.Run) != `{"a":1}` {
		t.Errorf("%+v", got.Made)
	}
	if a := newAgent(t, got, 5); a.Name() != "zero:weights="+path+",sims=5" {
		t.Error(a.Name())
	}
	if _, err := New(newRules(t, "notakto", 4), got, 5); err == nil || !strings.Contains(err.Error(), "the weights are of notakto of size 3, not of notakto 4×4") {
		t.Error(err)
	}
}

// A network with an LSTM is kept in a file as others are, and plays by it.
func TestWeightsOfLSTM(t *testing.T) {
	w := newWeights(t, "nim", 3, Encoding{Heaps: Unary})
	w.Shape = network.Shape{Inputs: w.Shape.Inputs, Actions: w.Shape.Actions, Width: 16, LSTM: true}
	w.Network = network.New(w.Shape)
	w.Network.Init(rand.New(rand.NewPCG(16, 5)))
	path, got := readBack(t, w)
	if !slices.Equal(got.Network.Parameters, w.Network.Parameters) || !reflect.DeepEqual(got.Shape, w.Shape) {
		t.Errorf("%+v", got.Made)
	}
	rules := newRules(t, "nim", 3)
	kept, before := newAgent(t, got, 30), newAgent(t, w, 30)
	for _, s := range some(rules, 3, 1000) {
		if _, over := rules.Terminal(s); over {
			continue
		}
		value, best := before.Estimate(s)
		if v, m := kept.Estimate(s); v != value || m != best || moveOf(t, kept, s) != moveOf(t, before, s) {
			t.Errorf("%s: %v and %v, and by the file %v and %v", rules.Format(s), value, best, v, m)
		}
	}
	wrong := *w
	wrong.Shape.LSTM = false
	if err := format.Write(path, &wrong.Made, AppendFloats(nil, w.Network.Export(nil))); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil {
		t.Error("the numbers of an LSTM are taken for those of a dense network")
	}
}

// A file that was damaged, cut, made by something else or for something else is refused
// with a sentence that names it.
func TestWeightsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w")
	w := newWeights(t, "notakto", 3, Encoding{})
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(data)
	flipped[len(data)-100] ^= 4
	for what, content := range map[string][]byte{"cut": data[:len(data)-1], "half": data[:len(data)/2], "empty": nil, "damaged": flipped, "foreign": []byte(`{"format":"backsolve weights"}`), "newer": append([]byte("backsolve zero weights 2\n"), data...)} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+" is of no use as weights: ") || !strings.HasSuffix(err.Error(), "; train new ones with lab train") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), "the weights cannot be read: ") {
		t.Error(err)
	}
	for _, change := range []func(m *Made){
		func(m *Made) { m.Game = "chess" },
		func(m *Made) { m.Size = 4 },
		func(m *Made) { m.Encoding.Parity = true },
		func(m *Made) { m.Search.C2 = 0 },
		func(m *Made) { m.Shape.Width = 0 },
	} {
		wrong := *w
		change(&wrong.Made)
		if err := wrong.Save(path); err == nil {
			t.Errorf("%+v is saved", wrong.Made)
		}
		// Like a file from another program.
		if err := format.Write(path, &wrong.Made, AppendFloats(nil, w.Network.Export(nil))); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil {
			t.Errorf("%+v is loaded", wrong.Made)
		}
	}
	if err := format.Write(path, &w.Made, AppendFloats(nil, w.Network.Export(nil)[1:])); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil {
		t.Error("a file that lacks a number is loaded")
	}
}

// What an evaluator says about a state depends neither on earlier questions nor on what it had to
// forget.
func TestEvaluator(t *testing.T) {
	w := newWeights(t, "notakto", 4, Encoding{Canonical: SquareGroup})
	rules := newRules(t, "notakto", 4)
	v := newView(t, rules, w.Encoding)
	many := NewEvaluator(v, w.Network, 256, 1<<20, 2)
	few := NewEvaluator(v, w.Network, 3, 1, 1)
	var states []State
	for _, p := range some(rules, 5, 3000) {
		s, _ := v.Of(p)
		states = append(states, s)
	}
	many.Evaluate(states)
	for _, s := range states {
		one, ok := many.Lookup(s)
		if other := few.One(s); !ok || one.Value != other.Value || !slices.Equal(one.Logits, other.Logits) {
			t.Fatalf("%v: %v, %v", s, one, other)
		}
	}
	if different := int64(len(many.known)); many.Evaluated != different || many.Asked != int64(len(states)) || different >= many.Asked {
		t.Errorf("%d evaluated of %d, %d different", many.Evaluated, many.Asked, different)
	}
	if len(few.known) > 3 {
		t.Errorf("%d are remembered", len(few.known))
	}
	if many.most != 7943 || few.most != 3 { // of 17 numbers and an entry of the map each
		t.Errorf("%d and %d are remembered at most", many.most, few.most)
	}
	for batch, rows := range map[int]int{-1: 8, 0: 8, 1: 8, 256: 256, 257: 256, 1 << 20: 256} { // the pass rounds up
		if got := NewEvaluator(v, w.Network, batch, 1, 1).pass.Rows(); got != rows {
			t.Errorf("batches of %d have room for %d, want %d", batch, got, rows)
		}
	}
}
