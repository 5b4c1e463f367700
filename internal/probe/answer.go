package probe

import "backsolve/game"

// Source says where an answer comes from.
type Source string

// The sources of answers.
const (
	FromTable   Source = "table"
	FromRules   Source = "rules"   // the game is over or ends with the next move, and there is no table
	FromPairing Source = "pairing" // see notakto.Paired
	FromFormula Source = "formula" // see game.Exact
	FromSearch  Source = "search"  // the endgame was solved on demand
)

// Answer is all that is known of a position, as text. See MarshalJSON for its JSON.
type Answer struct {
	Game string
	Size int
	// Position is the text of the position asked about.
	Position string
	Value
	// Nimber is known only in games that have nimbers.
	Nimber Nimber
	// Score is that of the game's end under best play, in games that end with a score.
	Score Score
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	Source   Source
	// Diagram draws the position in games whose board is game.AsText, else it is "".
	Diagram string
	// End is the sentence that says why the game has ended, where the rules have one.
	End string
	// Moves are the legal moves whose outcome is known, the best first, as Rank orders
	// them.
	Moves []Move
	// Partial says that Moves lacks legal moves: an opening table ends there, the rules
	// alone answer, or a search had no time for more.
	Partial bool
	// Line is the main line, nil unless it was asked for.
	Line *Line
}

// Move is a move of an answer, with its value to the player who makes it, counted from
// the position asked about.
type Move struct {
	Move string
	Value
	// Nimber is that of the position after the move.
	Nimber Nimber
	// Score is that of the player who makes the move.
	Score Score
	// Position is the text of the position after the move.
	Position string
	// TieBreak is that of Rated.
	TieBreak int
}

// answer returns the ranking of a position as an answer. Its texts share one allocation.
func (r *ranking) answer(p game.Position) *Answer {
	rules := r.table.rules
	add := func(text []byte) { r.text, r.ends = text, append(r.ends, len(text)) }
	r.text, r.ends = r.text[:0], append(r.ends[:0], 0)
	add(rules.AppendFormat(r.text, p))
	for _, m := range r.moves {
		add(append(r.text, rules.FormatMove(m.Move)...))
		add(rules.AppendFormat(r.text, m.Position))
	}
	all := string(r.text)
	text := func(i int) string { return all[r.ends[i]:r.ends[i+1]] }
	a := &Answer{
		Game: rules.Name(), Size: rules.Size(), Position: text(0), Value: r.value, Nimber: r.nimber,
		Terminal: len(r.moves) == 0, Source: FromTable, Partial: r.partial(), Moves: make([]Move, len(r.moves)),
	}
	for i, m := range r.moves {
		a.Moves[i] = Move{Move: text(2*i + 1), Value: m.Value, Nimber: m.Nimber, Position: text(2*i + 2), TieBreak: r.tieBreak(m)}
	}
	return a
}
