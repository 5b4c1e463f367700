package probe

import (
	"backsolve/game"
	"backsolve/game/custom"
)

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
	// Nimber is the Grundy value in impartial games whose last mover wins, where it is known: the
	// size of the Nim heap that the position equals (Sprague–Grundy theorem). The player to move
	// loses if it is 0. The nimber of a sum of positions is the XOR of theirs.
	Nimber Number
	// Score is the final score under best play for the player to move, as a difference in
	// discs, empty cells counting for the winner, in games that end with a score.
	Score Number
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	Source   Source
	// Diagram draws the position in games whose board is game.AsText, else it is "".
	Diagram string
	// End is the sentence that says why the game has ended, where the rules have one.
	End string
	// Moves are the legal moves whose outcome is known, the best first, as Rate orders them.
	Moves []Move
	// Partial says that legal moves are missing: beyond an opening table, the rules or the time of a search.
	Partial bool
	// Line is the main line, nil unless it was asked for.
	Line *Line
}

// Move is a move with its value for the player who makes it, counted from the position asked about.
type Move struct {
	Move string
	Value
	// Nimber is the nimber of the position after the move.
	Nimber Number
	// Score is for the player who makes the move.
	Score Number
	// Position is the text of the position after the move.
	Position string
	// TieBreak is as in Rated.
	TieBreak int
}

// newAnswer leaves out the line. The source of a game that is over is the rules, unless there is a table.
func newAnswer(rules game.Rules, s game.State, r Rating, source Source) Answer {
	board := rules.Info()
	a := Answer{
		Game: board.Name, Size: board.Size, Position: rules.Format(s), Value: r.Value, Nimber: r.Nimber, Score: r.Score,
		Source: source, Partial: r.Partial, Moves: make([]Move, len(r.Moves)),
	}
	if _, a.Terminal = rules.Terminal(s); a.Terminal && source != FromTable {
		a.Source = FromRules
	}
	if board.Board == game.AsText {
		a.Diagram = rules.Diagram(s)
	}
	if l, ok := rules.(custom.Listed); ok && a.Terminal {
		a.End = l.End(s)
	}
	for i, m := range r.Moves {
		a.Moves[i] = Move{
			Move: game.MoveText(rules, s, m.Move), Value: m.Value, Nimber: m.Nimber, Score: m.Score,
			Position: rules.Format(rules.Play(s, m.Move)), TieBreak: m.TieBreak,
		}
	}
	return a
}

// ask answers for a state by functions that rate it and the states of its line; alone leaves out moves.
func ask(rules game.Rules, s game.State, source Source, maxPlies int, rate func(s game.State, alone bool) (Rating, error)) (*Answer, error) {
	rating, err := rate(s, maxPlies == NoMoves)
	if err != nil {
		return nil, err
	}
	a := newAnswer(rules, s, rating, source)
	if maxPlies < 0 {
		return &a, nil
	}
	a.Line, err = MainLine(rules, s, maxPlies, func(s game.State) (Value, []Rated, error) {
		r, err := rate(s, false)
		return r.Value, r.Moves, err
	})
	if err != nil {
		return nil, err
	}
	return &a, nil
}
