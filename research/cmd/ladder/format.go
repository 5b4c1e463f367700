package main

import (
	"encoding/csv"
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
	rows := [][]string{columnNames[P]()}
	for _, p := range points {
		rows = append(rows, cells(p))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writePoints writes the points of a series as a format has them: as rows of text for
// people, with all that is in the file as JSON, or as CSV.
func writePoints[P any](w io.Writer, format string, d *data[P], rows [][]string) error {
	switch format {
	case cli.JSON:
		return cli.WriteJSON(w, d)
	case cli.CSV:
		return writeCSV(w, d.Points)
	}
	return cli.WriteGrid(w, 0, rows)
}
