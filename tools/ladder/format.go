package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"
)

// The formats of output.
const (
	formatText = "text"
	formatJSON = "json"
	formatCSV  = "csv"
)

func newFormat() choiceValue {
	return choiceValue{choice: formatText, choices: []string{formatText, formatJSON, formatCSV}}
}

// addFormat adds the flag of a format.
func addFormat(cmd *cobra.Command, v *choiceValue) {
	cmd.Flags().Var(v, "format", "how the outcome is printed")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(v.choices, cobra.ShellCompDirectiveNoFileComp)))
}

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
	case formatJSON:
		return newEncoder(w).Encode(d)
	case formatCSV:
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
