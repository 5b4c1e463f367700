package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"backsolve/probe"
	"backsolve/probe/survey"
	"backsolve/research/internal/files"
)

// pageName is the page of a report in its directory.
const pageName = "report.md"

// part is a part of a report that can be asked for.
type part struct {
	name    string
	walks   bool // needs the walk through the table
	steps   bool // needs the steps to the end
	section func(*report) (*section, error)
}

// parts are the parts of a report in their order.
var parts = []part{
	{name: "outcomes", section: outcomesSection},
	{name: "steps", steps: true, section: stepsSection},
	{name: "moves", walks: true, section: movesSection},
	{name: "single", walks: true, section: singleSection},
	{name: "first", section: firstSection},
	{name: "lines", steps: true, section: linesSection},
}

// report is what is known of a table.
type report struct {
	table     *probe.Table
	stats     *survey.Stats
	findings  *findings // nil where no part needs it
	groupings []grouping
	whole     group
	parts     []part
	left      []string // the names of the parts that need steps the table does not have
}

// newReport finds out what the parts need.
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

// sections returns the sections of the parts.
func (r *report) sections() (sections []*section, err error) {
	for _, p := range r.parts {
		s, err := p.section(r)
		if err != nil {
			return nil, err
		}
		sections = append(sections, s)
	}
	return sections, nil
}

// write writes the report into a directory, the page last, and returns the paths of
// its files, the page's first.
func (r *report) write(ctx context.Context, dir string) ([]file, error) {
	sections, err := r.sections()
	if err != nil {
		return nil, err
	}
	page := filepath.Join(dir, pageName)
	all := []file{{"page", page}}
	for i, s := range sections {
		for _, p := range s.plots {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			path := filepath.Join(dir, p.name)
			if err := p.Write(path); err != nil {
				return nil, err
			}
			all = append(all, file{r.parts[i].name, path + ".svg"})
		}
		for _, sheet := range s.sheets {
			path := filepath.Join(dir, sheet.name+".csv")
			if err := files.Write(path, sheet.writeCSV); err != nil {
				return nil, err
			}
			all = append(all, file{r.parts[i].name, path})
		}
	}
	return all, files.Write(page, func(w io.Writer) error { return r.writePage(w, sections) })
}

// writePage writes the page.
func (r *report) writePage(w io.Writer, sections []*section) error {
	if _, err := fmt.Fprintf(w, "# %s\n\n%s\n", r.stats.Board, r.origin()); err != nil {
		return err
	}
	for _, s := range sections {
		if err := s.writeMarkdown(w); err != nil {
			return err
		}
	}
	return nil
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
