package arena

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe"
)

// plainAccuracy counts right moves with nothing but lookups.
func plainAccuracy(t *testing.T, e *Exam) (lenient, strict int) {
	t.Helper()
	rules := e.Table.Rules()
	value := func(p game.Position) probe.Value {
		v, err := e.Table.Value(p)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i := range e.States {
		p := probe.RandomOpenPosition(rules, player.NewRand(Seed(e.Seed, i, 0)))
		a, err := e.Agent.Begin(Seed(e.Seed, i, 1))
		if err != nil {
			t.Fatal(err)
		}
		m, err := player.Move(t.Context(), a, p)
		if err != nil {
			t.Fatal(err)
		}
		before, after := value(p), value(rules.Play(p, m))
		if after.Outcome.Flip() == before.Outcome {
			lenient++
			if before.Outcome == game.Draw || before.Steps == after.Steps+1 {
				strict++
			}
		}
	}
	return lenient, strict
}

func TestAccuracy(t *testing.T) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"notakto", 4}} {
		table := solve(t, board.name, board.n, true)
		for _, agent := range []player.Agent{
			player.Random(opaque(table.Rules())), player.Greedy(opaque(table.Rules())),
			perfect(t, table, player.Strength{Policy: player.Optimal}), perfect(t, table, player.Strength{Policy: player.Shortest}),
		} {
			e := Exam{Table: table, Agent: agent, States: 400, Seed: 5, Threads: 1}
			reports := 0
			a, err := e.Take(t.Context(), func() { reports++ })
			if err != nil {
				t.Fatal(err)
			}
			lenient, strict := plainAccuracy(t, &e)
			if a.States != 400 || reports != 400 || a.Failures != 0 || a.Lenient != lenient || a.Strict != strict || a.Strict > a.Lenient {
				t.Errorf("%s, %s: %+v after %d reports, want %d and %d", board.name, agent.Name(), a, reports, lenient, strict)
			}
			if agent.Name() != "random" && agent.Name() != "greedy" && a.Lenient != 400 || agent.Name() == "shortest" && a.Strict != 400 {
				t.Errorf("%s, %s: %+v", board.name, agent.Name(), a)
			}
			e.Threads = 5
			again, err := e.Take(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			again.Thinking = a.Thinking
			if !reflect.DeepEqual(a, again) {
				t.Errorf("with 5 threads: got %+v\nwant %+v", again, a)
			}
		}
	}
}

// Without steps nothing is known of the strict accuracy, and who has no legal move
// to offer is wrong.
func TestAccuracyOfFailures(t *testing.T) {
	table := solve(t, "notakto", 3, false)
	rules := opaque(table.Rules())
	e := Exam{Table: table, States: 50, Threads: 2}
	e.Agent = &fake{name: "outside", move: func(_ context.Context, seed uint64, _ int, p game.State) (game.Move, error) {
		if seed == Seed(e.Seed, 0, 1) {
			return rules.Moves(nil, p)[0], nil
		}
		return game.Move{From: 9, To: 9}, nil
	}}
	a, err := e.Take(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Strict != -1 || a.Lenient > 1 || a.Failures != 49 || !strings.HasPrefix(a.Failure, "its move of the numbers 9 and 9 is not a move of the game, in ") {
		t.Errorf("%+v", a)
	}
}

// An agent without a move in the first position cannot take an exam.
func TestAccuracyOfNobody(t *testing.T) {
	table := solve(t, "notakto", 3, false)
	broken := func(context.Context, game.State) (game.Move, error) { return game.Move{}, errBroken }
	for _, agent := range []player.Agent{&fake{name: "bad", begin: errBroken}, failing("bad", opaque(table.Rules()), 0, broken)} {
		e := Exam{Table: table, Agent: agent, States: 50, Threads: 2}
		var unable *UnableError
		if _, err := e.Take(t.Context(), nil); !errors.As(err, &unable) || !errors.Is(err, errBroken) || err.Error() != "bad cannot play: it is broken" {
			t.Errorf("%v", err)
		}
	}
}

func TestExamEndsWithItsContext(t *testing.T) {
	table := solve(t, "notakto", 3, false)
	ctx, cancel := context.WithCancelCause(t.Context())
	e := Exam{Table: table, Agent: player.Random(opaque(table.Rules())), States: 1000, Threads: 2}
	if _, err := e.Take(ctx, func() { cancel(errBroken) }); err != errBroken {
		t.Errorf("%v", err)
	}
}
