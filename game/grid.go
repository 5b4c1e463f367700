package game

// Position is a state of a board of at most 8×8 cells. X and O hold the cells
// marked by each player as masks (bit row·columns + column, row 0 on top) and are
// disjoint. In a game of one kind of marks every mark is an X.
type Position struct {
	X, O uint64
	// Mark is the mark that the player to move sets: X in all positions of a game of one kind of
	// marks, else the mark of the side to move. Turn says whose turn it is.
	Mark Side
}

// Mover returns the cells with the mark of the player to move.
func (p Position) Mover() uint64 {
	if p.Mark == X {
		return p.X
	}
	return p.O
}

// Waiting returns the cells with the mark of the player who has just moved, if each player has a
// mark.
func (p Position) Waiting() uint64 {
	if p.Mark == X {
		return p.O
	}
	return p.X
}

// Grid is the rules of a game on a board of at most 8×8 cells, with Position as its state. Tables
// are made from it and queried with it.
type Grid interface {
	RulesOf[Position]
	// Name is Info's name.
	Name() string
	// Size is Info's size, Rows and Cols the numbers of rows and columns.
	Size() int
	Rows() int
	Cols() int
	// Marks is the number of kinds of marks, so that a cell has Marks + 1 states: 1 if every mark
	// is an X, 2 if X and O each mark their own cells.
	Marks() int
}

// GridOf returns the grid from which Opaque made rules, and whether it did.
func GridOf(r Rules) (Grid, bool) {
	if o, ok := r.(opaque[Position]); ok {
		g, ok := o.of.(Grid)
		return g, ok
	}
	return nil, false
}
