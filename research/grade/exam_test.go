package grade

import (
	"context"
	"errors"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/internal/probe"
)

// plainMarks counts right moves with nothing but lookups.
func plainMarks(t *testing.T, a *Subject, states int) (lenient, strict int) {
	t.Helper()
	table := a.Answers.(*probe.Table)
	value := func(p game.Position) probe.Value {
		v, err := table.Value(p)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i := range states {
		p := probe.RandomOpenPosition(table.Rules(), player.NewRand(arena.Seed(a.Seed, i, 0)))
		m, err := a.move(t.Context(), p, arena.Seed(a.Seed, i, 1))
		if err != nil {
			t.Fatal(err)
		}
		before, after := value(p), value(table.Rules().Play(p, m))
		if after.Outcome.Flip() == before.Outcome {
			lenient++
			if before.Outcome == game.Draw || before.Steps == after.Steps+1 {
				strict++
			}
		}
	}
	return lenient, strict
}

func TestExam(t *testing.T) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"notakto", 4}} {
		a := newSubject(t, board.name, board.n, true)
		for _, agent := range []player.Agent{
			player.Random(a.Rules), player.Greedy(a.Rules),
			perfect(t, a, player.Strength{Policy: player.Optimal}), perfect(t, a, player.Strength{Policy: player.Shortest}),
		} {
			a.Agent, a.Threads = agent, 1
			reports := 0
			got, err := a.Exam(t.Context(), 400, func() { reports++ })
			if err != nil {
				t.Fatal(err)
			}
			lenient, strict := plainMarks(t, a, 400)
			if got.States != 400 || reports != 400 || got.Failures != 0 || got.Lenient != lenient || got.Strict != strict || got.Strict > got.Lenient {
				t.Errorf("%s, %s: %+v after %d reports, want %d and %d", board.name, agent.Name(), got, reports, lenient, strict)
			}
			if agent.Name() != "random" && agent.Name() != "greedy" && got.Lenient != 400 || agent.Name() == "shortest" && got.Strict != 400 {
				t.Errorf("%s, %s: %+v", board.name, agent.Name(), got)
			}
			a.Threads = 5
			again, err := a.Exam(t.Context(), 400, nil)
			if err != nil {
				t.Fatal(err)
			}
			if again.Thinking = got.Thinking; *got != *again {
				t.Errorf("with 5 threads: got %+v\nwant %+v", again, got)
			}
		}
	}
}

// asked is an agent that a function plays.
type asked func(seed uint64, s game.State) (game.Move, error)

func (asked) Name() string                               { return "asked" }
func (a asked) Begin(seed uint64) (player.Player, error) { return askedPlayer{a, seed}, nil }

type askedPlayer struct {
	of   asked
	seed uint64
}

func (p askedPlayer) Think(_ context.Context, s game.State, _ *player.Search) (game.Move, error) {
	return p.of(p.seed, s)
}
func (askedPlayer) Close() error { return nil }

// Without steps the strict accuracy is unknown, and an agent without a legal move is wrong.
func TestExamOfFailures(t *testing.T) {
	a := newSubject(t, "notakto", 3, false)
	a.Agent = asked(func(seed uint64, s game.State) (game.Move, error) {
		if seed == arena.Seed(a.Seed, 0, 1) {
			return a.Rules.Moves(nil, s)[0], nil
		}
		return game.Move{From: 9, To: 9}, nil
	})
	got, err := a.Exam(t.Context(), 50, nil)
	if err != nil || got.Strict != -1 || got.Lenient > 1 || got.Failures != 49 {
		t.Errorf("%+v, %v", got, err)
	}
}

// An agent without a move in the first position cannot take an exam.
func TestExamOfNobody(t *testing.T) {
	a := newSubject(t, "notakto", 3, false)
	broken := errors.New("it is broken")
	a.Agent = asked(func(uint64, game.State) (game.Move, error) { return game.Move{}, broken })
	var unable *arena.UnableError
	if _, err := a.Exam(t.Context(), 50, nil); !errors.As(err, &unable) || !errors.Is(err, broken) || err.Error() != "asked cannot play: it is broken" {
		t.Errorf("%v", err)
	}
}

func TestExamEndsWithItsContext(t *testing.T) {
	a := newSubject(t, "notakto", 3, false)
	ctx, cancel := context.WithCancelCause(t.Context())
	a.Agent = player.Random(a.Rules)
	broken := errors.New("it is broken")
	if _, err := a.Exam(ctx, 1000, func() { cancel(broken) }); err != broken {
		t.Errorf("%v", err)
	}
}
