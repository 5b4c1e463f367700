package game

// Marking is a Board for games in which every move marks an empty cell. A game's
// rules embed it.
type Marking struct {
	Board
	moves []Move // on all cells, by their text
}

// MarkForm is Info.MoveForm of these games.
const MarkForm = "the cell that is marked"

// NewMarking returns the board of NewBoard with its moves.
func NewMarking(i Info, example string) Marking {
	i.MoveForm, i.MoveKind = MarkForm, Marks
	m := Marking{Board: NewBoard(i, example)}
	for col := range m.cols {
		for row := m.rows - 1; row >= 0; row-- {
			cell := uint8(row*m.cols + col)
			m.moves = append(m.moves, Move{From: cell, To: cell})
		}
	}
	return m
}

// AppendEmpty appends the moves on the cells that are not in taken, ordered by
// their text.
func (m *Marking) AppendEmpty(buf []Move, taken uint64) []Move {
	for _, move := range m.moves {
		if taken>>(move.To&63)&1 == 0 {
			buf = append(buf, move)
		}
	}
	return buf
}

// ParseMark reads the text of a move on a cell that is not in taken. over says why
// the game is over, and is empty where it is not.
func (m *Marking) ParseMark(text string, taken uint64, over string) (Move, error) {
	cells, err := m.ParseCells(text, 1, m.FormatMove(m.moves[0]))
	if err != nil {
		return Move{}, err
	}
	move := Move{From: uint8(cells[0]), To: uint8(cells[0])}
	if err := IllegalMark(m.FormatMove(move), taken>>uint(cells[0])&1 == 1, over); err != nil {
		return Move{}, err
	}
	return move, nil
}

// IllegalMark says why a cell cannot be marked, because the game is over or because
// it is marked already; nil where it can.
func IllegalMark(cell string, marked bool, over string) error {
	switch {
	case over != "":
		return &IllegalMoveError{Move: cell, Reason: "the game is over, as " + over}
	case marked:
		return &IllegalMoveError{Move: cell, Reason: cell + " is already marked; take an empty cell"}
	}
	return nil
}

// FormatMove returns the name of the cell.
func (m *Marking) FormatMove(move Move) string { return CellName(m.info.Size, int(move.To)) }
