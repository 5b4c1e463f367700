package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What was prepared plays on its boards, without its file being read again.
func TestPrepare(t *testing.T) {
	three := newBoard(t, "notakto", 3).Rules
	net, learned := newNetwork(t, three), learn(t, three)
	var prepared []*Prepared
	for _, name := range []string{`zero:sims=5,weights="` + net + `"`, `qlearning:weights="` + learned + `"`} {
		p, err := Prepare(name)
		if err != nil {
			t.Fatal(err)
		}
		if game, size, only := p.Board(); game != "notakto" || size != 3 || !only || !strings.HasPrefix(name, p.Kind().Name) {
			t.Errorf("%s plays %s of size %d, %t", name, game, size, only)
		}
		if _, err := p.For(newBoard(t, "notakto", 4).Rules); err == nil || !strings.Contains(err.Error(), "the weights are of notakto") {
			t.Errorf("%v", err)
		}
		prepared = append(prepared, p)
	}
	for _, path := range []string{net, learned} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range prepared {
		a, err := p.For(three)
		if err != nil {
			t.Fatal(err)
		}
		checkMove(t, three, a)
	}
	for name, boards := range map[string][]string{"mcts:20": {"quixo 3", "uttt 9"}, "mcts:5,weighted": {"othello 6"}, "pairing": {"notakto 8"}} {
		p, err := Prepare(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, only := p.Board(); only {
			t.Errorf("%s plays on one board alone", name)
		}
		for _, b := range boards {
			game, size, _ := strings.Cut(b, " ")
			rules := newBoard(t, game, int(size[0]-'0')).Rules
			a, err := p.For(rules)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, b, err)
			}
			checkMove(t, rules, a)
		}
	}
	for name, want := range map[string]string{
		"optimal": `optimal needs a table or a program of its own; name an agent that plays by the rules or by weights; an example is "mcts:1000"`, "shortest:blunder=0.1": "needs a table", "engine:x": "engine needs a table or a program of its own",
		"mcts:-1": "expected a whole number", "zero": "it needs a file of weights", "zero:weights=" + strings.ReplaceAll(net, ",", "-"): "the weights cannot be read",
	} {
		if _, err := Prepare(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// Completion offers the files of a directory where a name needs a file.
func TestCompleteName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.weights", "b.weights"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	slash := string(filepath.Separator)
	begun := "zero:sims=5,weights=" + dir + slash
	if got, want := CompleteName(begun+"a"), []string{begun + "a.weights", begun + "b.weights", begun + "more" + slash}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, name := range []string{"", "zero", "zero:weights", "zero:weights=a,si", "mcts:weights=a", "other:weights=a"} {
		if got := CompleteName(name); !slices.Equal(got, Complete()) {
			t.Errorf("%q is completed as %q", name, got)
		}
	}
	if got := CompleteName("zero:weights=" + filepath.Join(dir, "none") + slash); got != nil {
		t.Errorf("%q", got)
	}
}
