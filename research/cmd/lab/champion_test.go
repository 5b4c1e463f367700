package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/internal/player/zero"
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
	// Looking a ply ahead saves that network.
	quixo.Search.KeyStates = true
	checkPlanted(t, python, &quixo, 1, 1000)
	// A network that loses wins with search, by the moves that are exported beside it.
	heaps, err := readDescription(filepath.Join("testdata", "searched.json"))
	if err != nil {
		t.Fatal(err)
	}
	checkSearched(t, python, heaps)
	// Key states win at once where that can be, and do not lose at once. A move of 1 loses so, of 3 wins.
	ring := exec.Command(python, "-c", `
import champion
class Ends:
    see = lambda self, s, encoding: ([0], {move: move for move in range(1, s + 1)})
    play, mover_wins = lambda self, s, move: move, lambda self, s: {1: True, 2: None, 3: False}[s]
champion.forward = lambda npz, inputs: ([[0, 9, 8, 7]] * len(inputs), None)
for keys in (True, False):
    print(list(champion.choose(Ends(), None, {"search": {"key_states": keys}, "encoding": None}, [1, 2, 3])))
class Ring:
    start = 0
    moves, play, mover_wins = lambda self, s: [1], lambda self, s, step: (s + step) % ends, lambda self, s: None if s < 6 else False
champion.choose = lambda game, npz, made, positions: [1] * len(positions)
for ends in (4, 9):
    print(champion.walk(Ring(), None, None, False))`)
	ring.Dir = filepath.Join("..", "..", "nn", "testdata")
	if out, err := ring.CombinedOutput(); err != nil || string(out) != "[1, 2, 3]\n[1, 1, 1]\n(2, 1)\n(3, None)\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// checkPlanted wants the first player of a training to be a champion, and the second not; and
// nobody with a weight on an action, unless key states keep it from losing.
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
		out, err := check(t, python, w, nil)
		loses := planted && !run.Search.KeyStates
		if champion := strings.Contains(out, "first player: champion, in "); champion == loses || (err != nil) != loses {
			t.Errorf("%s, planted %v: %v\n%s", run.Game, planted, err, out)
		}
		if !strings.Contains(out, "second player: does not win after (") {
			t.Errorf("%s, planted %v: who loses by best play is a champion:\n%s", run.Game, planted, out)
		}
	}
}

// checkSearched wants the first player of a training to be a champion with search only, and not if
// one of its moves is another.
func checkSearched(t *testing.T, python string, run *selfplay.Run) {
	t.Helper()
	l, err := selfplay.New(*run, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Weights()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "searched.weights")
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
	n, err := loadNetwork(path)
	if err != nil {
		t.Fatal(err)
	}
	e := &shared{threads: new(2), dir: new(t.TempDir())}
	cmd := exportCommand(e)
	cmd.SetContext(t.Context())
	played, err := e.played(cmd, n, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		played *nn.Played
		want   string
	}{{played, fmt.Sprintf("first player: champion, in %d positions", len(played.Actions))}, {nil, "first player: does not win after ("}} {
		if out, _ := check(t, python, w, c.played); !strings.Contains(out, c.want) {
			t.Errorf("want %s:\n%s", c.want, out)
		}
	}
	last := len(played.Actions) - 1
	if out, err := check(t, python, w, &nn.Played{Inputs: played.Inputs[:last], Actions: played.Actions[:last]}); err == nil {
		t.Errorf("a move is not there, and is not missed:\n%s", out)
	}
	played.Actions[0]++ // at the start: it is the first state of the walk
	if out, err := check(t, python, w, played); err == nil || !strings.Contains(out, "first player: does not win after (") {
		t.Errorf("another first move wins, too: %v\n%s", err, out)
	}
	if _, err := e.played(cmd, n, 0); err == nil || !strings.HasSuffix(err.Error(), "is not a champion, so its moves are not written; give more --sims, or leave it out") {
		t.Errorf("%v", err)
	}
}

func check(t *testing.T, python string, w *zero.Weights, played *nn.Played) (string, error) {
	t.Helper()
	npz, err := nn.NPZ(w, played)
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
