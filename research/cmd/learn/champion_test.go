package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/player/zero"
	"backsolve/research/nn"
	"backsolve/research/selfplay"
)

// champion.py, which has rules of its own, tells a champion from a network that gives the win
// away: the first player of Notakto 3×3 wins by the centre only.
func TestChampionInPython(t *testing.T) {
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("no Python with NumPy is there")
	}
	run, err := readDescription(filepath.Join("testdata", "champion.json"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := selfplay.New(*run, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range run.Iterations {
		if _, err := l.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w, err := l.Weights()
	if err != nil {
		t.Fatal(err)
	}
	const centre = 4
	for _, planted := range []bool{false, true} {
		if last := w.Network.Layers[len(w.Network.Layers)-1]; planted {
			last.Bias[centre] -= 1000
		}
		out, err := check(t, python, w)
		if champion := strings.Contains(out, "first player: champion, in "); champion == planted || (err != nil) != planted {
			t.Errorf("planted %v: %v\n%s", planted, err, out)
		}
		if !strings.Contains(out, "second player: loses after (") {
			t.Errorf("planted %v: who loses by best play is a champion:\n%s", planted, out)
		}
	}
}

func check(t *testing.T, python string, w *zero.Weights) (string, error) {
	t.Helper()
	npz, err := nn.NPZ(w)
	path := filepath.Join(t.TempDir(), "w.npz")
	if err == nil {
		err = os.WriteFile(path, npz, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, filepath.Join("..", "..", "nn", "testdata", "champion.py"), path).CombinedOutput()
	return string(out), err
}
