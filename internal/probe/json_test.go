package probe_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/probe"
)

// The JSON of an answer; the order of the fields is part of it.
type (
	answerJSON struct {
		Game     string    `json:"game"`
		Size     game.Size `json:"size"`
		Position string    `json:"position"`
		valueJSON
		Nimber   *int         `json:"nimber,omitempty"`
		Score    *int         `json:"score,omitempty"`
		Terminal bool         `json:"terminal"`
		Source   probe.Source `json:"source,omitempty"`
		Moves    []moveJSON   `json:"moves"`
		Line     *lineJSON    `json:"line,omitempty"`
	}
	valueJSON struct {
		Outcome string `json:"outcome"`
		Steps   *int   `json:"steps"`
	}
	moveJSON struct {
		Move string `json:"move"`
		valueJSON
		Nimber   *int   `json:"nimber,omitempty"`
		Score    *int   `json:"score,omitempty"`
		Position string `json:"position"`
	}
	lineJSON struct {
		Plies   []plyJSON `json:"plies"`
		Repeats *int      `json:"repeats"`
		// Truncated is omitted if false.
		Truncated bool `json:"truncated,omitempty"`
	}
	plyJSON struct {
		Move     string `json:"move"`
		Position string `json:"position"`
	}
)

func valueOf(v probe.Value) valueJSON { return valueJSON{v.Outcome.String(), notNegative(v.Steps)} }

// notNegative returns nil, null in JSON, for a negative number.
func notNegative(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// marshal is AppendJSON by encoding/json.
func marshal(a *probe.Answer) ([]byte, error) {
	out := answerJSON{
		Game: a.Game, Size: game.Size(a.Size), Position: a.Position,
		valueJSON: valueOf(a.Value), Nimber: a.Nimber.Pointer(), Score: a.Score.Pointer(), Terminal: a.Terminal, Source: a.Source, Moves: make([]moveJSON, len(a.Moves)),
	}
	for i, m := range a.Moves {
		out.Moves[i] = moveJSON{m.Move, valueOf(m.Value), m.Nimber.Pointer(), m.Score.Pointer(), m.Position}
	}
	if a.Line != nil {
		out.Line = &lineJSON{Plies: make([]plyJSON, len(a.Line.Plies)), Repeats: notNegative(a.Line.Repeats), Truncated: a.Line.Truncated}
		for i, p := range a.Line.Plies {
			out.Line.Plies[i] = plyJSON(p)
		}
	}
	return json.Marshal(out)
}

// drawAnswer draws an answer of any contents, even impossible ones.
func drawAnswer(t *rapid.T) *probe.Answer {
	text := rapid.OneOf(rapid.StringMatching(`[a-zA-Z0-9./ ]*`), rapid.String(), rapid.StringMatching(`[<>&"\\\x00-\x1f\x7f\x{2028}]*`))
	number := rapid.IntRange(-1, 1<<20)
	value := func() probe.Value {
		return probe.Value{rapid.SampledFrom([]game.Outcome{game.Win, game.Lose, game.Draw, 3}).Draw(t, "outcome"), number.Draw(t, "steps")}
	}
	nimber := func() probe.Number {
		if !rapid.Bool().Draw(t, "has a nimber") {
			return probe.Number{}
		}
		return probe.NewNumber(rapid.IntRange(0, 1<<16-1).Draw(t, "nimber"))
	}
	score := func() probe.Number {
		if !rapid.Bool().Draw(t, "has a score") {
			return probe.Number{}
		}
		return probe.NewNumber(rapid.IntRange(-1<<15, 1<<15-1).Draw(t, "score"))
	}
	a := &probe.Answer{
		Game: text.Draw(t, "game"), Size: rapid.SampledFrom([]int{-1, 4, 24, int(game.Sized(4, 5, 3, bitboard.Misere))}).Draw(t, "size"), Position: text.Draw(t, "position"), Value: value(), Nimber: nimber(), Score: score(),
		Terminal: rapid.Bool().Draw(t, "terminal"), Source: rapid.SampledFrom([]probe.Source{probe.FromTable, probe.FromRules, probe.FromPairing}).Draw(t, "source"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "moves") {
		a.Moves = append(a.Moves, probe.Move{Move: text.Draw(t, "move"), Value: value(), Nimber: nimber(), Score: score(), Position: text.Draw(t, "position after")})
	}
	if rapid.Bool().Draw(t, "line") {
		a.Line = &probe.Line{Repeats: number.Draw(t, "repeats"), Truncated: rapid.Bool().Draw(t, "truncated")}
		for range rapid.IntRange(0, 3).Draw(t, "plies") {
			a.Line.Plies = append(a.Line.Plies, probe.Ply{text.Draw(t, "ply"), text.Draw(t, "position after ply")})
		}
	}
	return a
}

// TestAppendJSON compares AppendJSON with encoding/json, byte for byte.
func TestAppendJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAnswer(t)
		want, err := marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.AppendJSON([]byte("before")); string(got) != "before"+string(want) {
			t.Fatalf("%s\nwant %s", got, want)
		}
		if got, err := json.Marshal(a); err != nil || string(got) != string(want) {
			t.Fatalf("%s, %v\nwant %s", got, err, want)
		}
	})
}

// TestAppendAsk compares AppendAsk with the JSON of Ask's answer. On failure it appends
// nothing.
func TestAppendAsk(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		rapid.Check(t, func(t *rapid.T) {
			checkAppendAsk(t, table, table.Rules().Format(drawPosition(t, table.Rules())))
			checkAppendAsk(t, table, "nonsense")
		})
	})
	p := probe.NewPairing(8)
	checkAppendAsk(t, p, p.Example())
	checkAppendAsk(t, p, "XX.X..../......../......../......../......../......../......../........")
}

func checkAppendAsk(t rapid.TB, from probe.Answerer, text string) {
	a, err := from.Ask(text, probe.NoLine)
	var want []byte
	if err == nil {
		var failure error
		if want, failure = marshal(a); failure != nil {
			t.Fatal(failure)
		}
	}
	got, moves, appendErr := probe.AppendAsk(from, []byte("before"), text)
	if err == nil && moves != len(a.Moves) {
		t.Fatalf("%s: %d moves, want %d", text, moves, len(a.Moves))
	}
	if string(got) != "before"+string(want) || fmt.Sprint(appendErr) != fmt.Sprint(err) {
		t.Fatalf("%s\ngot %s, %v\nwant %s, %v", text, got, appendErr, want, err)
	}
}
