package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"backsolve/game"
	"backsolve/probe"
)

// answer is the JSON of an answer, decoded without the code that has written it.
type answer struct {
	Game     string `json:"game"`
	Size     int    `json:"size"`
	Position string `json:"position"`
	value
	Terminal bool   `json:"terminal"`
	Moves    []move `json:"moves"`
	Line     *line  `json:"line"`
}

type value struct {
	Outcome string `json:"outcome"`
	Steps   *int   `json:"steps"`
}

type move struct {
	Move string `json:"move"`
	value
	Position string `json:"position"`
}

type line struct {
	Plies     []ply `json:"plies"`
	Repeats   *int  `json:"repeats"`
	Truncated bool  `json:"truncated"`
}

type ply struct {
	Move     string `json:"move"`
	Position string `json:"position"`
}

// choice is the JSON of a move that the server plays.
type choice struct {
	Position string `json:"position"`
	value
	Move move `json:"move"`
}

// linePlies is how many plies of a line the API gives unless it is told.
const linePlies = 1000

// checkAnswer compares the answer to a question with what the table says.
func checkAnswer(t *probe.Table, q *question, body []byte) error {
	switch q.kind {
	case Batch:
		return checkBatch(t, q, body)
	case Move:
		return checkChoice(t, q.positions[0], body)
	}
	var got answer
	if err := decode(body, &got); err != nil {
		return err
	}
	return compare(t, q.positions[0], q.kind == Line, &got)
}

// decode reads JSON that has nothing behind it.
func decode(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%.200q is not the JSON of an answer: %w", body, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("there is more behind the answer of %.200q", body)
	}
	return nil
}

func checkBatch(t *probe.Table, q *question, body []byte) error {
	var got []answer
	if q.lines {
		for d := json.NewDecoder(bytes.NewReader(body)); d.More(); {
			var a answer
			if err := d.Decode(&a); err != nil {
				return fmt.Errorf("answer %d is no JSON: %w", len(got)+1, err)
			}
			got = append(got, a)
		}
	} else if err := decode(body, &got); err != nil {
		return err
	}
	if len(got) != len(q.positions) {
		return fmt.Errorf("%d answers to %d positions", len(got), len(q.positions))
	}
	for i, p := range q.positions {
		if err := compare(t, p, false, &got[i]); err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
	}
	return nil
}

// compare compares an answer with what the table says of a position.
func compare(t *probe.Table, p game.Position, withLine bool, got *answer) error {
	want, err := expected(t, p)
	if err != nil {
		return err
	}
	if withLine {
		l, err := t.Line(p, linePlies)
		if err != nil {
			return err
		}
		want.Line = &line{Plies: []ply{}}
		for _, one := range l.Plies {
			want.Line.Plies = append(want.Line.Plies, ply{one.Move, one.Position})
		}
		if l.Repeats >= 0 {
			want.Line.Repeats = &l.Repeats
		}
		if got.Line != nil {
			want.Line.Truncated = got.Line.Truncated && len(got.Line.Plies) == linePlies
		}
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("of %q it is said\n%s\nbut the table says\n%s", want.Position, text(got), text(want))
	}
	return nil
}

func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of types of our own, all of which can be encoded
	}
	return b
}

// expected returns what the table says of a position.
func expected(t *probe.Table, p game.Position) (*answer, error) {
	rules := t.Rules()
	v, ranked, err := t.Rank(p, nil)
	if err != nil {
		return nil, err
	}
	_, terminal := rules.Terminal(p)
	a := &answer{
		Game: rules.Name(), Size: rules.Size(), Position: rules.Format(p),
		value: valueOf(v), Terminal: terminal, Moves: []move{},
	}
	for _, r := range ranked {
		a.Moves = append(a.Moves, move{rules.FormatMove(r.Move), valueOf(r.Value), rules.Format(r.Position)})
	}
	return a, nil
}

func valueOf(v probe.Value) value {
	if v.Steps < 0 {
		return value{Outcome: v.Outcome.String()}
	}
	return value{v.Outcome.String(), &v.Steps}
}

// checkChoice checks a move that the server plays without blunders: it is one of
// those that keep the outcome.
func checkChoice(t *probe.Table, p game.Position, body []byte) error {
	var got choice
	if err := decode(body, &got); err != nil {
		return err
	}
	want, err := expected(t, p)
	if err != nil {
		return err
	}
	if got.Position != want.Position || !reflect.DeepEqual(got.value, want.value) {
		return fmt.Errorf("%s is said of %q", text(got), want.Position)
	}
	for _, m := range want.Moves {
		if m.Outcome == want.Outcome && reflect.DeepEqual(m, got.Move) {
			return nil
		}
	}
	return fmt.Errorf("%s is played in %q, which is no move that keeps the outcome", text(got.Move), want.Position)
}
