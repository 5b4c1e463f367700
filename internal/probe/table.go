// Package probe answers questions from tables: the outcome of a position, the steps to the
// end, all moves ranked, the main line. It joins game, partition and tablebase. If a board
// can have no table, a strategy may answer. Package survey reads whole tables.
package probe

import (
	"errors"

	"backsolve/game"
)

// Table is the open table of one game on one board. All methods but Close and Number
// are safe for concurrent use.
type Table struct {
	*States
	// nimbers are the states with nimbers, of this file or one beside it; nil if there
	// are none.
	nimbers *States
}

// files returns the states of all files of the table.
func (t *Table) files() []*States {
	if t.nimbers == nil || t.nimbers == t.States {
		return []*States{t.States}
	}
	return []*States{t.States, t.nimbers}
}

// Close closes the table file, and that of the nimbers.
func (t *Table) Close() (err error) {
	for _, s := range t.files() {
		err = errors.Join(err, s.stored.Close())
	}
	return err
}

// Number prepares the table for many questions. On small boards it numbers the blocks, so
// that lookups need no search; that takes milliseconds and at most 128 KiB. Call it before
// the first question.
func (t *Table) Number() {
	for _, s := range t.files() {
		s.number()
	}
}

// CheckAlways is reader.Table.CheckAlways for all files of the table.
func (t *Table) CheckAlways() {
	for _, s := range t.files() {
		s.stored.CheckAlways()
	}
}

// HasNimbers reports whether the nimbers of positions are known.
func (t *Table) HasNimbers() bool { return t.nimbers != nil }

// NimbersIdentity returns the identity of the file with the nimbers; ok is false if there
// is none.
func (t *Table) NimbersIdentity() (identity [32]byte, ok bool) {
	if t.nimbers == nil {
		return identity, false
	}
	return t.nimbers.stored.Identity(), true
}

// Nimber returns the nimber of a position, in the game in which lines must not be
// completed and a player who cannot move loses. It is unknown if the game is over or
// HasNimbers is false. Errors are those of Value.
func (t *Table) Nimber(p game.Position) (Nimber, error) {
	if t.nimbers == nil {
		return Nimber{}, nil
	}
	e, err := t.nimbers.entry(p)
	if err != nil {
		return Nimber{}, err
	}
	return nimberOf(e), nil
}

// Info describes the board.
func (t *Table) Info() game.Info { return t.rules.Info() }

// Example returns the text of a position that shows the notation.
func (t *Table) Example() string {
	if t.space.Taken != 0 {
		return t.rules.Format(t.Start())
	}
	return t.rules.Example()
}

// Parse reads the text of a position; see game.ParsePosition.
func (t *Table) Parse(text string) (game.Position, error) {
	return game.ParsePosition(t.rules, t.Start(), text)
}

// Ask answers the position of a text; see Answerer.
func (t *Table) Ask(text string, maxPlies int) (*Answer, error) {
	p, err := t.Parse(text)
	if err != nil {
		return nil, err
	}
	return t.AskState(nil, p, maxPlies)
}

// AskState answers a state; see Answerer.
func (t *Table) AskState(_ game.Rules, s game.State, maxPlies int) (*Answer, error) {
	p, ok := s.(game.Position)
	if !ok {
		return nil, ErrPosition
	}
	defer t.stored.ShareDeadline()()
	if maxPlies == NoMoves {
		v, err := t.Value(p)
		if err != nil {
			return nil, err
		}
		a, err := t.answerAlone(p, v)
		if err != nil {
			return nil, err
		}
		return &a, nil
	}
	a, err := t.Answer(p)
	if err == nil && maxPlies >= 0 {
		a.Line, err = t.Line(p, maxPlies)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// answerAlone returns the answer to a position of a stored value, without moves.
func (t *Table) answerAlone(p game.Position, stored Value) (Answer, error) {
	over, err := t.checkOver(p, stored)
	if err != nil {
		return Answer{}, err
	}
	n, err := t.Nimber(p)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Game: t.rules.Name(), Size: t.rules.Size(), Position: t.rules.Format(p), Value: stored, Nimber: n, Terminal: over, Source: FromTable}, nil
}

// Answer returns the answer to a position, without a line. Errors are those of Rate.
func (t *Table) Answer(p game.Position) (*Answer, error) {
	r := t.newRanking()
	defer r.release()
	if err := r.rank(p, batched{}); err != nil {
		return nil, err
	}
	return r.answer(p), nil
}

// Line returns the main line from a position, of at most maxPlies plies. Errors are those
// of Rate.
func (t *Table) Line(p game.Position, maxPlies int) (*Line, error) {
	return MainLine(game.Opaque(t.rules), p, maxPlies, func(s game.State) (Value, []Rated, error) { return t.Rate(nil, s, nil) })
}

// Rate rates the moves of a state; see Answerer. The best come first, ties by the text of the
// move. They must lead to the stored value, or the table is damaged; other errors are those of
// Value. In an opening table, moves that leave the table are left out if another wins; if none
// does, the error is an *OutOfTableError.
func (t *Table) Rate(_ game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	p, ok := s.(game.Position)
	if !ok {
		return Value{}, buf, ErrPosition
	}
	defer t.stored.ShareDeadline()()
	r := t.newRanking()
	defer r.release()
	if err := r.rank(p, batched{}); err != nil {
		return Value{}, buf, err
	}
	for _, m := range r.moves {
		buf = append(buf, Rated{Move: m.Move, Value: m.Value, Nimber: m.Nimber, TieBreak: r.tieBreak(m)})
	}
	return r.value, buf, nil
}

// AppendAsk is the function AppendAsk for a table.
func (t *Table) AppendAsk(dst []byte, text string) ([]byte, int, error) {
	p, err := t.Parse(text)
	if err != nil {
		return dst, 0, err
	}
	defer t.stored.ShareDeadline()()
	return t.appendAnswer(dst, p, batched{})
}

// appendAnswer appends to dst the JSON of the answer to a position, with lookups from a batch if it
// has them. It returns the number of moves, too. It does not allocate if dst has room. On failure
// it returns dst as it was.
func (t *Table) appendAnswer(dst []byte, p game.Position, b batched) ([]byte, int, error) {
	r := t.newRanking()
	defer r.release()
	if err := r.rank(p, b); err != nil {
		return dst, 0, err
	}
	return r.appendJSON(dst, p), len(r.moves), nil
}
