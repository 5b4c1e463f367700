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
	m.moves = CellMoves(m.rows, m.cols)
	return m
}

// CellMoves returns the moves that each name one cell of a board, ordered by their text on boards
// of at most nine rows.
func CellMoves(rows, cols int) (moves []Move) {
	for col := range cols {
		for row := rows - 1; row >= 0; row-- {
			cell := uint8(row*cols + col)
			moves = append(moves, Move{From: cell, To: cell})
		}
	}
	return moves
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

// ParseMark reads the text of a move on a cell that is not in taken. over says why the game is
// over, and is empty if it is not.
func (m *Marking) ParseMark(text string, taken uint64, over string) (Move, error) {
	cells, err := m.ParseCells(text, 1, m.FormatMove(m.moves[0]))
	if err != nil {
		return Move{}, err
	}
	move := Move{From: uint8(cells[0]), To: uint8(cells[0])}
	return LegalMark(move, m.FormatMove(move), taken>>uint(cells[0])&1 == 1, over)
}

// LegalMark is Legal for a move that marks a cell: it is not legal if the game is over, or the
// cell is marked already.
func LegalMark(m Move, cell string, marked bool, over string) (Move, error) {
	switch {
	case over != "":
		return Legal(m, cell, "the game is over, as "+over)
	case marked:
		return Legal(m, cell, cell+" is already marked; take an empty cell")
	}
	return m, nil
}

// FormatMove returns the name of the cell.
func (m *Marking) FormatMove(move Move) string { return CellName(m.info.Size, int(move.To)) }
