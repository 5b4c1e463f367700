//go:build unix

package docs

import (
	"fmt"
	"regexp"
	"strings"
)

// block is an indented or fenced block of a page.
type block struct {
	line     int // of its first line of text, from 1
	language string
	fenced   bool
	text     []string // without indentation
	marks
}

// marks are the exceptions that comments make for a block.
type marks struct {
	notRun string            // why the block is not run
	leave  map[string]string // why lines with a text are not run
	varies []string          // the words before values that differ from run to run
	output bool              // the block is what the commands before it print
	needs  string            // the command that fails where the block cannot be run
}

var (
	comment = regexp.MustCompile(`^ *<!-- (.*) -->$`)
	marking = regexp.MustCompile(`^(not run|varies|output|needs)(?: "(.+)")?(?:: (.+))?$`)
	fence   = regexp.MustCompile("^( *)```(\\w*)$")
	// command is how the lines of a block begin that shows commands without saying so.
	command = regexp.MustCompile(`^(\$ |bin/|tb(solve|query|serve|play|cluster) |(make|go|git|time|curl|for) )`)
)

// add adds a comment's exceptions. Other comments are ignored.
func (m *marks) add(text string) error {
	found := marking.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	kind, part, rest := found[1], found[2], found[3]
	switch {
	case part != "" && kind != "not run", (rest == "") != (kind == "output"):
		return fmt.Errorf("the mark %q cannot be understood", text)
	case part != "":
		if m.leave == nil {
			m.leave = map[string]string{}
		}
		for _, text := range strings.Split(part, `", "`) {
			m.leave[text] = rest
		}
	case kind == "not run":
		m.notRun = rest
	case kind == "varies":
		m.varies = append(m.varies, strings.Split(rest, ", ")...)
	case kind == "output":
		m.output = true
	case kind == "needs":
		m.needs = rest
	}
	return nil
}

func (m *marks) empty() bool {
	return m.notRun == "" && m.leave == nil && m.varies == nil && !m.output && m.needs == ""
}

// commands reports whether the block is one of commands.
func (b *block) commands() bool {
	return !b.fenced || b.language == "sh" || b.language == "console"
}

// parse returns the blocks of a page in their order.
func parse(page string) ([]*block, error) {
	var blocks []*block
	var m marks
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); {
		line, end := lines[i], i+1
		var b *block
		if open := fence.FindStringSubmatch(line); open != nil {
			for end < len(lines) && strings.TrimSpace(lines[end]) != "```" {
				end++
			}
			if end == len(lines) {
				return nil, fmt.Errorf("line %d: the fence does not end", i+1)
			}
			b = &block{line: i + 2, language: open[2], fenced: true, text: outdent(lines[i+1:end], len(open[1]))}
			end++
		} else if strings.HasPrefix(line, "    ") && (i == 0 || lines[i-1] == "" || comment.MatchString(lines[i-1])) {
			for end < len(lines) && (lines[end] == "" || strings.HasPrefix(lines[end], "    ")) {
				end++
			}
			text := outdent(lines[i:end], len(line)-len(strings.TrimLeft(line, " ")))
			b = &block{line: i + 1, text: strings.Split(strings.TrimRight(strings.Join(text, "\n"), "\n"), "\n")}
		}
		said := comment.FindStringSubmatch(line)
		switch {
		case b != nil:
			if b.fenced && b.language == "" && !m.output && m.notRun == "" && len(b.text) > 0 && command.MatchString(b.text[0]) {
				return nil, fmt.Errorf("line %d: a block of commands is indented or begins with ```sh", b.line)
			}
			b.marks, m = m, marks{}
			blocks = append(blocks, b)
		case said != nil:
			if err := m.add(said[1]); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		case line != "" && !m.empty():
			return nil, fmt.Errorf("line %d: no block follows the marks", i+1)
		}
		i = end
	}
	return blocks, nil
}

// outdent takes up to n leading spaces off each line.
func outdent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line[min(n, len(line)-len(strings.TrimLeft(line, " "))):]
	}
	return out
}

// example is a command of a page.
type example struct {
	line int // from 1
	text string
	want []string // the output that the page shows, if it does
}

// examples returns the commands of a block. A line "$ COMMAND" is followed by its output;
// without such lines all are commands. A backslash at the end continues on the next line. A
// program is one command.
func (b *block) examples() (all []*example) {
	if run := interpreters[b.language]; run != "" {
		return []*example{{line: b.line, text: run + " <<'END'\n" + strings.Join(b.text, "\n") + "\nEND"}}
	}
	transcript := false
	for _, line := range b.text {
		transcript = transcript || strings.HasPrefix(line, "$ ")
	}
	var last *example
	for i, line := range b.text {
		rest, prompt := strings.CutPrefix(line, "$ ")
		switch {
		case last != nil && strings.HasSuffix(last.text, `\`) && last.want == nil:
			last.text += "\n" + line
		case prompt || !transcript && strings.TrimSpace(line) != "":
			last = &example{line: b.line + i, text: rest}
			all = append(all, last)
		case last != nil && transcript:
			last.want = append(last.want, line)
		}
	}
	return all
}

// fold stands, in a pattern, for the end of a line that continues on the next.
const fold = "\uE000"

// folded is a line of JSON or a message whose rest is in lines that begin with a space.
var folded = regexp.MustCompile(`(?m)^(?:[{\[]|error: ).*(?:\n .*)+`)

// unlike says how output differs from the page, or nothing. On the page "…" stands for any text,
// alone on a line for any lines.
func (m *marks) unlike(shown []string, got string) string {
	text := strings.TrimRight(strings.Join(shown, "\n"), "\n ")
	text = folded.ReplaceAllStringFunc(text, func(lines string) string {
		return regexp.MustCompile(`\n +`).ReplaceAllString(lines, fold)
	})
	for _, word := range m.varies {
		text = valueAfter(word).ReplaceAllString(text, "$1…")
	}
	want, lines := strings.Split(text, "\n"), strings.Split(got, "\n")
	for len(want) > 0 {
		if want[0] == "…" {
			for len(lines) > 0 && (len(want) == 1 || !pattern(want[1]).MatchString(lines[0])) {
				lines = lines[1:]
			}
		} else if len(lines) == 0 || !pattern(want[0]).MatchString(lines[0]) {
			break
		} else {
			lines = lines[1:]
		}
		want = want[1:]
	}
	if len(want) == 0 && len(lines) == 0 {
		return ""
	}
	where := "no more output"
	if len(want) > 0 {
		where = strings.ReplaceAll(want[0], fold, " ")
	}
	return fmt.Sprintf("the page shows\n\t%s\nwhere all of this is printed:\n%s", where, short(got))
}

// short cuts long lines of output, for messages.
func short(out string) string {
	return regexp.MustCompile(`(?m)^(.{300}).+$`).ReplaceAllString(out, "$1 [...]")
}

// valueAfter matches a word and the value after it, with its unit: "time 439ms", "speed
// 156.5 G", "about 3 minutes", `"seed":7`.
func valueAfter(word string) *regexp.Regexp {
	return regexp.MustCompile(`((?:^|\b)` + regexp.QuoteMeta(word) + `"?:?[ "]*)[^\s",]+(?: (?:[kMGT](?:iB)?|seconds?|minutes?|hours?)\b)?`)
}

// pattern matches a line of output.
func pattern(shown string) *regexp.Regexp {
	text := regexp.QuoteMeta(shown)
	return regexp.MustCompile("^" + strings.NewReplacer(" …", ".*", "…", ".*", fold, `\s*`).Replace(text) + "$")
}
