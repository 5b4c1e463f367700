//go:build unix

package docs

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// reader follows a page.
type reader struct {
	*session
	logf     func(format string, args ...any)
	problems []string
	printed  string // by the last block that was run
	partly   bool   // as far as it could be run on this machine
}

// follow runs the blocks of a page in a directory, or runs nothing if that is "". It logs what is
// left out and returns what is wrong.
func follow(dir string, blocks []*block, logf func(format string, args ...any)) []string {
	r := &reader{logf: logf}
	if dir != "" {
		s, err := newSession(dir)
		if err != nil {
			return []string{err.Error()}
		}
		defer s.close()
		r.session = s
	}
	for _, b := range blocks {
		if err := r.block(b); err != nil {
			r.wrong(b.line, "%v", err)
			break
		}
	}
	return r.problems
}

func (r *reader) wrong(line int, format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf("line %d: %s", line, fmt.Sprintf(format, args...)))
}

// leave logs that a command, or all of a block, is left out.
func (r *reader) leave(line int, text, why string) {
	text, _, _ = strings.Cut(text, "\n")
	r.logf("not run: line %d: %s (%s)", line, text, why)
}

// interpreters are what runs a program of a language from standard input.
var interpreters = map[string]string{"python": "python3 -", "js": "node --input-type=module -"}

// runs reports whether there is something to be run.
func (b *block) runs() bool {
	return b.notRun == "" && !b.output && (b.commands() || interpreters[b.language] != "")
}

// block runs a block, or compares it with the output of the one before. After an error the page
// cannot be followed further.
func (r *reader) block(b *block) error {
	text := strings.Join(b.text, "\n")
	switch {
	case b.output && !r.partly:
		if diff := b.unlike(b.text, r.printed); diff != "" {
			r.wrong(b.line, "%s", diff)
		}
	case b.notRun != "":
		r.leave(b.line, text, b.notRun)
		r.partly = true
	case b.runs():
		r.printed, r.partly = "", false
		if b.needs != "" {
			if _, status, err := r.inShell("{ " + b.needs + "; } >/dev/null 2>&1"); err != nil || status != 0 {
				r.leave(b.line, text, "this fails: "+b.needs)
				r.partly = true
				return err
			}
		}
		for _, e := range b.examples() {
			if err := r.example(b, e); err != nil {
				return err
			}
		}
	}
	for _, word := range b.varies {
		if !valueAfter(word).MatchString(text) {
			r.wrong(b.line, "no value follows %q, which is marked as varying", word)
		}
	}
	for part := range b.leave {
		if !strings.Contains(text, part) {
			r.wrong(b.line, "no line has %q, which is marked as not run", part)
		}
	}
	return nil
}

// example runs a command and compares its output.
func (r *reader) example(b *block, e *example) error {
	for part, why := range b.leave {
		if strings.Contains(e.text, part) {
			r.leave(e.line, e.text, why)
			return nil
		}
	}
	for _, tool := range tools.FindAllString(e.text, -1) {
		if _, err := exec.LookPath(tool); err != nil {
			r.leave(e.line, e.text, "there is no "+tool)
			r.partly = true
			return nil
		}
	}
	if word := foreign.FindString(e.text); word != "" {
		r.wrong(e.line, "%s: %q is not for this machine: mark it as not run", e.text, word)
		return nil
	}
	out, status, err := r.run(e)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", e.text, err, short(out))
	}
	r.printed += out
	if e.fails() != (status != 0) {
		r.wrong(e.line, "%s ends with status %d\n%s", e.text, status, short(out))
	} else if len(e.want) > 0 {
		if diff := b.unlike(e.answers(), out); diff != "" {
			r.wrong(e.line, "%s: %s", e.text, diff)
		}
	}
	return nil
}

var (
	// tools are what pages use and a machine may not have.
	tools = regexp.MustCompile(`\b(curl|cc|pkg-config|python3|node)\b`)
	// foreign is what would change the machine, or ask others: programs, and absolute paths
	// and addresses other than the machine's own.
	foreign = regexp.MustCompile(`\b(sudo|apt|npm|systemctl|docker|podman|kubectl|nats-server|make install|git)\b|(^|[ ="'])/\w|\w+://[a-z]`)
)

// fails reports whether the page shows that the command fails.
func (e *example) fails() bool {
	return slices.ContainsFunc(e.want, func(line string) bool { return strings.HasPrefix(line, "error: ") })
}

// answers returns the lines of output without those of standard input.
func (e *example) answers() []string {
	return slices.DeleteFunc(slices.Clone(e.want), func(line string) bool { return strings.HasPrefix(line, "> ") })
}
