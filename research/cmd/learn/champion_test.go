package main

import (
	"bytes"
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
// away: the first player of Notakto 3×3 wins by the centre only, and on Quixo 2×2 a network that
// prefers one push loses. Who goes round for ever wins no more than who loses.
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
	notakto, err := readDescription(filepath.Join("testdata", "champion.json"))
	if err != nil {
		t.Fatal(err)
	}
	quixo := *notakto
	quixo.Game, quixo.Size, quixo.Iterations, quixo.Encoding.Canonical = "quixo", 2, 1, zero.SquareGroup
	quixo.Games.Limit, quixo.Games.RandomBoards, quixo.Search.Discount = 20, 0.5, 0.9
	const centre = 4
	checkPlanted(t, python, notakto, centre, -1000)
	checkPlanted(t, python, &quixo, 1, 1000)
	ring := exec.Command(python, "-c", `
import champion
class Ring:
    start = 0
    moves, play, mover_wins = lambda self, s: [1], lambda self, s, step: (s + step) % ends, lambda self, s: None if s < 6 else False
champion.choose = lambda game, npz, made, positions: [1] * len(positions)
for ends in (4, 9):
    print(champion.walk(Ring(), None, None, False))`)
	ring.Dir = filepath.Join("..", "..", "nn", "testdata")
	if out, err := ring.CombinedOutput(); err != nil || string(out) != "(2, 1)\n(3, None)\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// checkPlanted wants the first player of a training to be a champion, and the second not; and
// nobody with a weight on an action.
func checkPlanted(t *testing.T, python string, run *selfplay.Run, action int, weight float32) {
	t.Helper()
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
	for _, planted := range []bool{false, true} {
		if last := w.Network.Layers[len(w.Network.Layers)-1]; planted {
			last.Bias[action] += weight
		}
		out, err := check(t, python, w)
		if champion := strings.Contains(out, "first player: champion, in "); champion == planted || (err != nil) != planted {
			t.Errorf("%s, planted %v: %v\n%s", run.Game, planted, err, out)
		}
		if !strings.Contains(out, "second player: does not win after (") {
			t.Errorf("%s, planted %v: who loses by best play is a champion:\n%s", run.Game, planted, out)
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
	checker := filepath.Join("..", "..", "nn", "testdata", "champion.py")
	if source, err := os.ReadFile(checker); err != nil || bytes.Count(source, []byte("\n")) > 100 {
		t.Errorf("the checker is not there, or too long to be read by who doubts: %v", err)
	}
	out, err := exec.Command(python, checker, path).CombinedOutput()
	return string(out), err
}
