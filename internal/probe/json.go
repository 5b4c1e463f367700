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
// and, if there is a line, at the end
//
//	"line":{"plies":[{"move":"a1d1","position":"…"}],"repeats":null}
//
// with "truncated":true in it if it was cut short. steps is null for a draw and if
// unknown, repeats if no position repeats. A known nimber, "nimber":3, follows the steps of
// its position or move; then comes the score, "score":-4, in games that have one.
func (a *Answer) MarshalJSON() ([]byte, error) {
	return a.AppendJSON(make([]byte, 0, 256+128*len(a.Moves))), nil
}

// AppendJSON appends to dst what MarshalJSON writes.
func (a *Answer) AppendJSON(dst []byte) []byte {
	dst = appendText(appendBoard(dst, a.Game, a.Size), a.Position)
	dst = appendWorth(dst, a.Value, a.Nimber, a.Score, a.Terminal, a.Source, a.Diagram)
	for i, m := range a.Moves {
		dst = appendText(appendMove(dst, i), m.Move)
		dst = appendText(appendMoveValue(dst, m.Value, m.Nimber, m.Score), m.Position)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if a.End != "" {
		dst = appendText(append(dst, `,"end":`...), a.End)
	}
	if a.Line != nil {
		dst = a.Line.appendJSON(append(dst, `,"line":`...))
	}
	return append(dst, '}')
}

// appendJSON appends the JSON of the answer without making strings.
func (r *ranking) appendJSON(dst []byte, p game.Position) []byte {
	rules := r.table.rules
	quote := func(dst []byte, p game.Position) []byte {
		return append(rules.AppendFormat(append(dst, '"'), p), '"')
	}
	dst = quote(appendBoard(dst, rules.Name(), rules.Size()), p)
	dst = appendWorth(dst, r.value, r.nimber, Number{}, len(r.moves) == 0, FromTable, "")
	for i, m := range r.moves {
		dst = append(append(append(appendMove(dst, i), '"'), rules.FormatMove(m.Move)...), '"')
		dst = quote(appendMoveValue(dst, m.Value, m.Nimber, Number{}), m.Position)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

// The parts of an answer between its texts, in order.

func appendBoard(dst []byte, name string, size int) []byte {
	dst = appendText(append(dst, `{"game":`...), name)
	dst = game.Size(size).AppendJSON(append(dst, `,"size":`...))
	return append(dst, `,"position":`...)
}

func appendWorth(dst []byte, v Value, nimber, score Number, terminal bool, source Source, diagram string) []byte {
	dst = appendNumbers(append(dst, ','), v, nimber, score)
	dst = strconv.AppendBool(append(dst, `,"terminal":`...), terminal)
	dst = appendText(append(dst, `,"source":`...), string(source))
	if diagram != "" {
		dst = appendText(append(dst, `,"diagram":`...), diagram)
	}
	return append(dst, `,"moves":[`...)
}

func appendMove(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, `{"move":`...)
}

func appendMoveValue(dst []byte, v Value, nimber, score Number) []byte {
	return append(appendNumbers(append(dst, ','), v, nimber, score), `,"position":`...)
}

func appendNumbers(dst []byte, v Value, nimber, score Number) []byte {
	return score.appendJSON(nimber.appendJSON(v.appendJSON(dst), "nimber"), "score")
}

func (v Value) appendJSON(dst []byte) []byte {
	dst = append(append(dst, `"outcome":"`...), v.Outcome.String()...)
	return appendNumber(append(dst, `","steps":`...), v.Steps)
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

func appendNumber(dst []byte, n int) []byte {
	if n < 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// appendText leaves texts to encoding/json that must be escaped; those of games never are.
func appendText(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(text) // strings never fail
			return append(dst, quoted...)
		}
	}
	dst = append(append(dst, '"'), text...)
	return append(dst, '"')
}
