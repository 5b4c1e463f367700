package main

import (
	"fmt"
	"regexp"
	"strings"
)

// help is what a command prints for --help, in its parts.
type help struct {
	about    []block
	statuses []entry
	usage    []string
	examples []string
	groups   []group // of commands and of flags
	commands []entry // of all groups
}

// block is lines between blank ones: a paragraph, whose lines may be broken anew, or
// what is laid out in columns and must stay as it is.
type block struct {
	lines   []string
	columns bool
}

// group is what stands below a heading: commands or flags.
type group struct {
	title   string
	flags   bool
	entries []entry
}

// entry is a name with what it means: a command, an exit status, or a flag, whose
// name is all of how it is written.
type entry struct{ name, text string }

var (
	columns   = regexp.MustCompile(`^\s|\S {2,}\S`)
	flagLine  = regexp.MustCompile(`^ +((?:-\w, )?--[\w-]+(?: \S+)?)(?: {2,}(\S.*))?$`)
	commands  = regexp.MustCompile(`^  ([\w-]+) +(\S.*)$`)
	statusOf  = regexp.MustCompile(`^(\d+(?: or \d+)*) (.+)$`)
	headingOf = regexp.MustCompile(`^(\S.*):$`)
)

// parse takes the text apart, as cobra's template puts it together.
func parse(text string) (*help, error) {
	about, rest, found := strings.Cut(text, "\nUsage:\n")
	if !found {
		return nil, fmt.Errorf("there is no line %q", "Usage:")
	}
	h := &help{}
	for _, part := range strings.Split(strings.Trim(about, "\n"), "\n\n") {
		if list, ok := strings.CutPrefix(part, "Exit status: "); ok {
			h.statuses = parseStatuses(list)
			continue
		}
		b := block{lines: strings.Split(part, "\n")}
		for _, line := range b.lines {
			b.columns = b.columns || columns.MatchString(line)
		}
		h.about = append(h.about, b)
	}
	for i, part := range strings.Split(strings.Trim("Usage:\n"+rest, "\n"), "\n\n") {
		lines := strings.Split(part, "\n")
		title := headingOf.FindStringSubmatch(lines[0])
		switch {
		case i > 0 && strings.HasPrefix(part, "Use \""):
			// It points at the help of commands, which have pages of their own.
		case title == nil || len(lines) < 2:
			return nil, fmt.Errorf("%q is no heading with something below it", lines[0])
		case title[1] == "Usage":
			h.usage = lines[1:]
		case title[1] == "Examples":
			h.examples = lines[1:]
		default:
			if err := h.addGroup(title[1], lines[1:]); err != nil {
				return nil, err
			}
		}
	}
	return h, nil
}

// parseStatuses reads "0 done; 1 failed; 130 or 143 stopped by a signal."
func parseStatuses(list string) (all []entry) {
	list = strings.TrimSuffix(strings.ReplaceAll(list, "\n", " "), ".")
	for _, part := range strings.Split(list, "; ") {
		if m := statusOf.FindStringSubmatch(part); m != nil {
			all = append(all, entry{m[1], m[2]})
		} else if len(all) > 0 {
			all[len(all)-1].text += "; " + part
		}
	}
	return all
}

// addGroup reads a group of commands or flags. What cobra adds to each program, help
// and completion, has no page.
func (h *help) addGroup(title string, lines []string) error {
	g := group{title: title, flags: flagLine.MatchString(lines[0])}
	for _, line := range lines {
		var e entry
		switch m := flagLine.FindStringSubmatch(line); {
		case g.flags && m != nil:
			e = entry{m[1], m[2]}
		case g.flags && strings.HasPrefix(line, "          ") && len(g.entries) > 0:
			g.entries[len(g.entries)-1].text += " " + strings.TrimSpace(line)
			continue
		case !g.flags && commands.MatchString(line):
			c := commands.FindStringSubmatch(line)
			e = entry{c[1], c[2]}
			if e.name == "help" || e.name == "completion" {
				continue
			}
			h.commands = append(h.commands, e)
		default:
			return fmt.Errorf("below %q stands %q, which is neither a flag nor a command", title+":", line)
		}
		g.entries = append(g.entries, e)
	}
	if len(g.entries) > 0 {
		h.groups = append(h.groups, g)
	}
	return nil
}
