package tables

import (
	"io"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/parquet"
	"backsolve/internal/probe/survey"
)

// column is a column of exported states.
type column = cli.Column[survey.Selected]

// columnsOf returns the columns of a table of some rules, with nimbers in place of steps if it has these.
func columnsOf(rules game.Rules, moves, nimbers bool) []column {
	columns := []column{
		{Name: "position", Of: func(s *survey.Selected) any { return rules.Format(s.State) }},
		{Name: "outcome", Of: func(s *survey.Selected) any { return s.Outcome.String() }},
		{Name: "steps", Of: func(s *survey.Selected) any { return cli.Known(s.Steps, !nimbers && s.Steps >= 0) }},
	}
	if nimbers {
		columns = append(columns, column{Name: "nimber", Of: func(s *survey.Selected) any { return cli.Known(s.Steps, !s.Terminal) }, Optional: true})
	}
	columns = append(columns,
		column{Name: "terminal", Of: func(s *survey.Selected) any { return s.Terminal }},
		column{Name: "states", Of: func(s *survey.Selected) any { return int(s.Images) }})
	if !moves {
		return columns
	}
	optimal := func(s survey.Selected) (lenient, strict int) {
		if nimbers {
			s.Steps = -1 // as its moves have
		}
		return s.OptimalMoves()
	}
	texts := func(s *survey.Selected, n int) any {
		texts := make([]string, n)
		for i, m := range s.Moves[:n] {
			texts[i] = game.MoveText(rules, s.State, m.Move)
		}
		return texts
	}
	return append(columns,
		column{Name: "right_moves", Of: func(s *survey.Selected) any {
			lenient, _ := optimal(*s)
			return texts(s, lenient)
		}},
		column{Name: "strict_moves", Of: func(s *survey.Selected) any {
			_, strict := optimal(*s)
			return texts(s, strict)
		}})
}

// parquetFormat is the format of Parquet.
const parquetFormat = "parquet"

// rowWriter returns functions that write states, and what comes at the end, in a form.
func rowWriter(f form, w io.Writer, columns []column) (write func(*survey.Selected) error, end func() error, err error) {
	if f.format == parquetFormat {
		return parquetWriter(w, columns, f.plain)
	}
	r := cli.NewRecords(w, f.format, columns)
	return r.Write, r.Flush, nil
}

// parquetWriter is rowWriter for Parquet, plain or compressed.
func parquetWriter(w io.Writer, columns []column, plain bool) (write func(*survey.Selected) error, end func() error, err error) {
	to := make([]*parquet.Column, len(columns))
	for i, c := range columns {
		switch c.Name {
		case "steps", "nimber":
			to[i] = parquet.Int(c.Name, true)
		case "states":
			to[i] = parquet.Int(c.Name, false)
		case "terminal":
			to[i] = parquet.Bool(c.Name)
		default:
			to[i] = parquet.Text(c.Name)
		}
	}
	out, err := parquet.NewWriter(w, !plain, to...)
	return func(s *survey.Selected) error {
		for i, c := range columns {
			switch v := c.Of(s).(type) {
			case nil:
				to[i].AddNull()
			case int:
				to[i].AddInt(int64(v))
			case bool:
				to[i].AddBool(v)
			default:
				to[i].AddText(cli.ColumnText(v))
			}
		}
		return out.EndRow()
	}, out.Close, err
}
