package probe_test

import (
	"errors"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
)

// TestByRules compares the answers of the rules alone with the table: positions that are over,
// won by the next move, or over after every move.
func TestByRules(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"tictactoe", 3}, {"notakto", 3}} {
		if testing.Short() && c.name == "quixo" {
			continue // one thread takes long under the race detector
		}
		table := open(t, c.name, c.n, true)
		board, err := probe.NewBoard(c.name, c.n, "")
		if err != nil {
			t.Fatal(err)
		}
		rules := board.Rules()
		from := board.ByRules(partition.ErrTooLarge)
		known := 0
		for _, s := range reached(rules) {
			want, err := table.AskState(rules, s, probe.NoLine)
			if err != nil {
				t.Fatal(err)
			}
			a, err := from.AskState(rules, s, probe.WholeLine)
			if !decided(want, rules, s) {
				if !errors.Is(err, probe.ErrUnknown) || !errors.Is(err, partition.ErrTooLarge) {
					t.Fatalf("%s %s: %+v, %v", c.name, rules.Format(s), a, err)
				}
				continue
			}
			known++
			if err != nil || a.Value != want.Value || a.Terminal != want.Terminal || a.Source != probe.FromRules ||
				a.Partial != (len(a.Moves) < len(want.Moves)) || len(a.Line.Plies) > 1 {
				t.Fatalf("%s %s: %+v, %v; want %+v", c.name, rules.Format(s), a, err, want)
			}
			for _, m := range a.Moves {
				if of := moveOf(want, m.Move); of.Value != m.Value || of.Position != m.Position {
					t.Fatalf("%s %s: %+v, want %+v", c.name, rules.Format(s), m, of)
				}
			}
		}
		if known == 0 {
			t.Errorf("nothing is known of %s", c.name)
		}
	}
}

// decided reports whether the rules alone give the value that a table has.
func decided(a *probe.Answer, rules game.Rules, s game.State) bool {
	if a.Terminal || a.Outcome == game.Win && a.Steps == 1 {
		return true
	}
	for _, m := range rules.Moves(nil, s) {
		if _, over := rules.Terminal(rules.Play(s, m)); !over {
			return false
		}
	}
	return true
}

// moveOf returns a move of an answer.
func moveOf(a *probe.Answer, name string) probe.Move {
	for _, m := range a.Moves {
		if m.Move == name {
			return m
		}
	}
	return probe.Move{}
}

// reached returns the positions that are reachable from the start.
func reached(rules game.Rules) []game.State {
	start := rules.Start()
	found, queue := map[game.State]bool{start: true}, []game.State{start}
	for i := 0; i < len(queue); i++ {
		if _, over := rules.Terminal(queue[i]); over {
			continue
		}
		for _, m := range rules.Moves(nil, queue[i]) {
			if next := rules.Play(queue[i], m); !found[next] {
				found[next] = true
				queue = append(queue, next)
			}
		}
	}
	return queue
}
