// Package probe answers questions from tables: the outcome of a position, the steps to the
// end, all moves ranked, the main line. It joins game, partition and tablebase. If a board
// can have no table, a strategy may answer. Package survey reads whole tables.
package probe

import (
	"errors"

	"backsolve/game"
)

// Table is the open table of a board. All methods but Close and Number are safe for concurrent use.
type Table struct {
	*States
	nimbers *States // of this file or one beside it; nil if there are none
}

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

// Number prepares for many questions, before the first. On small boards it numbers the blocks, so that lookups
// need no search; that takes milliseconds and at most 128 KiB.
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

// NimbersIdentity returns the identity of the file with the nimbers, if there is one.
func (t *Table) NimbersIdentity() (identity [32]byte, ok bool) {
	if t.nimbers == nil {
		return identity, false
	}
	return t.nimbers.stored.Identity(), true
}

// Nimber is of the game in which lines must not be completed and a player who cannot move loses. It is unknown
// if that is over or HasNimbers is false. Errors come from Value.
func (t *Table) Nimber(p game.Position) (Number, error) {
	if t.nimbers == nil {
		return Number{}, nil
	}
	e, err := t.nimbers.Entry(p)
	if err != nil {
		return Number{}, err
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
	defer t.stored.ShareDeadline()()
	return ask(game.Opaque(t.rules), s, FromTable, maxPlies, func(s game.State, alone bool) (rating Rating, err error) {
		p, ok := s.(game.Position)
		if !ok {
			return rating, ErrPosition
		}
		if alone {
			v, err := t.Value(p)
			if err != nil {
				return rating, err
			}
			return t.rateAlone(p, v)
		}
		r := t.newRanking()
		defer r.release()
		if err := r.rank(p, batched{}); err != nil {
			return rating, err
		}
		return Rating{Value: r.value, Nimber: r.nimber, Moves: r.appendRated(make([]Rated, 0, len(r.moves))), Partial: r.partial()}, nil
	})
}

func (t *Table) rateAlone(p game.Position, stored Value) (r Rating, err error) {
	r.Value = stored
	if _, err = t.checkOver(p, stored); err == nil {
		r.Nimber, err = t.Nimber(p)
	}
	return r, err
}

// Rate rates the moves of a state, ties by their text; see Answerer. The table is damaged if they do not lead to the
// stored value; other errors are those of Value. Moves that leave an opening table are left out if another wins;
// if none does, the error is an *OutOfTableError.
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
	return r.value, r.appendRated(buf), nil
}

// appendAnswer appends the JSON of the answer to a position, with what b has looked up, and returns the number of
// moves. It does not allocate if dst has room. On failure it returns dst as it was.
func (t *Table) appendAnswer(dst []byte, p game.Position, b batched) ([]byte, int, error) {
	r := t.newRanking()
	defer r.release()
	if err := r.rank(p, b); err != nil {
		return dst, 0, err
	}
	return r.appendJSON(dst, p), len(r.moves), nil
}
