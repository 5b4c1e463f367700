package probe_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// drawPosition draws a position of a board, with either side to move.
func drawPosition(t *rapid.T, rules game.Grid) game.Position {
	var p game.Position
	for cell := range rules.Size() * rules.Size() {
		switch rapid.IntRange(0, rules.Marks()).Draw(t, "cell") {
		case 1:
			p.X |= 1 << uint(cell)
		case 2:
			p.O |= 1 << uint(cell)
		}
	}
	if rules.Marks() == 2 && rapid.Bool().Draw(t, "o to move") {
		p.Mark = game.O
	}
	return p
}

// better reports, by the documentation and not by Compare, whether a move must precede another.
func better(a, b probe.Move) bool {
	if order := []game.Outcome{game.Win, game.Draw, game.Lose}; a.Outcome != b.Outcome {
		return slices.Index(order, a.Outcome) < slices.Index(order, b.Outcome)
	}
	switch {
	case a.Steps == b.Steps:
		return a.Move < b.Move
	case a.Outcome == game.Win:
		return a.Steps < b.Steps
	default:
		return a.Steps > b.Steps
	}
}

// TestAnswer checks that an answer has all legal moves, the best first, each with the value of
// the position after it for the other player one ply later, and that the best move has the
// value of the position.
func TestAnswer(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		rules := table.Rules()
		rapid.Check(t, func(t *rapid.T) {
			p := drawPosition(t, rules)
			a, err := table.Answer(p)
			if err != nil {
				t.Fatal(err)
			}
			if v, _ := table.Value(p); a.Value != v || a.Position != rules.Format(p) {
				t.Fatalf("%s is %v; answered is %v for %s", rules.Format(p), v, a.Value, a.Position)
			}
			if _, over := rules.Terminal(p); over != a.Terminal {
				t.Fatalf("over is %v", over)
			}
			if legal := rules.Moves(nil, p); len(legal) != len(a.Moves) {
				t.Fatalf("%d moves of %d", len(a.Moves), len(legal))
			}
			for i, m := range a.Moves {
				checkMove(t, table, p, m)
				if i > 0 && !better(a.Moves[i-1], m) {
					t.Fatalf("%v stands before %v", a.Moves[i-1], m)
				}
			}
			if !a.Terminal && a.Moves[0].Value != a.Value {
				t.Fatalf("the best move is %v in a position of %v", a.Moves[0].Value, a.Value)
			}
		})
	})
}

func checkMove(t *rapid.T, table *probe.Table, p game.Position, m probe.Move) {
	move, err := table.Rules().ParseMove(p, m.Move)
	if err != nil {
		t.Fatal(err)
	}
	child := table.Rules().Play(p, move)
	if text := table.Rules().Format(child); m.Position != text {
		t.Fatalf("%s leads to %s, not %s", m.Move, text, m.Position)
	}
	v, err := table.Value(child)
	if err != nil {
		t.Fatal(err)
	}
	if m.Outcome != v.Outcome.Flip() || v.Steps >= 0 && m.Steps != v.Steps+1 || v.Steps < 0 && m.Steps != -1 {
		t.Fatalf("%s is %v, the position after it %v", m.Move, m.Value, v)
	}
}

func TestAnswerJSON(t *testing.T) {
	for _, c := range []struct {
		game     string
		n        int
		steps    bool
		position string
		want     string
	}{
		{"quixo", 2, true, "X./.. x", `{"game":"quixo","size":2,"position":"X./.. x","outcome":"win","steps":1,"terminal":false,"source":"table","moves":[` +
			`{"move":"a1a2","outcome":"win","steps":1,"position":"X./X. o"},` +
			`{"move":"a1b1","outcome":"win","steps":1,"position":"X./.X o"},` +
			`{"move":"b1a1","outcome":"win","steps":1,"position":"X./X. o"},` +
			`{"move":"b1b2","outcome":"win","steps":1,"position":"XX/.. o"},` +
			`{"move":"b2a2","outcome":"win","steps":1,"position":"XX/.. o"},` +
			`{"move":"b2b1","outcome":"win","steps":1,"position":"X./.X o"},` +
			`{"move":"a2a1","outcome":"win","steps":3,"position":"../X. o"},` +
			`{"move":"a2b2","outcome":"win","steps":3,"position":".X/.. o"}]}`},
		{"notakto", 2, true, "X./..", `{"game":"notakto","size":2,"position":"X./..","outcome":"lose","steps":1,"terminal":false,"source":"table","moves":[` +
			`{"move":"a1","outcome":"lose","steps":1,"position":"X./X."},` +
			`{"move":"b1","outcome":"lose","steps":1,"position":"X./.X"},` +
			`{"move":"b2","outcome":"lose","steps":1,"position":"XX/.."}]}`},
		{"notakto", 2, true, "XX/..", `{"game":"notakto","size":2,"position":"XX/..","outcome":"win","steps":0,"terminal":true,"source":"table","moves":[]}`},
		{"notakto", 1, false, ".", `{"game":"notakto","size":1,"position":".","outcome":"lose","steps":null,"terminal":false,"source":"table","moves":[` +
			`{"move":"a1","outcome":"lose","steps":null,"position":"X"}]}`},
	} {
		table := open(t, c.game, c.n, c.steps)
		a, err := table.Answer(parse(t, table, c.position))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != c.want {
			t.Errorf("%s\nwant %s", text, c.want)
		}
	}
}

// TestAnswerRefusesContradiction asks tables that contradict the rules or themselves.
func TestAnswerRefusesContradiction(t *testing.T) {
	unfinished := altered(t, open(t, "notakto", 2, true), 0, func(p *tablebase.Planes, _ *tablebase.Counts) {
		p.Win[0] &^= 1 // the empty board
	})
	over := altered(t, open(t, "notakto", 2, true), 0, func(p *tablebase.Planes, _ *tablebase.Counts) {
		p.Win[0] &^= 1 << 15 // the full board
	})
	steps := altered(t, open(t, "notakto", 2, true), 0, func(p *tablebase.Planes, _ *tablebase.Counts) {
		p.Steps[0][0] ^= 1 // the empty board
	})
	for _, c := range []struct {
		table    *probe.Table
		position string
	}{{unfinished, "../.."}, {over, "XX/XX"}, {steps, "../.."}} {
		p := parse(t, c.table, c.position)
		if a, err := c.table.Answer(p); !errors.Is(err, tablebase.ErrDamaged) || a != nil {
			t.Errorf("%s: %v, %v", c.position, a, err)
		}
		if line, err := c.table.Line(p, probe.WholeLine); !errors.Is(err, tablebase.ErrDamaged) || line != nil {
			t.Errorf("%s: %v, %v", c.position, line, err)
		}
	}
}
