package arena

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
)

// firstMove returns the agent that always plays the first legal move.
func firstMove(rules game.Rules) *fake {
	return failing("first", rules, 1<<30, nil)
}

// On 3×3 the first legal cells are a1, a2, a3: the third move completes the column.
func TestPlayToTheEnd(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	g := Game{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{firstMove(rules), firstMove(rules)}, Turns: 5}
	d, err := g.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var moves []string
	for _, m := range d.Moves {
		moves = append(moves, rules.FormatMove(m))
	}
	if got := strings.Join(moves, " "); got != "a1 a2 a3" || d.Result != SecondWins || d.Reason != ByRules || d.Failure != "" {
		t.Errorf("%s: %+v", got, d)
	}
	if len(d.Times) != 3 {
		t.Errorf("%d times of 3 moves", len(d.Times))
	}
}

// A turn is a move of each side; a game that ends with the last ply of the last
// turn is no draw.
func TestTurnLimit(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	start, err := rules.Parse("X../.../...")
	if err != nil {
		t.Fatal(err)
	}
	for _, turns := range []int{1, 2} {
		// a1 and then a2 complete the first column: the second player loses.
		g := Game{Rules: rules, Start: start, Agents: [2]player.Agent{firstMove(rules), firstMove(rules)}, Turns: turns}
		d, err := g.Play(t.Context())
		if err != nil || len(d.Moves) != 2 || d.Result != FirstWins || d.Reason != ByRules {
			t.Errorf("%d turns: %+v, %v", turns, d, err)
		}
	}
	g := Game{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{firstMove(rules), firstMove(rules)}, Turns: 1}
	if d, err := g.Play(t.Context()); err != nil || len(d.Moves) != 2 || d.Result != Drawn || d.Reason != ByTurns {
		t.Errorf("%+v, %v", d, err)
	}
}

// A player that returns no legal move loses, and the record gives the reason.
func TestFailures(t *testing.T) {
	rules := newRules(t, "notakto", 4)
	start, err := rules.Parse("...X/..../..../....")
	if err != nil {
		t.Fatal(err)
	}
	broken := func(context.Context, game.State) (game.Move, error) { return game.Move{}, errBroken }
	marked := func(context.Context, game.State) (game.Move, error) { return game.Move{From: 3, To: 3}, nil }
	outside := func(context.Context, game.State) (game.Move, error) { return game.Move{From: 200, To: 201}, nil }
	for _, c := range []struct {
		name    string
		agent   *fake
		side    int
		plies   int
		failure string
	}{
		{"error at once", failing("bad", rules, 0, broken), 0, 0, "it is broken"},
		{"error later", failing("bad", rules, 1, broken), 1, 3, "it is broken"},
		{"illegal", failing("bad", rules, 0, marked), 1, 1, "its move d4 is not legal in ...X/..../..../X..."},
		{"outside", failing("bad", rules, 0, outside), 0, 0, "its move of the numbers 200 and 201 is not a move of the game, in ...X/..../..../...."},
		{"no begin", &fake{name: "bad", begin: errBroken}, 1, 0, "it cannot begin: it is broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := Game{Rules: rules, Start: start, Turns: 5}
			g.Agents[c.side], g.Agents[1-c.side] = c.agent, firstMove(rules)
			d, err := g.Play(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d.Result != winFor(1-c.side) || d.Reason != ByFailure || d.Failure != c.failure || len(d.Moves) != c.plies {
				t.Errorf("%+v", d)
			}
		})
	}
}

// An agent that never moves is not the end of a game, but its context is.
func TestGameEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := newRules(t, "notakto", 3)
		waits := failing("waits", rules, 0, func(ctx context.Context, _ game.State) (game.Move, error) {
			<-ctx.Done()
			return game.Move{}, context.Cause(ctx)
		})
		reason := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, reason)
		defer cancel()
		g := Game{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{waits, waits}, Turns: 5}
		if d, err := g.Play(ctx); err != reason {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// Each move is timed, even one that never comes.
func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := newRules(t, "notakto", 3)
		slow := &fake{name: "slow", move: func(_ context.Context, _ uint64, number int, p game.State) (game.Move, error) {
			time.Sleep(time.Duration(number+1) * time.Second)
			return rules.Moves(nil, p)[0], nil
		}}
		breaks := &fake{name: "breaks", move: func(_ context.Context, seed uint64, _ int, p game.State) (game.Move, error) {
			if seed == Seed(0, 2, 1) || seed == Seed(0, 3, 0) {
				time.Sleep(7 * time.Second)
				return game.Move{}, errBroken
			}
			return rules.Moves(nil, p)[0], nil
		}}
		m := Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{slow, breaks}, Games: 4, Turns: 5, Threads: 1}
		s, err := m.Play(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		// Two games of three moves; A moves once and B fails; then B fails at once.
		if s.Thinking != [2]time.Duration{5 * time.Second, 14 * time.Second} || s.Moves != [2]int{4, 5} || s.Failures != [2]int{0, 2} {
			t.Errorf("%+v", s)
		}
	})
}
