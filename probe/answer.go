package probe

import (
	"sync"

	"backsolve/game"
)

// Source says what an answer comes from.
type Source string

// The sources of answers.
const (
	FromTable   Source = "table"
	FromRules   Source = "rules"   // the game is over or ends with the next move, and there is no table
	FromPairing Source = "pairing" // see notakto.Paired
	FromFormula Source = "formula" // see game.Exact
	FromSearch  Source = "search"  // the rest of the game was solved now
)

// Answer is all that is known of a position, as text. MarshalJSON says how it is
// written.
type Answer struct {
	Game string
	Size int
	// Position is the text of the position asked about.
	Position string
	Value
	// Nimber is the position's, in games that have nimbers.
	Nimber Nimber
	// Score is how the game ends under best play, in games that end with a score.
	Score Score
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	Source   Source
	// Moves are all legal moves, the best first, as Rank orders them; without a
	// table, and where an opening table ends, only those whose outcome is known.
	Moves []Move
	// Partial says that moves are left out whose outcome is not known: an opening table
	// ends there, or the rules alone answer.
	Partial bool
	// Line is the main line, nil unless it was asked for.
	Line *Line
}

// Move is a move of an answer, with what it is worth to the player who makes
// it, counted from the position asked about.
type Move struct {
	Move string
	Value
	// Nimber is that of the position after the move.
	Nimber Nimber
	// Score is how the game ends after the move, for the player who makes it.
	Score Score
	// Position is the text of the position after the move.
	Position string
	// TieBreak is that of Rated.
	TieBreak int
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
		Value: value, Nimber: s.nimber, Terminal: len(s.ranked) == 0, Source: FromTable, Moves: make([]Move, len(s.ranked)),
	}
	a.Partial = t.leavesOut(p, len(a.Moves))
	for i, r := range s.ranked {
		a.Moves[i] = Move{Move: text(2*i + 1), Value: r.Value, Nimber: r.Nimber, Position: text(2*i + 2), TieBreak: t.classOf(r)}
	}
	return a, nil
}

// scratch is memory for an answer in work.
type scratch struct {
	nimber Nimber // of the position
	ranked []Ranked
	text   []byte
	ends   []int // of the texts in text, after a 0
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// rank ranks the moves of a position, and finds the nimbers. Only a position that is over
// has no moves.
func (s *scratch) rank(t *Table, p game.Position) (value Value, err error) {
	return s.rankFrom(t, p, batched{})
}

// rankFrom is rank of a position of which a batch, if any, has the lookups.
func (s *scratch) rankFrom(t *Table, p game.Position, from batched) (value Value, err error) {
	value, s.ranked, err = t.rank(p, s.ranked[:0], from)
	if err == nil {
		s.nimber, err = t.rankNimbers(p, value, s.ranked)
	}
	return value, err
}

// took takes over the text with another one appended.
func (s *scratch) took(text []byte) { s.text, s.ends = text, append(s.ends, len(text)) }
