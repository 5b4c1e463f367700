// Package truth holds known values of small boards, computed by programs that
// share nothing with this one, for tests to compare with. README.md says where
// each file comes from. The files are part of the package, so that whatever
// cannot be read in them is a mistake in the program, and panics.
package truth

import "backsolve/game"

// Value is the outcome of a position and the steps to the end, 0 for a draw.
type Value struct {
	Outcome game.Outcome
	Steps   int
}

// Quixo counts the states of a Quixo board, a state being a position with X to
// move. Terminal states are included, with 0 steps.
type Quixo struct {
	N      int
	States int64
	Win    int64
	Lose   int64 `json:"loss"`
	Draw   int64

	// Empty is the value of the empty board.
	Empty Value `json:"-"`

	WinBySteps  map[int]int64 `json:"win_by_steps"`
	LoseBySteps map[int]int64 `json:"loss_by_steps"`

	// SHA256 is, in hexadecimal, the sum over one byte for each state: 255 for
	// a draw, else 2·steps, plus 1 for a win. The states are ordered by the sum
	// of digit·3^cell, with digit 0 for empty, 1 for X and 2 for O.
	SHA256 string
}

// QuixoBoards returns the counts of Quixo 2×2, 3×3 and 4×4.
func QuixoBoards() []Quixo {
	return boards("quixo_totals.json", func(b *Quixo) *Value { return &b.Empty })
}

// Notakto counts the states of a Notakto board.
type Notakto struct {
	N        int
	States   int64 `json:"masks"`
	Terminal int64

	// Win and Lose do not count terminal states, nor do the maps and lists.
	Win  int64 `json:"nonterminal_win_to_move"`
	Lose int64 `json:"nonterminal_loss_to_move"`

	// Empty is the value of the empty board.
	Empty Value `json:"-"`

	// WinningMoves are those of the first moves that win.
	WinningMoves []FirstMove `json:"winning_first_moves"`
	// FirstMoves are the values of all first moves by cell, for the player who
	// makes them, with steps from the empty board.
	FirstMoves []Value `json:"first_move_values_for_mover"`

	WinBySteps  map[int]int64 `json:"win_by_steps"`
	LoseBySteps map[int]int64 `json:"loss_by_steps"`

	// By the number of marks, from 0 to n².
	WinByMarks      []int64 `json:"win_by_pieces"`
	LoseByMarks     []int64 `json:"loss_by_pieces"`
	TerminalByMarks []int64 `json:"terminal_by_pieces"`
}

// FirstMove is a first move that wins.
type FirstMove struct {
	Cell  int // row·n + column from the top left
	Steps int `json:"steps_total"` // from the empty board
}

// NotaktoBoards returns the counts of Notakto 1×1 to 5×5.
func NotaktoBoards() []Notakto {
	return boards("notakto_1_to_5.json", func(b *Notakto) *Value { return &b.Empty })
}

// State is a position with X to move, and its value.
type State struct {
	Position game.Position
	Value
}

// QuixoStates returns states of n×n Quixo with their values: every state for
// n = 2 and 3, 10,000 uniformly random ones for n = 4, none for other n.
func QuixoStates(n int) []State {
	switch n {
	case 2:
		return states("quixo2_all.csv")
	case 3:
		return states("quixo3_all.csv")
	case 4:
		return states("quixo4_sample.csv")
	}
	return nil
}

// Count counts the outcomes of the Quixo states with so many marks of the
// player to move and of the other player, terminal states included.
type Count struct {
	Mover, Other    int
	Win, Lose, Draw int64
}

// QuixoCounts returns the outcomes of n×n Quixo by marks: all of them for
// n = 4, the fullest and the emptiest for n = 5, none for other n.
func QuixoCounts(n int) []Count {
	switch n {
	case 4:
		return counts("quixo4_classes.csv")
	case 5:
		return counts("quixo5_some_classes.csv")
	}
	return nil
}
