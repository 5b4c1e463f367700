package probe_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/internal/probe"
)

// TestLine checks that a main line keeps the value of its position: a win or loss with steps
// ends after that many plies, a draw repeats, and every ply is the best ranked move.
func TestLine(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		rapid.Check(t, func(t *rapid.T) {
			p := drawPosition(t, table.Rules())
			line, err := table.Line(p, probe.WholeLine)
			if err != nil {
				t.Fatal(err)
			}
			positions := replay(t, table, p, line)
			start, err := table.Value(p)
			if err != nil {
				t.Fatal(err)
			}
			last := positions[len(positions)-1]
			if line.Repeats >= 0 {
				if start.Steps >= 0 || positions[line.Repeats] != last {
					t.Fatalf("a line of %v ends where it was at %d", start, line.Repeats)
				}
				return
			}
			outcome, over := table.Rules().Terminal(last)
			if !over || start.Steps >= 0 && len(line.Plies) != start.Steps {
				t.Fatalf("a line of %v ends after %d plies, over %v", start, len(line.Plies), over)
			}
			if len(line.Plies)%2 == 1 {
				outcome = outcome.Flip()
			}
			if outcome != start.Outcome {
				t.Fatalf("a line of %v leads to %v", start, outcome)
			}
		})
	})
}

// TestLineIsTruncated compares truncated lines with the whole one.
func TestLineIsTruncated(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		rapid.Check(t, func(t *rapid.T) {
			text := table.Rules().Format(drawPosition(t, table.Rules()))
			checkCut(t, table, text, rapid.IntRange(0, 30).Draw(t, "plies"))
		})
	})
	for maxPlies := range 70 {
		p := probe.NewPairing(8)
		checkCut(t, p, p.Example(), maxPlies)
	}
}

func checkCut(t rapid.TB, from probe.Answerer, text string, maxPlies int) {
	whole, err := from.Ask(text, probe.WholeLine)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := from.Ask(text, maxPlies)
	if err != nil {
		t.Fatal(err)
	}
	got, want := *cut.Line, *whole.Line
	if maxPlies < len(want.Plies) {
		want = probe.Line{Plies: want.Plies[:maxPlies], Repeats: -1, Truncated: true}
	}
	if got.Repeats != want.Repeats || got.Truncated != want.Truncated || !slices.Equal(got.Plies, want.Plies) {
		t.Fatalf("%s, cut after %d plies: got %+v\nwant %+v", text, maxPlies, got, want)
	}
}

// replay plays a line by the rules and returns its positions, all different except the last one
// of a repetition.
func replay(t *rapid.T, table *probe.Table, p game.Position, line *probe.Line) []game.Position {
	positions := []game.Position{p}
	seen := map[game.Position]bool{}
	for _, ply := range line.Plies {
		if seen[p] {
			t.Fatalf("the line goes on after %s stands again", table.Rules().Format(p))
		}
		seen[p] = true
		a, err := table.Answer(p)
		if err != nil {
			t.Fatal(err)
		}
		if a.Moves[0].Move != ply.Move || a.Moves[0].Position != ply.Position {
			t.Fatalf("%v where %v is best", ply, a.Moves[0])
		}
		m, err := table.Rules().ParseMove(p, ply.Move)
		if err != nil {
			t.Fatal(err)
		}
		p = table.Rules().Play(p, m)
		positions = append(positions, p)
	}
	return positions
}

// TestLineFromEmptyQuixo4 has the published line of 21 plies.
func TestLineFromEmptyQuixo4(t *testing.T) {
	table := open(t, "quixo", 4, true)
	line, err := table.Line(table.Rules().Start(), probe.WholeLine)
	if err != nil {
		t.Fatal(err)
	}
	if len(line.Plies) != 21 || line.Repeats != -1 {
		t.Errorf("%d plies, repeats %d", len(line.Plies), line.Repeats)
	}
}
