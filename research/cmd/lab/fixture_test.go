package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/probe/survey"
)

// openTable solves a board and opens its table.
func openTable(t *testing.T, name string, n int, steps bool) *probe.Table {
	t.Helper()
	return probetest.Open(t, probetest.Rules(t, name, n), 0, steps)
}

// written returns the files of a whole survey by name.
func written(t *testing.T, table *probe.Table, o survey.WalkOptions) map[string]string {
	t.Helper()
	r, err := newSurvey(context.Background(), table, parts, o)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := r.write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}
