package agents

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"backsolve/game"
)

// FuzzRead reads names of agents: each is of a known kind and has the options of its name, or is
// refused with an error that points into it.
func FuzzRead(f *testing.F) {
	for _, k := range Kinds() {
		f.Add(k.Example)
		f.Add(k.Name + ":")
		f.Add(k.Name + ":" + k.Name + "=1,")
	}
	f.Add(`engine:"./a, b" ,move-time=1s`)
	f.Add("mcts:10,keep-tree,keep-tree")
	f.Add("minimax:depth=ä\xff")
	f.Fuzz(func(t *testing.T, name string) {
		r, err := read(name)
		if err != nil {
			var syntax *game.SyntaxError
			if !errors.As(err, &syntax) || syntax.Reason == "" || syntax.Example == "" {
				t.Fatalf("%q: %v", name, err)
			}
			if syntax.Column < 1 || syntax.Column > utf8.RuneCountInString(name)+1 {
				t.Fatalf("%q: column %d", name, syntax.Column)
			}
			return
		}
		if r.kind.Name == "" || !strings.HasPrefix(name, r.kind.Name) || r.text != name {
			t.Fatalf("%q is read as %+v", name, r)
		}
		text := string([]rune(name)) // as it is read: what is not UTF-8 is replaced
		for key, o := range r.options {
			if key != o.key || !strings.Contains(text, o.value) || !strings.Contains(text, key) {
				t.Fatalf("%q has the option %+v", name, o)
			}
		}
		for _, ask := range []func(){
			func() { r.number("", 0, 10) },
			func() { r.number("depth", 1, 10) },
			func() { r.real("blunder", 0, 1, "a probability") },
			func() { r.duration("time") },
			func() { r.flag("keep-tree") },
		} {
			r.err = nil
			if ask(); r.err != nil && !errors.As(r.err, new(*game.SyntaxError)) {
				t.Fatalf("%q: %v", name, r.err)
			}
		}
	})
}
