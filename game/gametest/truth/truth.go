// Package truth has known values of small boards for tests, computed by programs that
// share no code with this one. README.md names the sources. The functions panic where
// an embedded file cannot be read.
package truth

import (
	"embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"backsolve/game"
)

//go:embed *.json *.csv
var files embed.FS

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
	Empty Value

	WinBySteps  map[int]int64 `json:"win_by_steps"`
	LoseBySteps map[int]int64 `json:"loss_by_steps"`

	// SHA256 is, in hexadecimal, the sum over one byte for each state: 255 for
	// a draw, else 2·steps, plus 1 for a win. The states are ordered by the sum
	// of digit·3^cell, with digit 0 for empty, 1 for X and 2 for O.
	SHA256 string
}

// QuixoBoards returns the counts of Quixo 2×2, 3×3 and 4×4.
func QuixoBoards() []Quixo {
	return boards[Quixo]("quixo_totals.json")
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
	Empty Value

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
	return boards[Notakto]("notakto_1_to_5.json")
}

// State is a position with X to move, and its value.
type State struct {
	Position game.Position
	Value
}

// QuixoStates returns states of n×n Quixo with their values: every state for
// n = 2 and 3, 10,000 uniformly random ones for n = 4, none for other n.
func QuixoStates(n int) []State {
	name, known := map[int]string{2: "quixo2_all", 3: "quixo3_all", 4: "quixo4_sample"}[n]
	if !known {
		return nil
	}
	var all []State
	for _, record := range records(name) {
		var s State
		for cell, mark := range record[0] {
			switch mark {
			case 'X':
				s.Position.X |= 1 << uint(cell)
			case 'O':
				s.Position.O |= 1 << uint(cell)
			}
		}
		check(s.Value.UnmarshalText([]byte(record[1])))
		s.Steps = max(0, int(number(record[2]))) // −1 for a draw
		all = append(all, s)
	}
	return all
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
	name, known := map[int]string{4: "quixo4_classes", 5: "quixo5_some_classes"}[n]
	if !known {
		return nil
	}
	var all []Count
	for _, r := range records(name) {
		all = append(all, Count{int(number(r[0])), int(number(r[1])), number(r[2]), number(r[3]), number(r[4])})
	}
	return all
}

// boards reads a JSON file of boards, each a T.
func boards[T any](name string) []T {
	var file struct{ Boards []T }
	check(json.Unmarshal(must(files.ReadFile(name)), &file))
	return file.Boards
}

// records reads a CSV file without its first line, which names the columns.
func records(name string) [][]string {
	text := must(files.ReadFile(name + ".csv"))
	return must(csv.NewReader(strings.NewReader(string(text))).ReadAll())[1:]
}

// UnmarshalText reads a value like W, W6 or D.
func (v *Value) UnmarshalText(text []byte) (err error) {
	outcome, known := map[byte]game.Outcome{'W': game.Win, 'L': game.Lose, 'D': game.Draw}[text[0]]
	if !known {
		return fmt.Errorf("%q is not a value", text)
	}
	*v = Value{Outcome: outcome}
	if len(text) > 1 {
		v.Steps, err = strconv.Atoi(string(text[1:]))
	}
	return err
}

func number(text string) int64 { return must(strconv.ParseInt(text, 10, 64)) }

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(fmt.Errorf("truth: an embedded file is damaged: %w", err))
	}
}
