package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/probe/survey"
)

// row is a state in the form of JSON.
type row struct {
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	Steps    *int32 `json:"steps"` // nil for a draw and where there are none
	Terminal bool   `json:"terminal"`
	States   int64  `json:"states"`
}

// rowOfMoves is a row with the right moves.
type rowOfMoves struct {
	row
	Right  []string `json:"right_moves"`
	Strict []string `json:"strict_moves"`
}

// rowWriter writes rows in one of the formats.
type rowWriter interface {
	write(states []survey.Selected) error
	// close writes what comes at the end. What is written to stays open.
	close() error
}

func newRowWriter(format string, w *bufio.Writer, rules game.Grid, moves bool) rowWriter {
	names := &stateNames{rules: rules, moves: moves}
	if format == cli.JSON {
		return &jsonRows{stateNames: names, out: json.NewEncoder(w)}
	}
	return &csvRows{stateNames: names, out: csv.NewWriter(w)}
}

// stateNames writes states as text.
type stateNames struct {
	rules game.Grid
	moves bool // are wanted
}

func (n *stateNames) plain(s *survey.Selected) row {
	r := row{Position: n.rules.Format(s.Position), Outcome: s.Outcome.String(), Terminal: s.Terminal, States: int64(s.Images)}
	if s.Steps >= 0 {
		steps := int32(s.Steps)
		r.Steps = &steps
	}
	return r
}

func (n *stateNames) full(s *survey.Selected) rowOfMoves {
	r := rowOfMoves{row: n.plain(s), Right: []string{}, Strict: []string{}}
	lenient, strict := s.OptimalMoves()
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
