package games

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
)

// What a board says about its moves matches what they do to the text of a position.
func TestMoveKind(t *testing.T) {
	everyRules(t, func(t *testing.T, r game.Rules) {
		kind := r.Info().MoveKind
		if kind != game.Marks && kind != game.Pushes {
			t.Skip("moves are of no kind that has a name")
		}
		rapid.Check(t, func(t *rapid.T) {
			s := r.Start()
			for range rapid.IntRange(0, 30).Draw(t, "plies") {
				moves := r.Moves(nil, s)
				if len(moves) == 0 {
					return
				}
				m := rapid.SampledFrom(moves).Draw(t, "move")
				next := r.Play(s, m)
				want := moved(t, r, cellsOf(r, s), r.FormatMove(m), markOf(r, s))
				if got := cellsOf(r, next); got != want {
					t.Fatalf("%s and %s give %s, want the cells %s", r.Format(s), r.FormatMove(m), r.Format(next), want)
				}
				s = next
			}
		})
	})
}

// cellsOf returns the cells of a position from the top left on, a character each.
func cellsOf(r game.Rules, s game.State) string {
	board, _, _ := strings.Cut(r.Format(s), " ")
	return strings.ReplaceAll(board, "/", "")
}

// markOf returns the mark that the player to move sets.
func markOf(r game.Rules, s game.State) string {
	if r.Info().Marks == 2 && r.Turn(s) == game.O {
		return "O"
	}
	return "X"
}

// moved returns the cells after a move, as the text of the move and its kind say.
func moved(t *rapid.T, r game.Rules, cells, move, mark string) string {
	n, named := game.Size(r.Info().Size).Cols(), namedCells(r.Info().Size, move)
	switch kind := r.Info().MoveKind; {
	case kind == game.Marks && len(named) == 1 && cells[named[0]] == '.':
		return cells[:named[0]] + mark + cells[named[0]+1:]
	case kind == game.Pushes && len(named) == 2 && named[0] != named[1]:
		from, to := named[0], named[1]
		step := 1
		if from%n == to%n {
			step = n
		} else if from/n != to/n {
			t.Fatalf("%s is along no line", move)
		}
		if to < from {
			step = -step
		}
		after := []byte(cells)
		for c := from; c != to; c += step {
			after[c] = cells[c+step]
		}
		after[to] = mark[0]
		return string(after)
	}
	t.Fatalf("%s is no move of the kind %q in %s", move, r.Info().MoveKind, cells)
	return ""
}

// namedCells returns the cells that a text of cell names has, numbered from the top
// left.
func namedCells(size int, text string) (cells []int) {
	for text != "" {
		end := 1
		for end < len(text) && text[end] <= '9' {
			end++
		}
		for cell := range game.Size(size).Cells() {
			if game.CellName(size, cell) == text[:end] {
				cells = append(cells, cell)
			}
		}
		text = text[end:]
	}
	return cells
}

// What a board says of complete lines is how its positions end.
func TestLineRule(t *testing.T) {
	everyBoard(t, func(t *testing.T, r game.Grid) {
		rule := r.Info().CompleteLine
		if rule == "" {
			t.Skip("lines decide nothing")
		}
		complete := func(marks uint64) bool {
			for _, line := range bitboard.Lines(r.Size()) {
				if marks&line == line {
					return true
				}
			}
			return false
		}
		ended := 0
		rapid.Check(t, func(t *rapid.T) {
			p := drawPosition(t, r)
			outcome, over := r.Terminal(p)
			x, o := complete(p.X), complete(p.O)
			switch {
			case !x && !o:
				if over && outcome != game.Draw {
					t.Fatalf("%s is decided without a line", r.Format(p))
				}
				return
			case rule == game.OwnerWins && x && o:
				if !over || outcome == game.Draw && !game.Size(r.Size()).Has(bitboard.BothDraw) {
					t.Fatalf("%s has lines and is not decided", r.Format(p))
				}
				return
			}
			ended++
			want := game.Win // under MoverLoses, who has just moved has lost
			if rule == game.MoverWins || rule == game.OwnerWins && x != (r.Turn(p) == game.X) {
				want = game.Lose
			}
			if !over || outcome != want {
				t.Fatalf("%s: over is %v with %v, want %v", r.Format(p), over, outcome, want)
			}
		})
		if ended == 0 && r.Size() <= 4 && !testing.Short() { // then few positions are drawn
			t.Error("no position with a line was drawn")
		}
	})
}

// What a board says of the last move is how its games end, and when none can be made.
func TestLastMove(t *testing.T) {
	decided := 0
	everyRules(t, func(t *testing.T, r game.Rules) {
		rule := r.Info().LastMove
		if rule == "" {
			t.Skip("the last move as such decides nothing")
		}
		decided++
		want := game.Win // under LastLoses, who has just moved has lost
		if rule == game.LastWins {
			want = game.Lose
		}
		rapid.Check(t, func(t *rapid.T) {
			s := r.Start()
			for moves := r.Moves(nil, s); len(moves) > 0; moves = r.Moves(nil, s) {
				s = r.Play(s, rapid.SampledFrom(moves).Draw(t, "move"))
			}
			if outcome, over := r.Terminal(s); !over || outcome != want {
				t.Fatalf("%s: over is %v with %v, want %v", r.Format(s), over, outcome, want)
			}
		})
	})
	if decided == 0 {
		t.Error("no game is decided by its last move")
	}
}
