package probe

import (
	"math/bits"
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// Rated is a move with its value for the player who makes it, counted from the position before it.
type Rated struct {
	Move game.Move
	Value
	// Nimber is the nimber of the position after the move, in games that have nimbers.
	Nimber Number
	// Score is for the player who makes the move, in games that end with a score.
	Score Number
	// TieBreak orders equally good moves: a smaller one makes progress. In an opening table it is the class after
	// the move, as small ones are answered at once. Without steps, in a game that can repeat, it is 0 for a win at
	// once, and 1 plus the blank cells after other winning moves. It is 0 elsewhere.
	TieBreak int
}

// Ranked is a legal move with the position after it.
type Ranked struct {
	Rated
	Position game.Position
}

// ranking ranks the moves of a position. It keeps its memory for the next one.
type ranking struct {
	table  *Table
	value  Value // of the position
	nimber Number
	moves  []Ranked // the best first

	legal   []game.Move
	keys    []reader.Key
	places  []reader.Place
	entries []tablebase.Entry // of the position, then of those after its moves
	order   []int
	sorted  []Ranked
}

var rankings = sync.Pool{New: func() any { return new(ranking) }}

// newRanking returns a ranking for the table. It must be released.
func (t *Table) newRanking() *ranking {
	r := rankings.Get().(*ranking)
	r.table = t
	return r
}

func (r *ranking) release() {
	r.table = nil
	rankings.Put(r)
}

// rank looks up the values that b lacks. Only a position that is over has no moves.
func (r *ranking) rank(p game.Position, b batched) error {
	t := r.table
	stored := r.expand(p)
	var ok bool
	if r.entries, ok = b.entries(r.entries, stored); !ok {
		if err := r.lookUp(t.States, p, r.moves[:stored]); err != nil {
			return err
		}
	}
	r.value = Value{r.entries[0].Outcome, r.entries[0].Steps}
	for i, e := range r.entries[1:] {
		r.moves[i].Value = Value{e.Outcome, e.Steps}.Before()
	}
	if err := r.resolve(stored); err != nil {
		return err
	}
	over, err := t.checkOver(p, r.value)
	if err != nil {
		return err
	}
	if over {
		return r.findNimbers(p)
	}
	r.sort()
	if len(r.moves) == 0 || r.moves[0].Value != r.value {
		return t.stored.Damaged("%s is stored as %v, which its moves do not lead to", t.rules.Format(p), r.value)
	}
	return r.findNimbers(p)
}

// checkOver reports whether a position is over, and checks the stored value against its end.
func (t *Table) checkOver(p game.Position, stored Value) (over bool, err error) {
	outcome, over := t.rules.Terminal(p)
	if want := TerminalValue(outcome, t.steps); over && stored != want {
		err = t.stored.Damaged("%s is over with %v, but stored is %v", t.rules.Format(p), want, stored)
	}
	return over, err
}

// expand lists the moves, first those to stored positions, and returns how many these are.
func (r *ranking) expand(p game.Position) (stored int) {
	t := r.table
	r.moves, r.legal = r.moves[:0], t.rules.Moves(r.legal[:0], p)
	for _, m := range r.legal {
		r.moves = append(r.moves, Ranked{Rated{Move: m}, t.rules.Play(p, m)})
	}
	if !t.Opening() {
		return len(r.moves)
	}
	class := func(m Ranked) int { return t.space.Locate(m.Position).Class }
	slices.SortStableFunc(r.moves, func(a, b Ranked) int { return max(class(a), t.classes-1) - max(class(b), t.classes-1) })
	for stored < len(r.moves) && class(r.moves[stored]) < t.classes {
		stored++
	}
	return stored
}

// resolve deals with the moves after the stored ones, which leave an opening table. They lose if the position is
// lost, and are dropped if another move wins. Otherwise the best move is unknown: an *OutOfTableError.
func (r *ranking) resolve(stored int) error {
	isWin := func(m Ranked) bool { return m.Outcome == game.Win }
	switch {
	case stored == len(r.moves):
	case r.value.Outcome == game.Lose:
		for i := stored; i < len(r.moves); i++ {
			r.moves[i].Value = Value{game.Lose, -1}
		}
	case slices.ContainsFunc(r.moves[:stored], isWin):
		r.moves = r.moves[:stored]
	default:
		return r.table.OutOfTable(r.table.space.Locate(r.moves[stored].Position).Class)
	}
	return nil
}

func (r *ranking) appendRated(buf []Rated) []Rated {
	for _, m := range r.moves {
		m.TieBreak = r.tieBreak(m)
		buf = append(buf, m.Rated)
	}
	return buf
}

func (r *ranking) partial() bool { return len(r.moves) < len(r.legal) }

func (r *ranking) lookUp(s *States, p game.Position, moves []Ranked) error {
	return s.stored.WithRevalidation(func() error {
		if err := r.find(s, p, moves); err != nil {
			return err
		}
		r.entries = slices.Grow(r.entries[:0], len(r.places))[:len(r.places)]
		return s.stored.LookupAll(r.places, r.entries)
	})
}

// find finds the places of a position and of those after its moves, in this order.
func (r *ranking) find(s *States, p game.Position, moves []Ranked) error {
	k, err := s.key(p)
	if err != nil {
		return err
	}
	if s.placed && s.stored.Trusting() {
		return r.findPlaced(s, k, moves)
	}
	r.keys = append(r.keys[:0], k)
	for i := range moves {
		if k, err = s.keyOf(moves[i].Position); err != nil {
			return err
		}
		r.keys = append(r.keys, k)
	}
	r.places = slices.Grow(r.places[:0], len(r.keys))[:len(r.keys)]
	return s.findAll(r.keys, r.places)
}

// findPlaced is find where all blocks are known to be where the numbering expects them.
func (r *ranking) findPlaced(s *States, k reader.Key, moves []Ranked) error {
	r.places = append(r.places[:0], reader.Place{Class: k.Class, Block: k.Hint, Index: k.Index})
	for i := range moves {
		state, block := s.numbering.Locate(moves[i].Position)
		if state.Class >= s.classes {
			return s.OutOfTable(state.Class)
		}
		r.places = append(r.places, reader.Place{Class: state.Class, Block: block, Index: uint64(state.Index)})
	}
	return nil
}

// findNimbers fails if the nimbers do not fit the values or each other: a table is damaged.
func (r *ranking) findNimbers(p game.Position) error {
	r.nimber = Number{}
	t, n := r.table, r.table.nimbers
	if n == nil {
		return nil
	}
	if err := r.lookUp(n, p, r.moves); err != nil {
		return err
	}
	own, fits := r.entries[0], r.entries[0].Outcome == r.value.Outcome
	var reached uint64 // the nimbers after the moves
	for i, e := range r.entries[1:] {
		r.moves[i].Nimber = nimberOf(e)
		fits = fits && e.Outcome == r.moves[i].Outcome.Flip()
		if e.Nimber >= 0 {
			reached |= 1 << uint(e.Nimber)
		}
	}
	if !fits {
		return n.stored.Damaged("the outcomes of %s and its moves are not those of %s", t.rules.Format(p), t.stored.Path())
	}
	derived := Number{}
	if len(r.moves) > 0 {
		derived = NewNumber(bits.TrailingZeros64(^reached))
	}
	if r.nimber = nimberOf(own); r.nimber != derived && !r.partial() {
		return n.stored.Damaged("%s is stored with the nimber %v, but its moves lead to %v", t.rules.Format(p), r.nimber, derived)
	}
	return nil
}

// sort puts the best first. Ties stay in the order of the rules, by their text.
func (r *ranking) sort() {
	const bits = 8 // of the number of a move
	r.order, r.sorted = r.order[:0], append(r.sorted[:0], r.moves...)
	for i := range r.moves {
		r.order = append(r.order, r.moves[i].rank()<<bits|i)
	}
	sortShort(r.order)
	for i, key := range r.order {
		r.moves[i] = r.sorted[key&(1<<bits-1)]
	}
}

// sortShort sorts a few numbers in half the time of slices.Sort.
func sortShort(keys []int) {
	for i, key := range keys {
		for ; i > 0 && keys[i-1] > key; i-- {
			keys[i] = keys[i-1]
		}
		keys[i] = key
	}
}

// tieBreak returns Rated.TieBreak of a move.
//
// Without steps, no win is known to be nearer than another, and where play can repeat, a
// player who makes any winning move may never finish. But a marked cell is never blank
// again. So marking one whenever that wins as well happens at most once per cell.
func (r *ranking) tieBreak(m Ranked) int {
	t := r.table
	if t.Opening() {
		return t.space.Locate(m.Position).Class
	}
	if t.steps || t.space.Kind != partition.Cyclic || m.Outcome != game.Win {
		return 0
	}
	if _, over := t.rules.Terminal(m.Position); over {
		return 0
	}
	return 1 + t.rules.Rows()*t.rules.Cols() - bits.OnesCount64(m.Position.X|m.Position.O)
}
