package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/parquet"
	"backsolve/probe/survey"
)

// row is a state in the form of JSON.
type row struct {
	Position string   `json:"position"`
	Outcome  string   `json:"outcome"`
	Steps    *int32   `json:"steps"` // nil for a draw and where there are none
	Terminal bool     `json:"terminal"`
	States   int64    `json:"states"`
	Right    []string `json:"right_moves,omitzero"` // nil where moves are not asked for
	Strict   []string `json:"strict_moves,omitzero"`
}

func newRow(rules game.Grid, s *survey.Selected, moves bool) row {
	r := row{Position: rules.Format(s.Position), Outcome: s.Outcome.String(), Terminal: s.Terminal, States: int64(s.Images)}
	if s.Steps >= 0 {
		steps := int32(s.Steps)
		r.Steps = &steps
	}
	if !moves {
		return r
	}
	r.Right, r.Strict = []string{}, []string{}
	lenient, strict := s.OptimalMoves()
	for i, m := range s.Moves[:lenient] {
		text := rules.FormatMove(m.Move)
		r.Right = append(r.Right, text)
		if i < strict {
			r.Strict = append(r.Strict, text)
		}
	}
	return r
}

// record returns the row as a record of CSV.
func (r *row) record() []string {
	record := []string{r.Position, r.Outcome, "", strconv.FormatBool(r.Terminal), strconv.FormatInt(r.States, 10)}
	if r.Steps != nil {
		record[2] = strconv.Itoa(int(*r.Steps))
	}
	if r.Right != nil {
		record = append(record, strings.Join(r.Right, " "), strings.Join(r.Strict, " "))
	}
	return record
}

// rowWriter returns functions that write rows, and what comes at the end, in a format.
func rowWriter(format string, w io.Writer, moves bool) (write func(*row) error, end func() error) {
	if format == cli.JSON {
		out := json.NewEncoder(w)
		return func(r *row) error { return out.Encode(r) }, func() error { return nil }
	}
	if format == parquetFormat {
		return parquetWriter(w, moves)
	}
	out := csv.NewWriter(w)
	names := []string{"position", "outcome", "steps", "terminal", "states"}
	if moves {
		names = append(names, "right_moves", "strict_moves")
	}
	out.Write(names) // an error stays until the end
	return func(r *row) error { return out.Write(r.record()) }, func() error {
		out.Flush()
		return out.Error()
	}
}

// parquetFormat is the format of files whose name ends in .parquet. Standard output has none.
const parquetFormat = "parquet"

// parquetWriter is rowWriter for Parquet. Moves are one string, separated by spaces.
func parquetWriter(w io.Writer, moves bool) (write func(*row) error, end func() error) {
	position, outcome, steps := parquet.Text("position"), parquet.Text("outcome"), parquet.Int("steps", true)
	terminal, states := parquet.Bool("terminal"), parquet.Int("states", false)
	columns := []*parquet.Column{position, outcome, steps, terminal, states}
	right, strict := parquet.Text("right_moves"), parquet.Text("strict_moves")
	if moves {
		columns = append(columns, right, strict)
	}
	out, err := parquet.NewWriter(w, columns...)
	return func(r *row) error {
			if err != nil {
				return err
			}
			position.AddText(r.Position)
			outcome.AddText(r.Outcome)
			if r.Steps == nil {
				steps.AddNull()
			} else {
				steps.AddInt(int64(*r.Steps))
			}
			terminal.AddBool(r.Terminal)
			states.AddInt(r.States)
			if moves {
				right.AddText(strings.Join(r.Right, " "))
				strict.AddText(strings.Join(r.Strict, " "))
			}
			return out.EndRow()
		}, func() error {
			if err != nil {
				return err
			}
			return out.Close()
		}
}
