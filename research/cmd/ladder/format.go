package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"

	"backsolve/cmd/cli"
)

// finiteText writes a number, and nothing for one that is infinite or not known.
func finiteText(x float64) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return ""
	}
	return floatText(x)
}

// writeCSV writes points as CSV, with a line that names the columns.
func writeCSV[P any](w io.Writer, points []P) error {
	c := csv.NewWriter(w)
	if err := c.Write(columnNames[P]()); err != nil {
		return err
	}
	for _, p := range points {
		if err := c.Write(cells(p)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// writePoints writes the points of a series as a format has them: as rows of text for
// people, with all that is in the file as JSON, or as CSV.
func writePoints[P any](w io.Writer, format string, d *data[P], rows [][]string) error {
	switch format {
	case cli.JSON:
		return newEncoder(w).Encode(d)
	case cli.CSV:
		return writeCSV(w, d.Points)
	}
	return writeGrid(w, rows)
}

// counted writes a number of things: 1 game, 3 games.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
