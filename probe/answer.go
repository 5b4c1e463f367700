package probe

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/tablebase"
)

// Value is what a position is worth to the player to move.
type Value struct {
	Outcome game.Outcome
	// Steps is the number of plies to the end under best play, −1 for a draw
	// and where the table has none.
	Steps int
}

// Compare orders values from the best to the worst for the player who has
// them: wins, the fewest steps first, then draws, then losses, the most steps
// first. It is negative where v is better than w.
func (v Value) Compare(w Value) int { return cmp.Compare(v.place(), w.place()) }

// place is the greater the worse the value is; equal values have the same one.
func (v Value) place() int {
	const drawn, lost = 1 << 20, 1 << 22 // steps have at most 16 bits
	switch v.Outcome {
	case game.Win:
		return v.Steps
	case game.Draw:
		return drawn + v.Steps
	default:
		return lost - v.Steps
	}
}

// String returns the value in words: win in 21, draw, lose.
func (v Value) String() string {
	if v.Steps < 0 {
		return v.Outcome.String()
	}
	return fmt.Sprintf("%v in %d", v.Outcome, v.Steps)
}

// before returns the value, one ply earlier and for the other player, of a move
// to a position of value v.
func (v Value) before() Value {
	if v.Steps >= 0 {
		v.Steps++
	}
	v.Outcome = v.Outcome.Flip()
	return v
}

// Ranked is a legal move with what it is worth to the player who makes it,
// counted from the position before it.
type Ranked struct {
	Move game.Move
	Value
	// Position is the one after the move.
	Position game.Position
}

// Rank returns the value of a position and appends its legal moves to buf, the
// best first: by Value.Compare, equal ones by the text of the move. A position
// that is over has no moves. The values of the moves must lead to the value
// stored for the position, or the table is damaged; other errors are those of
// Lookup.
func (t *Table) Rank(p game.Position, buf []Ranked) (Value, []Ranked, error) {
	w := rankings.Get().(*ranking)
	defer rankings.Put(w)
	outcome, over := t.rules.Terminal(p)
	first := len(buf)
	w.moves = t.rules.Moves(w.moves[:0], p)
	for _, m := range w.moves {
		buf = append(buf, Ranked{Move: m, Position: t.rules.Play(p, m)})
	}
	value, err := w.lookup(t, p, buf[first:])
	switch {
	case err != nil:
	case over && value != t.terminalValue(outcome):
		err = t.damaged("%s is over with %v, but stored is %v", t.rules.Format(p), t.terminalValue(outcome), value)
	case over:
	default:
		w.sort(buf[first:])
		if len(buf) == first || buf[first].Value != value {
			err = t.damaged("%s is stored as %v, which its moves do not lead to", t.rules.Format(p), value)
		}
	}
	if err != nil {
		return Value{}, buf[:first], err
	}
	return value, buf, nil
}

// ranking is memory for ranking the moves of a position.
type ranking struct {
	moves   []game.Move
	places  []tablebase.Place
	entries []tablebase.Entry
	keys    []int
	sorted  []Ranked
}

var rankings = sync.Pool{New: func() any { return new(ranking) }}

// lookup returns the value of a position and fills in those of its moves.
func (w *ranking) lookup(t *Table, p game.Position, moves []Ranked) (Value, error) {
	place, err := t.place(p)
	w.places = append(w.places[:0], place)
	for i := 0; i < len(moves) && err == nil; i++ {
		place, err = t.place(moves[i].Position)
		w.places = append(w.places, place)
	}
	if err != nil {
		return Value{}, err
	}
	w.entries = slices.Grow(w.entries[:0], len(w.places))[:len(w.places)]
	if err := t.stored.LookupAll(w.places, w.entries); err != nil {
		return Value{}, err
	}
	for i, e := range w.entries[1:] {
		moves[i].Value = Value(e).before()
	}
	return Value(w.entries[0]), nil
}

// sort orders moves from the best to the worst. The rules give them by their text,
// which decides between equal ones.
func (w *ranking) sort(moves []Ranked) {
	const bits = 8 // of the number of a move
	w.keys, w.sorted = w.keys[:0], append(w.sorted[:0], moves...)
	for i, m := range moves {
		w.keys = append(w.keys, m.place()<<bits|i)
	}
	slices.Sort(w.keys)
	for i, key := range w.keys {
		moves[i] = w.sorted[key&(1<<bits-1)]
	}
}

func (t *Table) value(p game.Position) (Value, error) {
	outcome, steps, err := t.Lookup(p)
	return Value{outcome, steps}, err
}

// terminalValue returns the value of a position that is over.
func (t *Table) terminalValue(outcome game.Outcome) Value {
	if outcome == game.Draw || !t.HasSteps() {
		return Value{outcome, -1}
	}
	return Value{outcome, 0}
}

// Source says what an answer comes from.
type Source string

// The sources of answers.
const (
	FromTable   Source = ""
	FromRules   Source = "rules"   // the game is over, and there is no table
	FromPairing Source = "pairing" // see notakto.Paired
)

// Answer is all that is known of a position, as text. MarshalJSON says how it is
// written.
type Answer struct {
	Game string
	Size int
	// Position is the text of the position asked about.
	Position string
	Value
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	Source   Source
	// Moves are all legal moves, the best first, as Rank orders them; without a
	// table only those whose outcome is known.
	Moves []Move
	// Line is the main line, nil unless it was asked for.
	Line *Line
}

// Move is a move of an answer, with what it is worth to the player who makes
// it, counted from the position asked about.
type Move struct {
	Move string
	Value
	// Position is the text of the position after the move.
	Position string
}

// Answer returns what the table says of a position. Errors are those of Rank.
func (t *Table) Answer(p game.Position) (*Answer, error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	value, err := s.rank(t, p)
	if err != nil {
		return nil, err
	}
	// All texts are parts of one string, which is allocated at once.
	s.text, s.ends = s.text[:0], append(s.ends[:0], 0)
	s.took(t.rules.AppendFormat(s.text, p))
	for _, r := range s.ranked {
		s.took(t.rules.AppendMove(s.text, r.Move))
		s.took(t.rules.AppendFormat(s.text, r.Position))
	}
	all := string(s.text)
	text := func(i int) string { return all[s.ends[i]:s.ends[i+1]] }
	a := &Answer{
		Game: t.rules.Name(), Size: t.rules.Size(), Position: text(0),
		Value: value, Terminal: len(s.ranked) == 0, Moves: make([]Move, len(s.ranked)),
	}
	for i, r := range s.ranked {
		a.Moves[i] = Move{text(2*i + 1), r.Value, text(2*i + 2)}
	}
	return a, nil
}

// scratch is memory for an answer in work.
type scratch struct {
	ranked []Ranked
	text   []byte
	ends   []int // of the texts in text, after a 0
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// rank ranks the moves of a position. Only one that is over has none.
func (s *scratch) rank(t *Table, p game.Position) (value Value, err error) {
	value, s.ranked, err = t.Rank(p, s.ranked[:0])
	return value, err
}

// took takes over the text with another one appended.
func (s *scratch) took(text []byte) { s.text, s.ends = text, append(s.ends, len(text)) }
