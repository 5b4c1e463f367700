package probe

import "encoding/json"

// What an answer is in JSON; the order of the fields is part of it.
type (
	answerJSON struct {
		Game     string `json:"game"`
		Size     int    `json:"size"`
		Position string `json:"position"`
		valueJSON
		Terminal bool       `json:"terminal"`
		Source   Source     `json:"source,omitempty"`
		Moves    []moveJSON `json:"moves"`
		Line     *lineJSON  `json:"line,omitempty"`
	}
	valueJSON struct {
		Outcome string `json:"outcome"`
		Steps   *int   `json:"steps"`
	}
	moveJSON struct {
		Move string `json:"move"`
		valueJSON
		Position string `json:"position"`
	}
	lineJSON struct {
		Plies   []plyJSON `json:"plies"`
		Repeats *int      `json:"repeats"`
		// Truncated is there only where it is true.
		Truncated bool `json:"truncated,omitempty"`
	}
	plyJSON struct {
		Move     string `json:"move"`
		Position string `json:"position"`
	}
)

// MarshalJSON writes
//
//	{"game":"quixo","size":4,"position":"…","outcome":"win","steps":21,"terminal":false,
//	 "moves":[{"move":"a1d1","outcome":"win","steps":21,"position":"…"}]}
//
// and, where there is a line, at its end
//
//	"line":{"plies":[{"move":"a1d1","position":"…"}],"repeats":null}
//
// with "truncated":true where it was cut short. steps is null for a draw and where none are known, repeats where the line ends
// with the game. Without a table there is "source":"pairing" or "rules" before
// the moves.
func (a *Answer) MarshalJSON() ([]byte, error) {
	out := answerJSON{
		Game: a.Game, Size: a.Size, Position: a.Position,
		valueJSON: a.Value.json(), Terminal: a.Terminal, Source: a.Source, Moves: make([]moveJSON, len(a.Moves)),
	}
	for i, m := range a.Moves {
		out.Moves[i] = moveJSON{m.Move, m.Value.json(), m.Position}
	}
	if a.Line != nil {
		out.Line = &lineJSON{Plies: make([]plyJSON, len(a.Line.Plies)), Repeats: notNegative(a.Line.Repeats), Truncated: a.Line.Truncated}
		for i, p := range a.Line.Plies {
			out.Line.Plies[i] = plyJSON(p)
		}
	}
	return json.Marshal(out)
}

func (v Value) json() valueJSON { return valueJSON{v.Outcome.String(), notNegative(v.Steps)} }

// notNegative returns nil, which is null in JSON, for a negative number.
func notNegative(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// AppendJSON appends what MarshalJSON writes.
func (a *Answer) AppendJSON(dst []byte) []byte {
	text, err := a.MarshalJSON()
	if err != nil {
		panic(err)
	}
	return append(dst, text...)
}
