package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/probe/survey"
)

// row is a state in the form of JSON and Parquet.
type row struct {
	Position string `json:"position" parquet:"position"`
	Outcome  string `json:"outcome" parquet:"outcome,dict"`
	Steps    *int32 `json:"steps" parquet:"steps,optional"` // nil for a draw and where there are none
	Terminal bool   `json:"terminal" parquet:"terminal"`
	States   int64  `json:"states" parquet:"states"`
}

// rowOfMoves is a row with the right moves.
type rowOfMoves struct {
	row
	Right  []string `json:"right_moves" parquet:"right_moves,list"`
	Strict []string `json:"strict_moves" parquet:"strict_moves,list"`
}

// rowWriter writes rows in one of the formats.
type rowWriter interface {
	write(states []survey.Selected) error
	// close writes what comes at the end. What is written to stays open.
	close() error
}

func newRowWriter(format string, w *bufio.Writer, rules game.Grid, moves bool) rowWriter {
	names := &stateNames{rules: rules, moves: moves}
	switch format {
	case cli.CSV:
		return &csvRows{stateNames: names, out: csv.NewWriter(w)}
	case cli.JSON:
		return &jsonRows{stateNames: names, out: json.NewEncoder(w)}
	}
	if moves {
		return &parquetRows[rowOfMoves]{newParquet[rowOfMoves](w), names.full}
	}
	return &parquetRows[row]{newParquet[row](w), names.plain}
}

// stateNames writes states as text.
type stateNames struct {
	rules game.Grid
	moves bool // are wanted
}

func (n *stateNames) plain(s *survey.Selected) row {
	r := row{Position: n.rules.Format(s.Position), Outcome: s.Outcome.String(), Terminal: s.Terminal, States: int64(s.Times)}
	if s.Steps >= 0 {
		steps := int32(s.Steps)
		r.Steps = &steps
	}
	return r
}

func (n *stateNames) full(s *survey.Selected) rowOfMoves {
	r := rowOfMoves{row: n.plain(s), Right: []string{}, Strict: []string{}}
	lenient, strict := s.Right()
	for i, m := range s.Moves[:lenient] {
		text := n.rules.FormatMove(m.Move)
		r.Right = append(r.Right, text)
		if i < strict {
			r.Strict = append(r.Strict, text)
		}
	}
	return r
}

// csvRows writes rows as records, after one of names.
type csvRows struct {
	*stateNames
	out   *csv.Writer
	begun bool
}

func (c *csvRows) write(states []survey.Selected) error {
	c.begin()
	for i := range states {
		r := c.full(&states[i])
		record := []string{r.Position, r.Outcome, "", strconv.FormatBool(r.Terminal), strconv.FormatInt(r.States, 10)}
		if r.Steps != nil {
			record[2] = strconv.Itoa(int(*r.Steps))
		}
		if c.moves {
			record = append(record, strings.Join(r.Right, " "), strings.Join(r.Strict, " "))
		}
		c.out.Write(record)
	}
	return c.out.Error()
}

func (c *csvRows) begin() {
	if c.begun {
		return
	}
	c.begun = true
	names := []string{"position", "outcome", "steps", "terminal", "states"}
	if c.moves {
		names = append(names, "right_moves", "strict_moves")
	}
	c.out.Write(names)
}

func (c *csvRows) close() error {
	c.begin()
	c.out.Flush()
	return c.out.Error()
}

// jsonRows writes each row as a line of JSON.
type jsonRows struct {
	*stateNames
	out *json.Encoder
}

func (j *jsonRows) write(states []survey.Selected) error {
	for i := range states {
		var line any = j.plain(&states[i])
		if j.moves {
			line = j.full(&states[i])
		}
		if err := j.out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func (*jsonRows) close() error { return nil }

// parquetRows writes rows of a type into a Parquet file.
type parquetRows[R any] struct {
	out  *parquet.GenericWriter[R]
	from func(s *survey.Selected) R
}

func newParquet[R any](w *bufio.Writer) *parquet.GenericWriter[R] {
	return parquet.NewGenericWriter[R](w, parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("backsolve", cli.Version(), ""))
}

func (p *parquetRows[R]) write(states []survey.Selected) error {
	rows := make([]R, len(states))
	for i := range states {
		rows[i] = p.from(&states[i])
	}
	_, err := p.out.Write(rows)
	return err
}

func (p *parquetRows[R]) close() error { return p.out.Close() }
