package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
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
	table    *probe.Table
	stats    *survey.Stats
	findings *findings // nil if no part needs it
	byMarks  []group
	whole    group
	parts    []part
	left     []string // parts that need steps, which the table lacks
}

// newReport collects what the parts need.
func newReport(ctx context.Context, t *probe.Table, wanted []part, o survey.WalkOptions) (*report, error) {
	stats, err := survey.Summarize(ctx, t)
	if err != nil {
		return nil, err
	}
	strata := survey.Strata(t)
	r := &report{table: t, stats: stats, byMarks: byMarks(strata), whole: whole(strata)}
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

// write writes the report to a directory, the page last.
func (r *report) write(ctx context.Context, dir string) error {
	page := fmt.Sprintf("# %s\n\n%s\n", r.stats.Board, r.origin())
	for _, part := range r.parts {
		s, err := part.section(r)
		if err != nil {
			return err
		}
		page += s.markdown()
		for _, p := range s.plots {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := p.Write(filepath.Join(dir, p.name)); err != nil {
				return err
			}
		}
		for _, sheet := range s.sheets {
			if err := files.WriteTable(filepath.Join(dir, sheet.name+".csv"), sheet.rows); err != nil {
				return err
			}
		}
	}
	return writePage(dir, page)
}

// writePage writes a page to a directory.
func writePage(dir, page string) error {
	return files.Write(filepath.Join(dir, pageName), func(w io.Writer) error {
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
