package main

import (
	"strings"
	"testing"
)

// TestEndgame measures small boards and has a row for each number of marks.
func TestEndgame(t *testing.T) {
	for _, args := range [][]string{
		{"endgame", "--size", "4", "--marks", "9,6", "--positions", "3", "--markdown"},
		{"endgame", "--size", "4", "--marks", "9,6", "--positions", "3", "--markdown", "--steps", "--search", "0"},
	} {
		var out strings.Builder
		cmd := newCommand()
		cmd.SetOut(&out)
		cmd.SetArgs(args)
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 4 || !strings.HasPrefix(lines[2], "| 9 | ") || !strings.HasPrefix(lines[3], "| 6 | ") || strings.Count(lines[3], "|") != strings.Count(lines[0], "|") {
			t.Errorf("%v prints\n%s", args, out.String())
		}
	}
	for _, args := range [][]string{{"endgame", "--size", "30"}, {"endgame", "--size", "4", "--marks", "13"}, {"endgame", "--positions", "0"}} {
		cmd := newCommand()
		cmd.SetOut(new(strings.Builder))
		cmd.SetArgs(args)
		if err := cmd.Execute(); err == nil {
			t.Errorf("%v measures something", args)
		}
	}
}
