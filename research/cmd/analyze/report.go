package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/probe"
	"backsolve/probe/survey"
	"backsolve/research/internal/files"
)

const pageName = "report.md"

// part is a word of --parts.
type part struct {
	name    string
	walks   bool // needs the walk through the table
	steps   bool // needs the steps to the end
	section func(*report) (*section, error)
}

var parts = []part{
	{name: "outcomes", section: outcomesSection},
	{name: "steps", steps: true, section: stepsSection},
	{name: "moves", walks: true, section: movesSection},
	{name: "single", walks: true, section: singleSection},
	{name: "first", section: firstSection},
	{name: "lines", steps: true, section: linesSection},
}

// report is the data of a report.
type report struct {
	table     *probe.Table
	stats     *survey.Stats
	findings  *findings // nil if no part needs it
	groupings []grouping
	whole     group
	parts     []part
	left      []string // parts that need steps, which the table lacks
}

// newReport collects what the parts need.
func newReport(ctx context.Context, t *probe.Table, wanted []part, o survey.WalkOptions) (*report, error) {
	stats, err := survey.Summarize(ctx, t)
	if err != nil {
		return nil, err
	}
	strata := survey.Strata(t)
	r := &report{table: t, stats: stats, groupings: groupings(strata), whole: whole(strata)}
	needed := false
	for _, p := range wanted {
		if p.steps && !stats.HasSteps {
			r.left = append(r.left, p.name)
			continue
		}
		r.parts = append(r.parts, p)
		needed = needed || p.walks
	}
	if needed {
		r.findings, err = newFindings(ctx, t, o)
	}
	return r, err
}

// write writes the report to a directory, the page last, and returns its files, the page first.
func (r *report) write(ctx context.Context, dir string) ([]file, error) {
	path := filepath.Join(dir, pageName)
	all, page := []file{{"page", path}}, fmt.Sprintf("# %s\n\n%s\n", r.stats.Board, r.origin())
	for _, part := range r.parts {
		s, err := part.section(r)
		if err != nil {
			return nil, err
		}
		page += s.markdown()
		for _, p := range s.plots {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			path := filepath.Join(dir, p.name)
			if err := p.Write(path); err != nil {
				return nil, err
			}
			all = append(all, file{part.name, path + ".svg"})
		}
		for _, sheet := range s.sheets {
			path := filepath.Join(dir, sheet.name+".csv")
			if err := files.WriteTable(path, sheet.rows); err != nil {
				return nil, err
			}
			all = append(all, file{part.name, path})
		}
	}
	return all, files.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, page)
		return err
	})
}

// origin says where the numbers come from.
func (r *report) origin() string {
	text := fmt.Sprintf("Made by `analyze` from the table with the identity `%s`.", r.stats.Identity)
	if r.findings != nil {
		text += " " + r.findings.String()
	}
	if len(r.left) > 0 {
		text += fmt.Sprintf(" The table has no steps to the end, so these parts are left out: %s.", list(r.left))
	}
	return text
}

// file is a file of a part.
type file struct {
	Part string `json:"part"`
	Path string `json:"path"`
}

// summary is the output as JSON.
type summary struct {
	Game     string    `json:"game"`
	Size     game.Size `json:"size"`
	After    []string  `json:"after,omitempty"`
	Identity string    `json:"identity"` // of the table
	States   uint64    `json:"states"`
	Wins     uint64    `json:"wins"`
	Losses   uint64    `json:"losses"`
	Draws    uint64    `json:"draws"`
	LeftOut  []string  `json:"left_out,omitempty"` // parts that need steps
	Files    []file    `json:"files"`
}

// print prints the path of the page, or as JSON or CSV all files.
func (r *report) print(w io.Writer, format string, written []file) error {
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
