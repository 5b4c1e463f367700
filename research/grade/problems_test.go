package grade

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
)

// problemsOf returns the problems of a board, its table solved if it has one.
func problemsOf(t *testing.T, name string, n, most int) (s *Subject, splits [][]Problem) {
	t.Helper()
	if name == "nim" || name == "dawson" {
		rules, err := games.New(name, n)
		if err != nil {
			t.Fatal(err)
		}
		env := &agents.Env{Rules: rules}
		t.Cleanup(func() { env.Close() })
		answers, err := env.Answerer(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		s = &Subject{Rules: rules, Answers: answers, Threads: 2}
	} else {
		s = newSubject(t, name, n, true)
	}
	splits, err := s.Problems(t.Context(), "test", most)
	if err != nil {
		t.Fatal(err)
	}
	return s, splits
}

// classText returns a text that is the same for positions alike, found from the text alone.
func classText(rules game.Rules, text string) string {
	board, side, _ := strings.Cut(text, " ")
	info := rules.Info()
	switch info.Board {
	case game.OfHeaps:
		heaps := strings.Split(board, "/")
		slices.Sort(heaps)
		return strings.Join(heaps, "/")
	case game.OnRow:
		rows := strings.FieldsFunc(board, func(c rune) bool { return c != '.' })
		slices.Sort(rows)
		return strings.Join(rows, "/")
	}
	if side == "o" {
		board = strings.NewReplacer("X", "O", "O", "X").Replace(board)
	}
	cells := strings.ReplaceAll(board, "/", "")
	group := bitboard.SquareGroup(info.Size)
	if info.Symmetries == game.OfLines {
		group = bitboard.LineGroup(info.Size)
	}
	var images []string
	for _, g := range group {
		image := make([]byte, len(cells))
		for cell, to := range g {
			image[to] = cells[cell]
		}
		images = append(images, string(image))
	}
	return slices.Min(images)
}

// Each class of positions that are alike has one problem, and so is in one split; and no move leads
// from one split to another, but for train and validation.
func TestNothingCrossesSplits(t *testing.T) {
	for _, board := range []struct {
		name string
		n    int
	}{{"notakto", 4}, {"quixo", 3}, {"tictactoe", 3}, {"nim", 5}, {"dawson", 14}} {
		s, splits := problemsOf(t, board.name, board.n, 1<<20)
		met := map[string]int{} // the split, from 1 on
		for i, problems := range splits {
			for _, p := range problems {
				class := classText(s.Rules, p.Position)
				if met[class] > 0 {
					t.Fatalf("%s %d: %s in %s is like one in %s", board.name, board.n, p.Position, Splits[i], Splits[met[class]-1])
				}
				met[class] = i + 1
			}
		}
		learned, tested := len(splits[0])+len(splits[1]), len(splits[2])
		if share := float64(tested) / float64(learned+tested); share < 0.05 || share > 0.6 {
			t.Errorf("%s %d: %d problems to learn from and %d to test", board.name, board.n, learned, tested)
		}
		left, wrong := 0, 0
		open, err := reachable(t.Context(), s.Rules, s.Start())
		if err != nil {
			t.Fatal(err)
		}
		visited := 0
		for i := 0; i < len(open); i += 1 + len(open)/300 {
			p := open[i]
			visited++
			split := met[classText(s.Rules, s.Rules.Format(p))]
			if split == 0 {
				left++
				continue
			}
			for _, m := range s.Rules.Moves(nil, p) {
				if after := met[classText(s.Rules, s.Rules.Format(s.Rules.Play(p, m)))]; after > 0 && (after == 3) != (split == 3) {
					wrong++
				}
			}
		}
		if wrong > 0 || 3*left > 2*visited {
			t.Errorf("%s %d: %d moves lead to another split; of %d positions %d are left out", board.name, board.n, wrong, visited, left)
		}
	}
}

// As many problems of each outcome are marked as balanced.
func TestBalanced(t *testing.T) {
	for name, n := range map[string]int{"tictactoe": 3, "nim": 5} {
		_, splits := problemsOf(t, name, n, 1<<20)
		for i, problems := range splits {
			all, marked := map[string]int{}, map[string]int{}
			for _, p := range problems {
				if all[p.Outcome]++; p.Balanced {
					marked[p.Outcome]++
				}
			}
			for outcome := range all {
				if marked[outcome] != slices.Min(slices.Collect(maps.Values(all))) {
					t.Errorf("%s, %s: of %v %v are marked", name, Splits[i], all, marked)
				}
			}
		}
	}
}

// Where there are more classes than problems, those of the least hashes remain: each split is a
// part of the larger one. Drawn problems are all different, too.
func TestFewerProblems(t *testing.T) {
	_, all := problemsOf(t, "tictactoe", 3, 1<<20)
	_, some := problemsOf(t, "tictactoe", 3, 100)
	number := 0
	for i := range some {
		number += len(some[i])
		for k, p := range some[i] {
			if p.Position != all[i][k].Position {
				t.Fatalf("problem %d of %s is %s, not %s", k, Splits[i], p.Position, all[i][k].Position)
			}
		}
	}
	if number != 100 {
		t.Errorf("%d problems, want 100", number)
	}
	s, drawn := problemsOf(t, "notakto", 5, 200)
	met := map[string]bool{}
	for _, p := range slices.Concat(drawn...) {
		met[classText(s.Rules, p.Position)] = true
	}
	if !s.Drawn() || len(met) != 200 {
		t.Errorf("%d classes are drawn, want 200", len(met))
	}
}

// remoteness solves a state of a game without cycles by trying all moves.
func remoteness(rules game.Rules, s game.State, known map[game.State]probe.Value) (best probe.Value) {
	if v, ok := known[s]; ok {
		return v
	}
	if outcome, over := rules.Terminal(s); over {
		return probe.Value{Outcome: outcome, Steps: map[bool]int{true: -1}[outcome == game.Draw]}
	}
	for i, m := range rules.Moves(nil, s) {
		if v := remoteness(rules, rules.Play(s, m), known).Before(); i == 0 || v.Compare(best) < 0 {
			best = v
		}
	}
	known[s] = best
	return best
}

// Problems have the values and moves that trying all moves finds.
func TestProblemsAreExact(t *testing.T) {
	for name, n := range map[string]int{"tictactoe": 3, "notakto": 3, "nim": 3, "dawson": 9} {
		s, splits := problemsOf(t, name, n, 1<<20)
		known := map[game.State]probe.Value{}
		for _, p := range slices.Concat(splits...) {
			state, err := s.Rules.Parse(p.Position)
			if err != nil {
				t.Fatal(err)
			}
			value := remoteness(s.Rules, state, known)
			var all, right, strict []string
			values := ""
			for _, m := range s.Rules.Moves(nil, state) {
				after, text := remoteness(s.Rules, s.Rules.Play(state, m), known).Before(), s.Rules.FormatMove(m)
				all, values = append(all, text), values+after.Outcome.String()[:1]
				if after.Outcome == value.Outcome {
					right = append(right, text)
				}
				if after == value {
					strict = append(strict, text)
				}
			}
			steps := -1
			if p.Steps != nil {
				steps = *p.Steps
			}
			if p.Outcome != value.Outcome.String() || steps != value.Steps ||
				!slices.Equal(p.Moves, all) || p.Values != values || !slices.Equal(p.Right, right) || !slices.Equal(p.Strict, strict) {
				t.Fatalf("%s %d: %+v, want %v and %v, %v, %v", name, n, p, value, all, right, strict)
			}
		}
	}
}

// A perfect player has the full score, and a random one about what is expected.
func TestScores(t *testing.T) {
	s, splits := problemsOf(t, "tictactoe", 3, 1<<20)
	score := func(a player.Agent) (total Score) {
		s.Agent = a
		answers, err := s.Solve(t.Context(), "tictactoe-3x3", splits[0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range answers {
			total.Add(&splits[0][i], &answers[i])
		}
		return total
	}
	best := score(perfect(t, s, player.Strength{Policy: player.Shortest}))
	if best.Right.Share() != 1 || best.Strict.Share() != 1 || best.Outcomes.Good != 0 || best.Right.All == 0 || best.Right.All >= len(splits[0]) || best.Regret != 0 {
		t.Errorf("a perfect player has %+v", best)
	}
	random := score(player.Random(s.Rules))
	if difference := float64(random.Right.Good) - random.Chance; difference < -30 || difference > 30 || random.Right.Good == random.Right.All || random.Regret <= random.Right.All-random.Right.Good || random.Regret >= 2*random.Right.All {
		t.Errorf("a random player has %+v", random)
	}
}

// An evaluation names a draw only where there are draws.
func TestNearest(t *testing.T) {
	for value, want := range map[float64][2]string{-1: {"lose", "lose"}, -0.4: {"lose", "draw"}, 0.3: {"win", "draw"}, 0.8: {"win", "win"}} {
		if got := [2]string{nearest(value, false), nearest(value, true)}; got != want {
			t.Errorf("%v is near %v, want %v", value, got, want)
		}
	}
}
