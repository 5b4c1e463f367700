package probe

import (
	"encoding/json"
	"strconv"

	"backsolve/game"
)

// MarshalJSON writes
//
//	{"game":"quixo","size":4,"position":"…","outcome":"win","steps":21,"terminal":false,
//	 "source":"table","moves":[{"move":"a1d1","outcome":"win","steps":21,"position":"…"}]}
//
// and, where there is a line, at its end
//
//	"line":{"plies":[{"move":"a1d1","position":"…"}],"repeats":null}
//
// and in that "truncated":true where it was cut short. steps is null for a draw
// and where none are known, repeats where the line does not run in a circle. Where
// the nimber of a position is known, "nimber":3 follows its steps or, for that
// after a move, those of the move; where games end with a score, "score":-4 does.
func (a *Answer) MarshalJSON() ([]byte, error) {
	return a.AppendJSON(make([]byte, 0, 256+128*len(a.Moves))), nil
}

// AppendJSON appends to dst what MarshalJSON writes.
func (a *Answer) AppendJSON(dst []byte) []byte {
	dst = appendText(appendBoard(dst, a.Game, a.Size), a.Position)
	dst = appendWorth(dst, a.Value, a.Nimber, a.Score, a.Terminal, a.Source)
	for i, m := range a.Moves {
		dst = appendText(appendMove(dst, i), m.Move)
		dst = appendText(appendMoveValue(dst, m.Value, m.Nimber, m.Score), m.Position)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if a.Line != nil {
		dst = a.Line.appendJSON(append(dst, `,"line":`...))
	}
	return append(dst, '}')
}

// AppendAnswer appends to dst the JSON of what Answer returns, and nothing where
// it fails. It makes no strings of the texts and does not allocate where dst has
// room.
func (t *Table) AppendAnswer(dst []byte, p game.Position) ([]byte, error) {
	defer t.stored.Question()()
	return t.appendAnswer(dst, p, batched{})
}

// appendAnswer is AppendAnswer of a position of which a batch, if any, has the lookups.
func (t *Table) appendAnswer(dst []byte, p game.Position, from batched) ([]byte, error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	value, err := s.rankFrom(t, p, from)
	if err != nil {
		return dst, err
	}
	quote := func(dst []byte, p game.Position) []byte {
		return append(t.rules.AppendFormat(append(dst, '"'), p), '"')
	}
	dst = quote(appendBoard(dst, t.rules.Name(), t.rules.Size()), p)
	dst = appendWorth(dst, value, s.nimber, Score{}, len(s.ranked) == 0, FromTable)
	for i, m := range s.ranked {
		dst = append(t.rules.AppendMove(append(appendMove(dst, i), '"'), m.Move), '"')
		dst = quote(appendMoveValue(dst, m.Value, m.Nimber, Score{}), m.Position)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...), nil
}

// The parts of an answer between its texts, in their order.

func appendBoard(dst []byte, name string, size int) []byte {
	dst = appendText(append(dst, `{"game":`...), name)
	dst = strconv.AppendInt(append(dst, `,"size":`...), int64(size), 10)
	return append(dst, `,"position":`...)
}

func appendWorth(dst []byte, v Value, n Nimber, score Score, terminal bool, source Source) []byte {
	dst = score.appendJSON(n.appendJSON(v.appendJSON(append(dst, ','))))
	dst = strconv.AppendBool(append(dst, `,"terminal":`...), terminal)
	dst = appendText(append(dst, `,"source":`...), string(source))
	return append(dst, `,"moves":[`...)
}

func appendMove(dst []byte, i int) []byte { return append(appendComma(dst, i), `{"move":`...) }

func appendMoveValue(dst []byte, v Value, n Nimber, score Score) []byte {
	return append(score.appendJSON(n.appendJSON(v.appendJSON(append(dst, ',')))), `,"position":`...)
}

// appendJSON appends the fields of a value.
func (v Value) appendJSON(dst []byte) []byte {
	switch v.Outcome {
	case game.Win:
		dst = append(dst, `"outcome":"win","steps":`...)
	case game.Lose:
		dst = append(dst, `"outcome":"lose","steps":`...)
	case game.Draw:
		dst = append(dst, `"outcome":"draw","steps":`...)
	default:
		dst = append(appendText(append(dst, `"outcome":`...), v.Outcome.String()), `,"steps":`...)
	}
	return appendNumber(dst, v.Steps)
}

func (l *Line) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"plies":[`...)
	for i, p := range l.Plies {
		dst = appendText(appendMove(dst, i), p.Move)
		dst = appendText(append(dst, `,"position":`...), p.Position)
		dst = append(dst, '}')
	}
	dst = appendNumber(append(dst, `],"repeats":`...), l.Repeats)
	if l.Truncated {
		dst = append(dst, `,"truncated":true`...)
	}
	return append(dst, '}')
}

// appendComma appends a comma before every element of a list but the first.
func appendComma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

// appendNumber appends a number, null for a negative one.
func appendNumber(dst []byte, n int) []byte {
	if n < 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// appendText appends a string. The texts of games and positions have nothing to
// escape; encoding/json sees to all others.
func appendText(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(text) // a string is never refused
			return append(dst, quoted...)
		}
	}
	dst = append(append(dst, '"'), text...)
	return append(dst, '"')
}
