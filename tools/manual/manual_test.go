package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backsolve/cmd/cli"
)

// tool is a program with all that ours have.
var tool = cli.Description{
	Use: "tool", Short: "Work", Example: "  tool work 'it's' --deep ~/x",
	Long: `Works hard, 75 % of the time, and takes
its time - or *not*: right_moves <N> [FILE].

parts   what it is made of,
        and \n more`,
	Flags: []cli.FlagDescription{
		{Name: "dir", Value: "directory", Usage: "directory of the work (default $DIR)"},
		{Name: "quiet", Shorthand: "q", Usage: "say nothing\nat all", Global: true},
	},
	Commands: []cli.Description{{Use: "work N [FILE]", Short: "Work on N×N boards"}},
}

func TestPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1795305600")
	out := t.TempDir()
	if err := write(tool, "work for its living", out, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || !slices.Equal(pages, []string{filepath.Join(out, "tool-work.1"), filepath.Join(out, "tool.1")}) {
		t.Errorf("%q, %v", pages, err)
	}
	text, err := os.ReadFile(filepath.Join(out, "tool.1"))
	if err != nil {
		t.Fatal(err)
	}
	want := `.nh
.TH "TOOL" "1" "Nov 2026" "backsolve 1.2.3" "User Commands"

.SH NAME
tool - work for its living


.SH SYNOPSIS
\fBtool [flags]\fP


.SH DESCRIPTION
Works hard, 75 % of the time, and takes
its time - or *not*: right_moves <N> [FILE].

.EX
parts   what it is made of,
        and \\n more
.EE


.SH EXIT STATUS
.EX
` + cli.ExitCodes + `
.EE


.SH OPTIONS
\fB--dir\fP=directory
	directory of the work (default $DIR)

.PP
\fB-h\fP, \fB--help\fP[=false]
	help for tool

.PP
\fB-q\fP, \fB--quiet\fP[=true]
	say nothing at all


.SH EXAMPLE
.EX
  tool work 'it's' --deep ~/x
.EE


.SH SEE ALSO
\fBtool-work(1)\fP
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	below, err := os.ReadFile(filepath.Join(out, "tool-work.1"))
	if err != nil || !strings.Contains(string(below), ".SH OPTIONS INHERITED FROM PARENT COMMANDS\n\\fB-q\\fP, \\fB--quiet\\fP") {
		t.Errorf("the page of a command lacks flags of all commands: %s, %v", below, err)
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("the pages are not formatted: no groff is there")
	}
	for _, page := range pages {
		format := exec.Command("groff", "-man", "-Tutf8", "-Kutf8", "-ww", page)
		if said, err := format.CombinedOutput(); err != nil || strings.Contains(string(said), "warning") {
			t.Errorf("%s: %v: %s", page, err, said)
		}
	}
}

func TestDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	if err := write(tool, "", t.TempDir(), ""); err == nil {
		t.Error("a date that is no number is taken")
	}
}
