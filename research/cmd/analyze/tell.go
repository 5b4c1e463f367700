package main

import (
	"encoding/csv"
	"fmt"
	"io"

	"backsolve/cmd/cli"
)

// file is a file of a report, with the part that it belongs to.
type file struct {
	Part string `json:"part"`
	Path string `json:"path"`
}

// summary is what --format json prints of a report.
type summary struct {
	Game     string   `json:"game"`
	Size     int      `json:"size"`
	After    []string `json:"after,omitempty"`
	Identity string   `json:"identity"` // of the table
	States   uint64   `json:"states"`
	Wins     uint64   `json:"wins"`
	Losses   uint64   `json:"losses"`
	Draws    uint64   `json:"draws"`
	// LeftOut are the parts that need steps which the table does not have.
	LeftOut []string `json:"left_out,omitempty"`
	Files   []file   `json:"files"`
}

// tell prints what was written: the path of the page for people, as JSON with the
// outcomes and all files, or the files as CSV.
func (r *report) tell(w io.Writer, format string, written []file) error {
	switch format {
	case cli.JSON:
		t := r.stats.Total
		return cli.WriteJSON(w, summary{
			Game: r.stats.Game, Size: r.stats.Size, After: r.stats.After, Identity: r.stats.Identity,
			States: t.States, Wins: t.Wins, Losses: t.Losses, Draws: t.Draws, LeftOut: r.left, Files: written,
		})
	case cli.CSV:
		rows := [][]string{{"part", "path"}}
		for _, f := range written {
			rows = append(rows, []string{f.Part, f.Path})
		}
		return csv.NewWriter(w).WriteAll(rows)
	}
	_, err := fmt.Fprintln(w, written[0].Path)
	return err
}
