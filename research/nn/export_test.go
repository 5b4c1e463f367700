package nn

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
)

var exported = []network.Shape{
	{Inputs: 9, Actions: 9, Width: 40},
	{Inputs: 18, Actions: 31, Width: 24, Layers: 3},
	{Inputs: 18, Actions: 31, Width: 24, Layers: 2, Widths: []int{40, 17}},
	{Inputs: 33, Actions: 32, Width: 17, Layers: 2, Residual: true},
	{Inputs: 1, Actions: 2, Width: 1, LSTM: true},
	{Inputs: 29, Actions: 25, Width: 12, Layers: 2, Residual: true, LSTM: true},
	{Inputs: 40, Actions: 25, Width: 12, Layers: 1, Residual: true, Convolution: network.Convolution{Layers: 3, Channels: 32, Rows: 4, Columns: 5}},
}

// some returns weights, inputs for them, a row for each position, and their outputs: the logits
// of the actions and the value, one after another.
func some(s network.Shape) (w *zero.Weights, inputs, want []float32) {
	const rows = 7
	r := rand.New(rand.NewPCG(37, uint64(s.Inputs)))
	n := network.New(s)
	n.Init(r)
	for _, l := range n.Layers {
		for i := range l.Outputs {
			l.Bias[i] += float32(r.NormFloat64())
		}
	}
	n.Pack()
	p := n.NewPass(rows, false)
	for row := range rows {
		for i := range s.Inputs {
			p.Input.Row(row)[i] = float32(r.NormFloat64())
		}
		inputs = append(inputs, p.Input.Row(row)[:s.Inputs]...)
	}
	n.Forward(p, rows, 1)
	for row := range rows {
		out := p.Output.Row(row)
		want = append(append(want, out[:s.Actions]...), network.Tanh(out[s.Actions]))
	}
	return &zero.Weights{Made: zero.Made{Game: "some", Shape: s, Run: []byte("{}")}, Network: n}, inputs, want
}

func compare(t *testing.T, s network.Shape, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%+v: %d numbers, want %d", s, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-5*max(1, math.Abs(float64(want[i])))) {
			t.Fatalf("%+v: number %d is %v, want %v", s, i, got[i], want[i])
		}
	}
}

// NumPy computes the same from the arrays of an NPZ file.
func TestNPZInNumPy(t *testing.T) {
	python := withModules(t, "numpy")
	args := []string{"testdata/forward.py"}
	for _, s := range exported {
		w, inputs, _ := some(s)
		npz, err := NPZ(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		var x bytes.Buffer
		z := zip.NewWriter(&x)
		if err := errors.Join(writeNPY(z, "x", "<f4", []int{len(inputs) / s.Inputs, s.Inputs}, zero.AppendFloats(nil, inputs)), z.Close()); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for i, content := range [][]byte{npz, unzipped(t, x.Bytes()), nil, nil} {
			path := filepath.Join(dir, []string{"network.npz", "x.npy", "policy.npy", "value.npy"}[i])
			args = append(args, path)
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, s := range exported {
		_, _, want := some(s)
		policy, value := saved(t, args[4*i+3]), saved(t, args[4*i+4])
		var got []float32
		for row := range value {
			got = append(append(got, policy[row*s.Actions:][:s.Actions]...), value[row])
		}
		compare(t, s, got, want)
	}
}

// withModules returns a Python that has some modules, or skips the test.
func withModules(t *testing.T, modules string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+modules).Run() == nil {
			return name
		}
	}
	t.Skipf("no Python with %s is there", modules)
	return ""
}

// unzipped returns the only file of an archive.
func unzipped(t *testing.T, archive []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// saved reads the numbers of a file that numpy.save has written.
func saved(t *testing.T, path string) []float32 {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return zero.Floats(content[10+int(content[8])+int(content[9])<<8:])
}

// onnxruntime computes the same from an ONNX file.
func TestONNXInRuntime(t *testing.T) {
	python := withModules(t, "numpy, onnxruntime")
	const program = `
import sys, numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
policy, value = session.run(None, {"input": numpy.fromfile(sys.argv[2], "<f4").reshape(7, -1)})
numpy.concatenate([policy, value], axis=1).astype("<f4").tofile(sys.argv[2])
print(session.get_modelmeta().custom_metadata_map["backsolve"])`
	for _, s := range exported {
		w, inputs, want := some(s)
		content, err := ONNX(w)
		if err != nil {
			t.Fatal(err)
		}
		model, numbers := filepath.Join(t.TempDir(), "network.onnx"), filepath.Join(t.TempDir(), "numbers")
		if err := errors.Join(os.WriteFile(model, content, 0o644), os.WriteFile(numbers, zero.AppendFloats(nil, inputs), 0o644)); err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command(python, "-c", program, model, numbers).Output()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(numbers)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, s, zero.Floats(got), want)
		var made zero.Made
		if err := json.Unmarshal(text, &made); err != nil || !reflect.DeepEqual(made.Shape, s) {
			t.Errorf("%+v: the metadata is %q, %v", s, text, err)
		}
	}
}
