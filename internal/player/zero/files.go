package zero

import (
	"cmp"
	"math/bits"
	"slices"

	"backsolve/game"
	"backsolve/game/dawson"
)

// files is the view of Dawson's chess. A state has the open files, as the others decide nothing;
// an action is an open file. Inputs are the files, each 1 if it is open. In the canonical order
// the rows of open files lie one file apart, the longest first. That is no wider than the board,
// where a move's cleared files separate them.
type files struct {
	dimensions
	end     game.Outcome // if no file is open, for the player to move
	n       int
	ordered bool
	parity  bool
}

func newFiles(rules game.Rules, e Encoding) (View, error) {
	if err := e.check(rules.Info(), true, RowOrder); err != nil {
		return nil, err
	}
	n := rules.Info().Size
	v := &files{dimensions{n, n, State{1<<uint(n) - 1}}, endOf(rules), n, e.Canonical == RowOrder, e.Parity}
	if e.Parity {
		v.inputs += 2
	}
	return v, nil
}

type row struct{ first, length int }

// arrange returns the state of open files, and which file is at each place.
func (v *files) arrange(open uint64) (s State, at [dawson.MaxFiles]uint8) {
	if !v.ordered {
		for file := range at {
			at[file] = uint8(file)
		}
		return State{open}, at
	}
	var room [(dawson.MaxFiles + 1) / 2]row
	rows := room[:0]
	for open != 0 {
		first := bits.TrailingZeros64(open)
		length := bits.TrailingZeros64(^(open >> first))
		rows = append(rows, row{first, length})
		open &^= (1<<length - 1) << first
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.length, a.length) })
	place := 0
	for _, r := range rows {
		for i := range r.length {
			at[place] = uint8(r.first + i)
			s[0] |= 1 << uint(place)
			place++
		}
		place++
	}
	return s, at
}

func (v *files) Of(s game.State) (State, func(int) game.Move) {
	open := v.start[0]
	for played := uint64(dawson.Played(s)); played != 0; played &= played - 1 {
		open &^= taken(bits.TrailingZeros64(played))
	}
	state, at := v.arrange(open)
	return state, func(action int) game.Move { return game.Move{From: at[action], To: at[action]} }
}

// taken returns the files that a move takes: its own and those beside it.
func taken(file int) uint64 { return 7 << uint(file) >> 1 }

func (v *files) Terminal(s State) (game.Outcome, bool) {
	if s[0] == 0 {
		return v.end, true
	}
	return game.Draw, false
}

func (v *files) Legal(buf []int16, s State) []int16 {
	for open := s[0]; open != 0; open &= open - 1 {
		buf = append(buf, int16(bits.TrailingZeros64(open)))
	}
	return buf
}

func (v *files) Play(s State, action int) State {
	after, _ := v.arrange(s[0] &^ taken(action))
	return after
}

func (v *files) Encode(dst []float32, s State) {
	for file := range v.n {
		dst[file] = float32(s[0] >> uint(file) & 1)
	}
	if v.parity {
		dst[v.n] = float32(bits.OnesCount64(s[0]) & 1)
		dst[v.n+1] = float32(bits.OnesCount64(s[0]&^(s[0]<<1)) & 1) // the first file of each row
	}
}
