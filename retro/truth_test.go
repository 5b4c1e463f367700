package retro

import (
	"embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"backsolve/game"
)

// truth has known values of small boards, computed by programs that share no code with this one; its
// README.md names the sources. The functions that read it panic if a file is damaged.
//
//go:embed testdata/truth
var truth embed.FS

// knownValue is the outcome of a position and the steps to the end, 0 for a draw.
type knownValue struct {
	Outcome game.Outcome
	Steps   int
}

// knownQuixo counts the states of a Quixo board, a state being a position with X to
// move. Terminal states are included, with 0 steps.
type knownQuixo struct {
	N      int
	States int64
	Win    int64
	Lose   int64 `json:"loss"`
	Draw   int64

	// Empty is the value of the empty board.
	Empty knownValue

	WinBySteps  map[int]int64 `json:"win_by_steps"`
	LoseBySteps map[int]int64 `json:"loss_by_steps"`

	// SHA256 is, in hexadecimal, the sum over one byte for each state: 255 for
	// a draw, else 2·steps, plus 1 for a win. The states are ordered by the sum
	// of digit·3^cell, with digit 0 for empty, 1 for X and 2 for O.
	SHA256 string
}

// knownQuixos returns the counts of Quixo 2×2, 3×3 and 4×4.
func knownQuixos() []knownQuixo {
	return knownBoards[knownQuixo]("quixo_totals.json")
}

// knownNotakto counts the states of a Notakto board.
type knownNotakto struct {
	N        int
	States   int64 `json:"masks"`
	Terminal int64

	// Win and Lose do not count terminal states, nor do the maps and lists.
	Win  int64 `json:"nonterminal_win_to_move"`
	Lose int64 `json:"nonterminal_loss_to_move"`

	// Empty is the value of the empty board.
	Empty knownValue

	// WinningMoves are those of the first moves that win.
	WinningMoves []knownMove `json:"winning_first_moves"`
	// FirstMoves are the values of all first moves by cell, for the player who
	// makes them, with steps from the empty board.
	FirstMoves []knownValue `json:"first_move_values_for_mover"`

	WinBySteps  map[int]int64 `json:"win_by_steps"`
	LoseBySteps map[int]int64 `json:"loss_by_steps"`

	// By the number of marks, from 0 to n².
	WinByMarks      []int64 `json:"win_by_pieces"`
	LoseByMarks     []int64 `json:"loss_by_pieces"`
	TerminalByMarks []int64 `json:"terminal_by_pieces"`
}

// knownMove is a first move that wins.
type knownMove struct {
	Cell  int // row·n + column from the top left
	Steps int `json:"steps_total"` // from the empty board
}

// knownNotaktos returns the counts of Notakto 1×1 to 5×5.
func knownNotaktos() []knownNotakto {
	return knownBoards[knownNotakto]("notakto_1_to_5.json")
}

// knownState is a position with X to move, and its value.
type knownState struct {
	Position game.Position
	Value    knownValue
}

// knownStates returns states of n×n Quixo with their values: every state for
// n = 2 and 3, 10,000 uniformly random ones for n = 4, none for other n.
func knownStates(n int) []knownState {
	name, there := map[int]string{2: "quixo2_all", 3: "quixo3_all", 4: "quixo4_sample"}[n]
	if !there {
		return nil
	}
	var all []knownState
	for _, record := range knownRecords(name) {
		var s knownState
		for cell, mark := range record[0] {
			switch mark {
			case 'X':
				s.Position.X |= 1 << uint(cell)
			case 'O':
				s.Position.O |= 1 << uint(cell)
			}
		}
		known(0, s.Value.UnmarshalText([]byte(record[1])))
		s.Value.Steps = max(0, int(knownNumber(record[2]))) // −1 for a draw
		all = append(all, s)
	}
	return all
}

// knownCount counts the outcomes of the Quixo states with given numbers of marks of the
// player to move and of the other player, terminal states included.
type knownCount struct {
	Mover, Other    int
	Win, Lose, Draw int64
}

// knownCounts returns the outcomes of n×n Quixo by marks: all of them for
// n = 4, the fullest and the emptiest for n = 5, none for other n.
func knownCounts(n int) []knownCount {
	name, there := map[int]string{4: "quixo4_classes", 5: "quixo5_some_classes"}[n]
	if !there {
		return nil
	}
	var all []knownCount
	for _, r := range knownRecords(name) {
		all = append(all, knownCount{int(knownNumber(r[0])), int(knownNumber(r[1])), knownNumber(r[2]), knownNumber(r[3]), knownNumber(r[4])})
	}
	return all
}

// knownBoards reads a JSON file of boards, each a T.
func knownBoards[T any](name string) []T {
	var file struct{ Boards []T }
	known(0, json.Unmarshal(known(truth.ReadFile("testdata/truth/"+name)), &file))
	return file.Boards
}

// knownRecords reads a CSV file without its first line, which names the columns.
func knownRecords(name string) [][]string {
	text := known(truth.ReadFile("testdata/truth/" + name + ".csv"))
	return known(csv.NewReader(strings.NewReader(string(text))).ReadAll())[1:]
}

// UnmarshalText reads a value like W, W6 or D.
func (v *knownValue) UnmarshalText(text []byte) (err error) {
	outcome, there := map[byte]game.Outcome{'W': game.Win, 'L': game.Lose, 'D': game.Draw}[text[0]]
	if !there {
		return fmt.Errorf("%q is not a value", text)
	}
	*v = knownValue{Outcome: outcome}
	if len(text) > 1 {
		v.Steps, err = strconv.Atoi(string(text[1:]))
	}
	return err
}

func knownNumber(text string) int64 { return known(strconv.ParseInt(text, 10, 64)) }

func known[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Errorf("a file of known values is damaged: %w", err))
	}
	return v
}
