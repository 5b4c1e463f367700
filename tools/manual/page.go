package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// footer is what stands at the foot of each page.
type footer struct {
	release string
	date    time.Time
}

// special are the characters that the language of man pages, roff, gives a meaning to
// or replaces by typographic ones.
var special = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// plain returns a line that roff prints as it stands.
func plain(line string) string {
	line = special.Replace(line)
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}

// page returns the man page of a command. Below its options it points at others.
func page(name, short string, h *help, others []string, foot footer) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s \"backsolve %s\" \"User Commands\"\n",
		plain(strings.ToUpper(name)), foot.date.Format(time.DateOnly), plain(strings.TrimPrefix(foot.release, "v")))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", plain(name), plain(short))
	b.WriteString(".SH SYNOPSIS\n")
	for i, line := range h.usage {
		if i > 0 {
			b.WriteString(".br\n")
		}
		b.WriteString(synopsis(strings.TrimSpace(line), strings.Count(name, "-")+1) + "\n")
	}
	b.WriteString(".SH DESCRIPTION\n")
	for i, part := range h.about {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		writeLines(&b, part.lines, part.columns)
	}
	for _, g := range h.groups {
		writeGroup(&b, name, g)
	}
	if len(h.statuses) > 0 {
		b.WriteString(".SH EXIT STATUS\n")
		for _, s := range h.statuses {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", bold(s.name), plain(s.text))
		}
	}
	if len(h.examples) > 0 {
		b.WriteString(".SH EXAMPLES\n")
		writeLines(&b, h.examples, true)
	}
	b.WriteString(".SH SEE ALSO\n")
	for i, other := range others {
		comma := ","
		if i == len(others)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, ".BR %s (1)%s\n", plain(other), comma)
	}
	return b.String()
}

// writeLines writes text: in columns as it stands, or filled.
func writeLines(b *strings.Builder, lines []string, columns bool) {
	if columns {
		b.WriteString(".nf\n")
		defer b.WriteString(".fi\n")
	}
	for _, line := range lines {
		b.WriteString(plain(line) + "\n")
	}
}

// writeGroup writes commands or flags, each with what it means.
func writeGroup(b *strings.Builder, name string, g group) {
	title := strings.ToUpper(g.title)
	if title == "FLAGS" {
		title = "OPTIONS"
	}
	fmt.Fprintf(b, ".SH %s\n", plain(title))
	for _, e := range g.entries {
		if g.flags {
			fmt.Fprintf(b, ".TP\n%s\n%s\n", flag(e.name), plain(e.text))
		} else {
			fmt.Fprintf(b, ".TP\n.BR %s (1)\n%s\n", plain(name+"-"+e.name), plain(e.text))
		}
	}
}

func bold(s string) string   { return `\fB` + plain(s) + `\fR` }
func italic(s string) string { return `\fI` + plain(s) + `\fR` }

// word is what stands for something else in a synopsis: GAME, [flags].
var word = regexp.MustCompile(`^\[?[A-Z]+(\.\.\.)?\]?$|^\[(flags|command)\]$`)

// synopsis sets the words of the command, which are so many, in bold and what stands
// for something else in italics.
func synopsis(line string, own int) string {
	words := strings.Fields(line)
	for i, w := range words {
		switch {
		case i < own:
			words[i] = bold(w)
		case word.MatchString(w):
			words[i] = italic(w)
		default:
			words[i] = plain(w)
		}
	}
	return strings.Join(words, " ")
}

// flag sets the name of a flag in bold and its value in italics: -o, --out directory.
func flag(written string) string {
	words := strings.Fields(written)
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			words[i] = bold(strings.TrimSuffix(w, ","))
			if strings.HasSuffix(w, ",") {
				words[i] += ","
			}
		} else {
			words[i] = italic(w)
		}
	}
	return strings.Join(words, " ")
}
