package nn

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/dawson"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
)

// boardOf returns what canonical.py is told of a position: its kind, and its planes, counters or
// open files.
func boardOf(rules game.Rules, s game.State) (kind, name string, board any) {
	text, _, _ := strings.Cut(rules.Format(s), " ")
	switch info := rules.Info(); info.Board {
	case game.OfHeaps:
		var counters []int
		for _, heap := range strings.Split(text, "/") {
			n, _ := strconv.Atoi(heap)
			counters = append(counters, n)
		}
		return "heaps", "counters", counters
	case game.OnRow:
		opened := make([]int, info.Size)
		for file := range opened {
			if dawson.Played(s)<<1>>file&7 == 0 {
				opened[file] = 1
			}
		}
		return "files", "opened", opened
	default:
		marks := []string{"X", "O"}[:info.Marks]
		if info.Marks == 2 && rules.Turn(s) != game.X {
			slices.Reverse(marks)
		}
		var planes [][]int
		for _, mark := range marks {
			var plane []int
			for _, cell := range strings.ReplaceAll(text, "/", "") {
				one := 0
				if string(cell) == mark {
					one = 1
				}
				plane = append(plane, one)
			}
			planes = append(planes, plane)
		}
		return "grid", "planes", planes
	}
}

// position is a position of a game as a network sees it.
type position struct {
	rules  game.Rules
	at     game.State
	view   zero.View
	state  zero.State
	inputs []float32
}

// What canonical.py computes from the document's words are the inputs of the network, and the
// action of a cell, heap or file is a move where it comes from.
func TestCanonicalImagesInPython(t *testing.T) {
	if exec.Command("python3", "--version").Run() != nil {
		t.Skip("no Python is there")
	}
	var positions []position
	var cases []map[string]any
	r := player.NewRand(37)
	for _, c := range []struct {
		name     string
		n        int
		encoding zero.Encoding
	}{
		{"tictactoe", 3, zero.Encoding{Canonical: zero.SquareGroup}},
		{"tictactoe", 5, zero.Encoding{Canonical: zero.LineGroup}},
		{"tictactoe", 3, zero.Encoding{Canonical: zero.NoGroup}},
		{"notakto", 4, zero.Encoding{Canonical: zero.LineGroup, Parity: true}},
		{"othello", 4, zero.Encoding{Canonical: zero.SquareGroup}},
		{"nim", 5, zero.Encoding{Canonical: zero.HeapOrder, Parity: true}},
		{"nim", 4, zero.Encoding{Canonical: zero.NoGroup, Heaps: zero.Unary}},
		{"dawson", 12, zero.Encoding{Canonical: zero.RowOrder, Parity: true}},
	} {
		rules, err := games.New(c.name, c.n)
		if err != nil {
			t.Fatal(err)
		}
		view, err := zero.NewView(rules, c.encoding)
		if err != nil {
			t.Fatal(err)
		}
		s := rules.Start()
		for range 60 {
			if _, over := rules.Terminal(s); over {
				s = rules.Start()
			}
			p := position{rules: rules, at: s, view: view, inputs: make([]float32, view.Inputs())}
			p.state, _ = view.Of(s)
			view.Encode(p.inputs, p.state)
			kind, name, board := boardOf(rules, s)
			one := map[string]any{"kind": kind, "canonical": c.encoding.Canonical, "parity": c.encoding.Parity, name: board}
			if kind == "heaps" {
				one["unary"] = c.encoding.Heaps == zero.Unary
			}
			positions, cases = append(positions, p), append(cases, one)
			moves := rules.Moves(nil, s)
			s = rules.Play(s, moves[r.IntN(len(moves))])
		}
	}
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "testdata/canonical.py")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var results [][2]json.RawMessage
	if err := json.Unmarshal(out, &results); err != nil || len(results) != len(positions) {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for i, p := range positions {
		var inputs []float32
		var origin []uint8
		if err := errors.Join(json.Unmarshal(results[i][0], &inputs), json.Unmarshal(results[i][1], &origin)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(inputs, p.inputs) {
			t.Fatalf("%v: inputs %v, want %v of %v", p.rules.Info(), inputs, p.inputs, cases[i])
		}
		p.checkOrigin(t, origin)
	}
}

// checkOrigin plays each action where canonical.py says that it comes from. Symmetric moves may
// differ, but lead to the same state.
func (p *position) checkOrigin(t *testing.T, origin []uint8) {
	t.Helper()
	legal := p.rules.Moves(nil, p.at)
	for _, action := range p.view.Legal(nil, p.state) {
		if int(action) == len(origin) || p.rules.Info().Board == game.OfHeaps {
			continue // the pass, and moves with a number of counters
		}
		m := game.Move{From: origin[action], To: origin[action]}
		if !slices.Contains(legal, m) {
			t.Fatalf("%v: %v is not legal in %s", p.rules.Info(), m, p.rules.Format(p.at))
		}
		if state, _ := p.view.Of(p.rules.Play(p.at, m)); state != p.view.Play(p.state, int(action)) {
			t.Fatalf("%v: action %d comes from elsewhere in %s", p.rules.Info(), action, p.rules.Format(p.at))
		}
	}
}
