package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"backsolve/probe"
	"backsolve/probe/probetest"
	"backsolve/probe/survey"
)

// openTable solves a board and opens its table for the length of the test.
func openTable(t *testing.T, name string, n int, steps bool) *probe.Table {
	t.Helper()
	return probetest.Open(t, probetest.Rules(t, name, n), 0, steps)
}

// written returns the files of the whole report on a table by their names.
func written(t *testing.T, table *probe.Table, o survey.WalkOptions) map[string]string {
	t.Helper()
	r, err := newReport(context.Background(), table, parts, o)
	if err != nil {
		t.Fatal(err)
	}
	sections, err := r.sections()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	add := func(name string, write func(io.Writer) error) {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if _, twice := all[name]; twice {
			t.Errorf("%s is written twice", name)
		}
		all[name] = b.String()
	}
	for _, s := range sections {
		for _, p := range s.plots {
			add(p.name+".svg", p.WriteSVG)
		}
		for _, sheet := range s.sheets {
			add(sheet.name+".csv", sheet.writeCSV)
		}
	}
	add(pageName, func(w io.Writer) error { return r.writePage(w, sections) })
	return all
}
