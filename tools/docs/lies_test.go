//go:build unix

package docs

import (
	"fmt"
	"strings"
	"testing"
)

// Every kind of false page is reported, and a true one is not.
func TestLies(t *testing.T) {
	for name, c := range map[string]struct {
		page, want string // of what is said; empty where all is right
	}{
		"right":                  {"    $ echo a; echo b\n    a\n    b\n", ""},
		"error without status":   {"    $ echo error: c\n    error: c\n", "ends with status 0"},
		"output":                 {"    $ echo a; echo b\n    a\n    c\n", "line 1: echo a; echo b: the page shows\n\tc\nwhere all"},
		"too little":             {"    $ echo a; echo b\n    a\n", "no more output"},
		"too much":               {"    $ echo a\n    a\n    b\n", "\tb\n"},
		"status":                 {"```sh\ntrue\nfalse  # in vain\n```\n", "line 3: false  # in vain ends with status 1"},
		"error":                  {"    $ echo error: a; false\n    error: a\n", ""},
		"shell continues":        {"    A=b\n\nand\n\n    $ echo $A \\\n      c\n    b c\n", ""},
		"folded":                 {"    $ echo '{\"a\":1,\"b\":2}'\n    {\"a\":1,\n     \"b\":2}\n", ""},
		"not folded":             {"    $ echo ab\n    a\n     b\n", "\ta\n"},
		"left out":               {"    $ seq 9\n    1\n    …\n    9\n    $ echo abc\n    a…c\n", ""},
		"left out, wrong end":    {"    $ seq 9\n    1\n    …\n    10\n", "\t10\n"},
		"varies":                 {"<!-- varies: time, X-Id -->\n\n    $ echo time 1 minute, 2; echo 'X-Id: '$RANDOM; echo end\n    time 12 MiB, 2\n    X-Id: 3\n    end\n", ""},
		"varies in another part": {"<!-- varies: time -->\n\n    $ echo time 1 b\n    time 2 c\n", "time … c"},
		"varies nothing":         {"<!-- varies: time -->\n\n    $ echo a\n    a\n", `no value follows "time"`},
		"output of its own":      {"    echo a  # b\n\n<!-- output -->\n```\na\n```\n", ""},
		"wrong output":           {"    echo a  # b\n\n<!-- output -->\n```\nb\n```\n", "line 5: the page shows\n\tb\n"},
		"wrong output of a part": {"<!-- not run \"x1\": none -->\n\n    echo a\n    x1\n\n<!-- output -->\n```\nb\n```\n", "the page shows\n\tb\n"},
		"not run":                {"<!-- not run: it fails -->\n\n    false\n", "not run: line 3: false (it fails)"},
		"lines not run":          {"<!-- not run \"x1\", \"x2\": none -->\n\n    x1\n    true\n    x2\n", "not run: line 5: x2 (none)"},
		"no such line":           {"<!-- not run \"x1\": none -->\n\n    true\n", `no line has "x1"`},
		"needs":                  {"<!-- needs: false -->\n\n    false\n", "this fails: false"},
		"foreign":                {"    touch /var/lib/x\n", `" /v" is not for this machine`},
		"address":                {"    curl https://example.org/\n", "is not for this machine"},
		"mark without block":     {"<!-- not run: x -->\n\ntext\n", "line 3: no block follows"},
		"mark without reason":    {"<!-- not run -->\n\n    true\n", "cannot be understood"},
		"other comment":          {"<!-- made by x -->\n\ntext\n", ""},
		"commands in disguise":   {"```\nbin/tbsolve list\n```\n", "line 2: a block of commands"},
		"typed":                  {"    $ cat\n    > a\n    a\n", ""},
		"typed, wrong":           {"    $ cat\n    > a\n    b\n", "\tb\n"},
		"at a terminal":          {"    $ read -p 'who> ' a; echo hello $a\n    who> me\n    hello me\n", ""},
		"program":                {"```python\nprint(1)\n```\n\n<!-- output -->\n```\n2\n```\n", "\t2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			blocks, err := parse(c.page)
			if err != nil {
				said.WriteString(err.Error())
			}
			logf := func(format string, args ...any) { said.WriteString(fmt.Sprintf(format, args...)) }
			for _, problem := range follow(t.TempDir(), blocks, logf) {
				said.WriteString(problem)
			}
			if got := said.String(); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("said is %q, want %q", got, c.want)
			}
		})
	}
}
