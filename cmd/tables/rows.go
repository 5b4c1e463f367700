package tables

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/parquet"
	"backsolve/internal/probe/survey"
)

// row is a state in the form of JSON.
type row struct {
	Position string   `json:"position"`
	Outcome  string   `json:"outcome"`
	Steps    *int32   `json:"steps"`            // nil for a draw or in a table without steps
	Nimber   *int32   `json:"nimber,omitempty"` // nil if the game is over or in a table without nimbers
	Terminal bool     `json:"terminal"`
	States   int64    `json:"states"`
	Right    []string `json:"right_moves,omitzero"` // nil where moves are not asked for
	Strict   []string `json:"strict_moves,omitzero"`
}

// newRow returns the row of a state. In a table with nimbers, it has a nimber in place of steps.
func newRow(rules game.Rules, s *survey.Selected, moves, nimbers bool) row {
	r := row{Position: rules.Format(s.State), Outcome: s.Outcome.String(), Terminal: s.Terminal, States: int64(s.Images)}
	switch number := int32(s.Steps); {
	case nimbers && !s.Terminal:
		r.Nimber = &number
	case !nimbers && s.Steps >= 0:
		r.Steps = &number
	}
	if nimbers {
		s.Steps = -1 // as its moves have
	}
	if !moves {
		return r
	}
	r.Right, r.Strict = []string{}, []string{}
	lenient, strict := s.OptimalMoves()
	for i, m := range s.Moves[:lenient] {
		text := game.MoveText(rules, s.State, m.Move)
		r.Right = append(r.Right, text)
		if i < strict {
			r.Strict = append(r.Strict, text)
		}
	}
	return r
}

// record returns the row as a record of CSV.
func (r *row) record(nimbers bool) []string {
	record := []string{r.Position, r.Outcome, numberText(r.Steps)}
	if nimbers {
		record = append(record, numberText(r.Nimber))
	}
	record = append(record, strconv.FormatBool(r.Terminal), strconv.FormatInt(r.States, 10))
	if r.Right != nil {
		record = append(record, strings.Join(r.Right, " "), strings.Join(r.Strict, " "))
	}
	return record
}

// numberText returns a number as text, "" for none.
func numberText(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// rowWriter returns functions that write rows, and what comes at the end, in a format.
func rowWriter(format string, w io.Writer, moves, nimbers, plain bool) (write func(*row) error, end func() error) {
	if format == cli.JSON {
		return func(r *row) error { return cli.WriteJSON(w, r) }, func() error { return nil }
	}
	if format == parquetFormat {
		return parquetWriter(w, moves, nimbers, plain)
	}
	out := csv.NewWriter(w)
	names := []string{"position", "outcome", "steps"}
	if nimbers {
		names = append(names, "nimber")
	}
	names = append(names, "terminal", "states")
	if moves {
		names = append(names, "right_moves", "strict_moves")
	}
	out.Write(names) // an error stays until the end
	return func(r *row) error { return out.Write(r.record(nimbers)) }, func() error {
		out.Flush()
		return out.Error()
	}
}

// parquetFormat is the format of Parquet.
const parquetFormat = "parquet"

// parquetWriter is rowWriter for Parquet, plain or compressed. Moves are one string, separated by
// spaces.
func parquetWriter(w io.Writer, moves, nimbers, plain bool) (write func(*row) error, end func() error) {
	position, outcome, steps, nimber := parquet.Text("position"), parquet.Text("outcome"), parquet.Int("steps", true), parquet.Int("nimber", true)
	terminal, states := parquet.Bool("terminal"), parquet.Int("states", false)
	columns := []*parquet.Column{position, outcome, steps}
	if nimbers {
		columns = append(columns, nimber)
	}
	columns = append(columns, terminal, states)
	right, strict := parquet.Text("right_moves"), parquet.Text("strict_moves")
	if moves {
		columns = append(columns, right, strict)
	}
	out, err := parquet.NewWriter(w, !plain, columns...)
	return func(r *row) error {
			if err != nil {
				return err
			}
			position.AddText(r.Position)
			outcome.AddText(r.Outcome)
			addNumber(steps, r.Steps)
			if nimbers {
				addNumber(nimber, r.Nimber)
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

// addNumber adds a number or null to a column.
func addNumber(to *parquet.Column, n *int32) {
	if n == nil {
		to.AddNull()
		return
	}
	to.AddInt(int64(*n))
}
