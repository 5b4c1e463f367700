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

// check panics where a file of the package cannot be read.
func check(err error) {
	if err != nil {
		panic(fmt.Errorf("truth: a file of the package is damaged: %w", err))
	}
}

// must returns v, read from a file of the package.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// boards reads a JSON file of boards, each a T, and sets the value of each
// empty board, which the file has in two parts.
func boards[T any](name string, empty func(*T) *Value) []T {
	text := must(files.ReadFile(name))
	var file struct{ Boards []T }
	check(json.Unmarshal(text, &file))
	var parts struct {
		Boards []struct {
			Value Value `json:"empty_value"`
			Steps int   `json:"empty_steps"`
		}
	}
	check(json.Unmarshal(text, &parts))
	for i, b := range parts.Boards {
		*empty(&file.Boards[i]) = Value{Outcome: b.Value.Outcome, Steps: b.Steps}
	}
	return file.Boards
}

// UnmarshalText reads a value like W, W6 or D.
func (v *Value) UnmarshalText(text []byte) error {
	outcomes := map[string]game.Outcome{"W": game.Win, "L": game.Lose, "D": game.Draw}
	n := min(1, len(text))
	steps := string(text[n:])
	outcome, ok := outcomes[string(text[:n])]
	if !ok {
		return fmt.Errorf("%q is not a value", text)
	}
	*v = Value{Outcome: outcome}
	if steps == "" {
		return nil
	}
	var err error
	v.Steps, err = strconv.Atoi(steps)
	return err
}

// records reads a CSV file but for its first line, which names the columns.
func records(name string) [][]string {
	text := must(files.ReadFile(name))
	return must(csv.NewReader(strings.NewReader(string(text))).ReadAll())[1:]
}

// states reads a CSV file of board, outcome and steps (−1 for a draw).
func states(name string) []State {
	var all []State
	for _, record := range records(name) {
		var s State
		s.Position = must(position(record[0]))
		check(s.Value.UnmarshalText([]byte(record[1])))
		s.Steps = max(0, must(strconv.Atoi(record[2])))
		all = append(all, s)
	}
	return all
}

// position reads the cells from the top left, row after row.
func position(cells string) (game.Position, error) {
	var p game.Position
	for c, mark := range cells {
		switch mark {
		case 'X':
			p.X |= 1 << uint(c)
		case 'O':
			p.O |= 1 << uint(c)
		case '.':
		default:
			return game.Position{}, fmt.Errorf("%q is not a board", cells)
		}
	}
	return p, nil
}

// counts reads a CSV file of marks and outcomes.
func counts(name string) []Count {
	var all []Count
	for _, record := range records(name) {
		number := func(column int) int64 { return must(strconv.ParseInt(record[column], 10, 64)) }
		all = append(all, Count{
			Mover: int(number(0)), Other: int(number(1)),
			Win: number(2), Lose: number(3), Draw: number(4),
		})
	}
	return all
}
