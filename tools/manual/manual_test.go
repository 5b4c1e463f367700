package main

import (
	"bytes"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var foot = footer{"v1.2.3", time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)}

// tool returns a program with all that the help of ours has.
func tool() *cobra.Command {
	nothing := func(*cobra.Command, []string) {}
	root := &cobra.Command{
		Use: "tool",
		Long: `Works hard, 75 % of the time, and takes
its time - or not.

parts   what it is made of,
        and \n more
.dotted

Exit status: 0 done; 1 it failed, or
something did; and all is lost; 130 or 143 stopped.`,
		Example: "  tool\n  tool work 'it's' --deep ~/x",
		Run:     nothing,
	}
	root.Flags().String("dir", "", "`directory` of the work (default $DIR, else ./work)")
	root.Flags().BoolP("quiet", "q", false, "say nothing\nat all")
	root.AddGroup(&cobra.Group{ID: "jobs", Title: "Jobs to do:"})
	work := &cobra.Command{Use: "work N [FILE]", Short: "Work on N×N boards", GroupID: "jobs", Run: nothing}
	work.Flags().Bool("deep", false, "go deep")
	root.AddCommand(work, &cobra.Command{Use: "rest", Short: "Rest", Run: nothing}, &cobra.Command{Use: "secret", Hidden: true, Run: nothing})
	return root
}

// ask executes the program in place.
func ask(args ...string) (string, error) {
	root := tool()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(args)
	err := root.Execute()
	return out.String(), err
}

func TestPages(t *testing.T) {
	pages, err := pagesOf(ask, "tool", "work", foot)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tool-rest.1", "tool-work.1", "tool.1"}, slices.Sorted(maps.Keys(pages))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := `.TH TOOL 1 2026-11-22 "backsolve 1.2.3" "User Commands"
.SH NAME
tool \- work
.SH SYNOPSIS
\fBtool\fR \fI[flags]\fR
.br
\fBtool\fR \fI[command]\fR
.SH DESCRIPTION
Works hard, 75 % of the time, and takes
its time \- or not.
.PP
.nf
parts   what it is made of,
        and \en more
\&.dotted
.fi
.SH JOBS TO DO
.TP
.BR tool\-work (1)
Work on N×N boards
.SH ADDITIONAL COMMANDS
.TP
.BR tool\-rest (1)
Rest
.SH OPTIONS
.TP
\fB\-\-dir\fR \fIdirectory\fR
directory of the work (default $DIR, else ./work)
.TP
\fB\-h\fR, \fB\-\-help\fR
help for tool
.TP
\fB\-q\fR, \fB\-\-quiet\fR
say nothing at all
.SH EXIT STATUS
.TP
\fB0\fR
done
.TP
\fB1\fR
it failed, or something did; and all is lost
.TP
\fB130 or 143\fR
stopped
.SH EXAMPLES
.nf
  tool
  tool work \(aqit\(aqs\(aq \-\-deep \(ti/x
.fi
.SH SEE ALSO
.BR tbsolve (1),
.BR tbquery (1),
.BR tbserve (1),
.BR tbplay (1),
.BR ladder (1),
.BR analyze (1),
.BR bench (1),
.BR learn (1)
`
	if diff := cmp.Diff(want, pages["tool.1"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	work := `.TH TOOL\-WORK 1 2026-11-22 "backsolve 1.2.3" "User Commands"
.SH NAME
tool\-work \- work on N×N boards
.SH SYNOPSIS
\fBtool\fR \fBwork\fR \fIN\fR \fI[FILE]\fR \fI[flags]\fR
.SH DESCRIPTION
Work on N×N boards
.SH OPTIONS
.TP
\fB\-\-deep\fR
go deep
.TP
\fB\-h\fR, \fB\-\-help\fR
help for work
.SH SEE ALSO
.BR tool (1)
`
	if diff := cmp.Diff(work, pages["tool-work.1"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is not understood is not left out.
func TestParseRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                                       `no line "Usage:"`,
		"Works.\n\nUsage:\n  tool\n\nOdd text\n": `"Odd text" is no heading`,
		"Works.\n\nUsage:\n  tool\n\nFlags:\n      --a   b\nnonsense\n":       `below "Flags:" stands "nonsense"`,
		"Works.\n\nUsage:\n  tool\n\nCommands:\n  work   Work\n      --a b\n": `below "Commands:" stands "      --a b"`,
		"Works.\n\nUsage:\n  tool\n\nFlags:\n":                                `"Flags:" is no heading with something below it`,
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %s", text, err, says)
		}
	}
}

// The program that formats pages finds nothing to complain about.
func TestPagesAreWellFormed(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff is there")
	}
	pages, err := pagesOf(ask, "tool", "work", foot)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		format := exec.Command(groff, "-man", "-Tutf8", "-Kutf8", "-ww")
		format.Stdin = strings.NewReader(text)
		var out, errs bytes.Buffer
		format.Stdout, format.Stderr = &out, &errs
		if err := format.Run(); err != nil || errs.Len() > 0 || !strings.Contains(out.String(), "N×N") && name == "tool.1" {
			t.Errorf("%s: %v: %s\n%s", name, err, errs.String(), out.String())
		}
	}
}

func TestPageDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1795305600")
	if date, err := pageDate(); err != nil || date.Format(time.DateOnly) != "2026-11-22" {
		t.Errorf("%v, %v", date, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	if _, err := pageDate(); err == nil {
		t.Error("a date that is no number is taken")
	}
}
