package endgame

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/game/gametest"
	"backsolve/internal/probe"
	"backsolve/internal/search"
)

// playedTo returns a position of a random game with a number of cells left, or the last one of
// the game.
func playedTo(t testing.TB, r game.Rules, left int, seed uint64) game.State {
	t.Helper()
	e, ok := search.NewEnding(r)
	if !ok {
		t.Fatalf("the ends of %v cannot be searched for", r.Info())
	}
	chance := search.NewRand(seed)
	return playRandomly(r, &chance, func(s game.State) bool { return e.Left(s) > left })
}

// playRandomly makes random moves from the start while more says so and there are any.
func playRandomly(r game.Rules, chance *search.Rand, more func(game.State) bool) game.State {
	s := r.Start()
	for more(s) {
		moves := r.Moves(nil, s)
		if len(moves) == 0 {
			break
		}
		s = r.Play(s, moves[chance.Below(len(moves))])
	}
	return s
}

// TestSearched compares answers near the end with a full search: outcomes, best moves first,
// and a main line that keeps the outcome to the end.
func TestSearched(t *testing.T) {
	for name, n := range map[string]int{"othello": 6, "uttt": 9} {
		r := rules(t, name, n)
		s := New(limits)
		terminal := 0
		for seed := range uint64(40) {
			p := playedTo(t, r, 7, seed)
			values := map[game.State]game.Outcome{}
			want := gametest.Value(r, p, values)
			answers, err := s.Answerer(t.Context(), r, true)
			if err != nil {
				t.Fatal(err)
			}
			a, err := answers.AskState(r, p, probe.WholeLine)
			if err != nil {
				t.Fatal(err)
			}
			if a.Outcome != want || a.Steps != -1 || answers.HasSteps() || (a.Score != probe.Number{}) != (name == "othello") {
				t.Fatalf("%s is answered as %+v, want %v", r.Format(p), a, want)
			}
			if a.Terminal {
				if terminal++; a.Source != probe.FromRules || len(a.Moves) > 0 {
					t.Errorf("%+v", a)
				}
			} else {
				checkMoves(t, r, p, a, values)
			}
			checkLine(t, r, p, a)
		}
		if terminal == 40 {
			t.Errorf("all games of %s are over too soon", name)
		}
	}
}

// checkMoves compares the moves of an answer with their values.
func checkMoves(t *testing.T, r game.Rules, p game.State, a *probe.Answer, values map[game.State]game.Outcome) {
	t.Helper()
	if a.Source != probe.FromSearch || a.Moves[0].Value != a.Value || a.Moves[0].Score != a.Score {
		t.Errorf("%+v", a)
	}
	for i, m := range a.Moves {
		move, err := r.ParseMove(p, m.Move)
		if err != nil {
			t.Fatal(err)
		}
		if want := gametest.Value(r, r.Play(p, move), values).Flip(); m.Outcome != want {
			t.Errorf("%s: %s is a %v, want %v", r.Format(p), m.Move, m.Outcome, want)
		}
		if i == 0 {
			continue
		}
		before := a.Moves[i-1]
		if c := before.Compare(m.Value); c > 0 || c == 0 && (value(before) < value(m) || before.Score == m.Score && before.Move > m.Move) {
			t.Errorf("%s: %+v comes before %+v", r.Format(p), before, m)
		}
	}
}

// value is the score of a move, 0 if there is none.
func value(m probe.Move) int {
	score, _ := m.Score.Value()
	return score
}

// checkLine plays the main line to the end, which has the outcome and score of the answer.
func checkLine(t *testing.T, r game.Rules, p game.State, a *probe.Answer) {
	t.Helper()
	s := p
	for _, ply := range a.Line.Plies {
		m, err := r.ParseMove(s, ply.Move)
		if err != nil {
			t.Fatal(err)
		}
		s = r.Play(s, m)
	}
	outcome, over := r.Terminal(s)
	ending, _ := search.NewEnding(r)
	score := ending.Score(s)
	if r.Turn(s) != r.Turn(p) {
		outcome, score = outcome.Flip(), -score
	}
	if want, scored := a.Score.Value(); !over || outcome != a.Outcome || scored && score != want {
		t.Errorf("%s: the line leads to %s, a %v with %d, over: %t; want %v with %v", r.Format(p), r.Format(s), outcome, score, over, a.Outcome, a.Score)
	}
}

// TestSearchedWithinLimits refuses searches that take too long, before or at the timeout, and
// searches with little memory.
func TestSearchedWithinLimits(t *testing.T) {
	for name, n := range map[string]int{"othello": 8, "uttt": 9} {
		r := rules(t, name, n)
		for _, l := range []Limits{{Timeout: time.Second, Threads: 1}, {Timeout: time.Second, Threads: 8}} {
			_, err := ask(t, New(l), r, r.Format(r.Start()), false)
			var tooMuch *LimitError
			if !errors.As(err, &tooMuch) || !errors.Is(err, probe.ErrUnknown) || !strings.Contains(err.Error(), "more than allowed: 1s") {
				t.Errorf("%s at its start: %v", name, err)
			}
		}
		p := playedTo(t, r, 8, 1)
		want, err := ask(t, New(limits), r, r.Format(p), false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ask(t, New(Limits{Timeout: time.Hour, Memory: 1 << 10, Threads: 2}), r, r.Format(p), false)
		if err != nil || got.Value != want.Value || got.Score != want.Score {
			t.Errorf("%s: %+v, %v with little memory, else %+v", name, got, err, want)
		}
		a, err := New(limits).Answerer(cancelled(), r, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.AskState(r, p, probe.NoLine); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// cancelled returns a cancelled context.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
