package custom

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sync"
)

// Boarded is implemented by games that describe their board.
type Boarded interface {
	// Board returns a Board as JSON.
	Board() string
}

// Ender is implemented by games that explain why they ended, unless the winner alone makes that clear.
type Ender[S comparable] interface {
	// End returns one of the words in Board.Ends, or "", for a position that is over.
	End(s S) string
}

// Turned is implemented by games whose texts show the board from the side of the player to move.
// Players and servers show it from the first player's side.
type Turned interface {
	// Turned returns the text of a position as the other player sees it.
	Turned(text string) string
}

// Board is a game's description of its board, for programs that draw it and take moves on it. Cells are
// named by a letter and a number, a1 at the bottom left.
type Board struct {
	Shape Shape `json:"board"`
	// Order has the cell of each character in a position's text, unless they go by rows.
	Order []string `json:"order,omitempty"`
	// Sides has the names of the players; the first one begins.
	Sides []string `json:"sides,omitempty"`
	// Pieces has, for each character in a position's text, the piece's owner (0, 1, or -1 for
	// neither) and its form: [0, "disc"].
	Pieces map[string][2]any `json:"pieces,omitempty"`
	// Moves is how names of moves are read: place (d7), from-to (a1d1, and then what is taken)
	// or column (the cell where a disc lands).
	Moves string `json:"moves,omitempty"`
	// Ends has a sentence for each word of Ender, or for first, second and draw.
	Ends map[string]string `json:"ends,omitempty"`
	// Texts has, by language, translations of title, rules, sides and ends.
	Texts map[string]map[string]string `json:"texts,omitempty"`
	// Example is a position worth showing.
	Example string `json:"example,omitempty"`
}

// Shape is a grid, points, columns to drop into, or heaps. A grid without numbers, or columns without
// rows, is as large as the text of a position.
type Shape struct {
	Grid    []int                 `json:"grid,omitempty"` // columns and rows
	Holes   []string              `json:"holes,omitempty"`
	Marked  []string              `json:"marked,omitempty"` // specially marked cells
	Points  map[string][2]float64 `json:"points,omitempty"` // right and up
	Lines   [][]string            `json:"lines,omitempty"`
	Columns int                   `json:"columns,omitempty"`
	Rows    int                   `json:"rows,omitempty"`
	Drop    bool                  `json:"drop,omitempty"` // pieces fall to the lowest free cell
	Heaps   int                   `json:"heaps,omitempty"`
}

var (
	cellForm  = regexp.MustCompile(`^[a-z][1-9][0-9]?$`)
	pieceForm = regexp.MustCompile(`^[a-z]{1,20}$`)
)

// ParseBoard reads a board that anybody may have written, nil for null. It ignores other members.
func ParseBoard(text string) (*Board, error) {
	const longest = 1 << 15
	b := new(Board)
	if len(text) > longest {
		return nil, fmt.Errorf("the board has more than %d bytes", longest)
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		return nil, fmt.Errorf("the board is not understood: %w", err)
	}
	if b == nil {
		return nil, nil
	}
	numbers := append([]int{b.Shape.Columns, b.Shape.Rows, b.Shape.Heaps}, b.Shape.Grid...)
	names := slices.Concat(append(b.Shape.Lines, b.Shape.Holes, b.Shape.Marked, b.Order, slices.Collect(maps.Keys(b.Shape.Points)))...)
	unnamed := slices.IndexFunc(names, func(name string) bool { return !cellForm.MatchString(name) })
	switch {
	case slices.Min(numbers) < 0 || slices.Max(numbers) > longestRow || len(b.Shape.Grid)&^2 != 0:
		return nil, fmt.Errorf("a board has at most %d columns, rows and heaps", longestRow)
	case unnamed >= 0:
		return nil, fmt.Errorf("the cell %.20q is not named as a1 is", names[unnamed])
	case len(b.Sides)&^2 != 0:
		return nil, fmt.Errorf("there are two sides, not %d", len(b.Sides))
	}
	for letter, p := range b.Pieces {
		side, isNumber := p[0].(float64)
		form, _ := p[1].(string)
		if !isNumber || math.Abs(side) > 1 || side != math.Trunc(side) || !pieceForm.MatchString(form) {
			return nil, fmt.Errorf("the piece %.4q has no side of -1, 0 or 1, or no form in small letters", letter)
		}
	}
	return b, nil
}

var boards sync.Map // by their JSON

// boardOf returns a game's description of its board, or nil if nothing in it can be drawn.
func boardOf(g any) *Board {
	boarded, ok := g.(Boarded)
	if !ok {
		return nil
	}
	text := boarded.Board()
	b, known := boards.Load(text)
	if !known {
		parsed, _ := ParseBoard(text) // Check reports the error
		b, _ = boards.LoadOrStore(text, parsed)
	}
	return b.(*Board)
}
