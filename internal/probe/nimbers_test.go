package probe_test

import (
	"errors"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
)

// plainNimber returns the nimber of a position of Notakto by full search, with a memo.
func plainNimber(rules game.Grid, p game.Position, known map[uint64]int) int {
	if n, ok := known[p.X]; ok {
		return n
	}
	var reached uint64
	for _, m := range rules.Moves(nil, p) {
		after := rules.Play(p, m)
		if _, over := rules.Terminal(after); !over {
			reached |= 1 << uint(plainNimber(rules, after, known))
		}
	}
	known[p.X] = bits.TrailingZeros64(^reached)
	return known[p.X]
}

// TestNimbersInAnswers checks the nimbers of all positions of 3×3, in text, JSON and ratings,
// from a table beside the other one or alone. Positions that are over have none.
func TestNimbersInAnswers(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	both, alone := t.TempDir(), t.TempDir()
	probetest.Solve(t, both, rules, 0, true)
	probetest.SolveNimbers(t, both, rules)
	probetest.SolveNimbers(t, alone, rules)
	known := map[uint64]int{}
	for _, dir := range []string{both, alone} {
		table, err := probe.Open(dir, rules)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if table.HasSteps() != (dir == both) || !table.HasNimbers() {
			t.Errorf("steps %v, nimbers %v", table.HasSteps(), table.HasNimbers())
		}
		for x := range uint64(1 << 9) {
			p := game.Position{X: x}
			check := func(what string, p game.Position, got probe.Number) {
				t.Helper()
				want := probe.Number{}
				if _, over := rules.Terminal(p); !over {
					want = probe.NewNumber(plainNimber(rules, p, known))
				}
				if got != want {
					t.Fatalf("%s, %s of %s: %v, want %v", dir, what, rules.Format(p), got, want)
				}
			}
			a, err := table.Answer(p)
			if err != nil {
				t.Fatal(err)
			}
			check("answer", p, a.Nimber)
			n, err := table.Nimber(p)
			if err != nil {
				t.Fatal(err)
			}
			check("nimber", p, n)
			_, rated, err := table.Rate(nil, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range a.Moves {
				after := parse(t, table, m.Position)
				check("move "+m.Move, after, m.Nimber)
				check("rated move "+m.Move, rules.Play(p, rated[i].Move), rated[i].Nimber)
			}
			text, err := table.AppendAnswer(nil, p)
			if err != nil || string(text) != string(a.AppendJSON(nil)) {
				t.Fatalf("%s, %v; want %s", text, err, a.AppendJSON(nil))
			}
		}
	}
}

// TestOtherNimbers opens files that should have a board's nimbers but do not, and nimbers that
// do not fit the table.
func TestOtherNimbers(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	place := func(name string, from func(dir string)) string {
		dir := t.TempDir()
		probetest.Solve(t, dir, rules, 0, false)
		other := t.TempDir()
		from(other)
		files, err := os.ReadDir(other)
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		if err := os.Rename(filepath.Join(other, files[0].Name()), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	const name = "notakto-3x3-grundy.tb"
	for says, from := range map[string]func(dir string){
		"it holds notakto 3×3 without steps; give it back its name, notakto-3x3.tb": func(dir string) { probetest.Solve(t, dir, rules, 0, false) },
		"it holds notakto 2×2 with nimbers; give it back its name, notakto-2x2-grundy.tb": func(dir string) {
			probetest.SolveNimbers(t, dir, newRules(t, "notakto", 2))
		},
	} {
		dir := place(name, from)
		if _, err := probe.Open(dir, rules); !errors.Is(err, probe.ErrOtherBoard) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
		os.Remove(filepath.Join(dir, "notakto-3x3.tb"))
		if _, err := probe.Open(dir, rules); !errors.Is(err, probe.ErrOtherBoard) || !strings.Contains(err.Error(), says) {
			t.Errorf("alone: %v, want %q", err, says)
		}
	}
	damage := map[string]func(p *tablebase.Planes, n *tablebase.Counts){
		"are not those of":      func(p *tablebase.Planes, _ *tablebase.Counts) { p.Win[0] &^= 1; clearDigits(p) },
		"but its moves lead to": func(p *tablebase.Planes, _ *tablebase.Counts) { p.Steps[0][0] ^= 1 },
	}
	for says, change := range damage {
		own := t.TempDir()
		probetest.SolveNimbers(t, own, rules)
		original, err := probe.OpenFile(filepath.Join(own, name))
		if err != nil {
			t.Fatal(err)
		}
		defer original.Close()
		wrong := altered(t, original, 0, change)
		dir := place(name, func(dir string) {
			data, err := os.ReadFile(wrong.Stored().Path())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		})
		table, err := probe.Open(dir, rules)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if _, err := table.Answer(rules.Start()); !errors.Is(err, tablebase.ErrDamaged) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// clearDigits clears the digits of the first state.
func clearDigits(p *tablebase.Planes) {
	for _, digit := range p.Steps {
		digit[0] &^= 1
	}
}
