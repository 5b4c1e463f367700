package qlearning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/progress"
	"backsolve/internal/search"
)

func newRules(t testing.TB, name string, n int) game.Grid {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func opaque(rules game.Grid) game.Rules { return game.Opaque[game.Position](rules) }

func train(t testing.TB, rules game.Grid, o Options) *Weights {
	t.Helper()
	w, err := Train(t.Context(), rules, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newAgent(t testing.TB, rules game.Grid, w *Weights) player.Agent {
	t.Helper()
	a, err := New(opaque(rules), w)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDefaultOptions(t *testing.T) {
	want := Options{Games: 7, Seed: 9, Epsilon: 0.01, Alpha: 0.5, Decay: 0.9995, Gamma: 0.99999, Noise: 0.000001}
	if got := DefaultOptions(7, 9); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
}

func TestOptions(t *testing.T) {
	rules := newRules(t, "quixo", 2)
	change := func(set func(o *Options)) Options {
		o := DefaultOptions(1, 1)
		set(&o)
		return o
	}
	for want, o := range map[string]Options{
		"0 is not a number of games":                        change(func(o *Options) { o.Games = 0 }),
		"epsilon is 1.5; give a number from 0 to 1":         change(func(o *Options) { o.Epsilon = 1.5 }),
		"alpha is 0; give a number above 0 and not above 1": change(func(o *Options) { o.Alpha = 0 }),
		"alpha is NaN; give a number above 0":               change(func(o *Options) { o.Alpha = math.NaN() }),
		"decay is 1.01; give a number above 0":              change(func(o *Options) { o.Decay = 1.01 }),
		"gamma is -1; give a number from 0 to 1":            change(func(o *Options) { o.Gamma = -1 }),
		"noise is +Inf; give a number from 0 to 1":          change(func(o *Options) { o.Noise = math.Inf(1) }),
	} {
		if _, err := Train(t.Context(), rules, o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v gives %v, not %s", o, err, want)
		}
	}
}

// TestSeed learns the same with the same seed, and something else with another.
func TestSeed(t *testing.T) {
	for _, g := range games.All() {
		n := max(3, g.MinSize)
		if _, ok := game.GridOf(g.New(n)); !ok {
			continue // positions are not drawn, nor has it the features
		}
		rules := newRules(t, g.Name, n)
		first := train(t, rules, DefaultOptions(50, 1))
		if again := train(t, rules, DefaultOptions(50, 1)); !slices.Equal(first.Values, again.Values) {
			t.Errorf("%s: the same seed gives other weights", g.Name)
		}
		if other := train(t, rules, DefaultOptions(50, 2)); slices.Equal(first.Values, other.Values) {
			t.Errorf("%s: another seed gives the same weights", g.Name)
		}
	}
}

func TestProgress(t *testing.T) {
	var calls []string
	_, err := Train(t.Context(), newRules(t, "quixo", 3), DefaultOptions(3, 1), func(e progress.Event) {
		calls = append(calls, fmt.Sprint(e.Done, "/", e.Total))
	})
	if want := []string{"1/3", "2/3", "3/3"}; err != nil || !slices.Equal(calls, want) {
		t.Errorf("%v, %v", calls, err)
	}
}

func TestCancel(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	games := uint64(0)
	_, err := Train(ctx, newRules(t, "quixo", 3), DefaultOptions(1_000_000_000, 1), func(e progress.Event) {
		if games = e.Done; games == 5 {
			cancel(cause)
		}
	})
	if !errors.Is(err, cause) || games != 5 {
		t.Errorf("after %d games: %v", games, err)
	}
}

// TestLearnByHand follows one step on Quixo 2×2, where a feature is the share of
// two or four cells over √15.
func TestLearnByHand(t *testing.T) {
	l := learnerOf(newRules(t, "quixo", 2), DefaultOptions(1, 1))
	after := search.Masks{Mover: 0b0100, Waiting: 0b0001} // the maker has a2, the opponent a1
	l.learn(after, 0.5, 1)                                // the value is 0
	full := 0.5 / math.Sqrt(15)                           // a constant's step
	// constant; all; rows from the top; columns from the left; diagonals a2-b1, b2-a1
	want := []float64{1, .25, .25, .5, 0, 0, .5, .5, .5, 0, 0, .5, 0, 0, .5}
	for i, w := range want {
		if math.Abs(l.weights[i]-w*full) > 1e-12 {
			t.Errorf("weight %d is %v, want %v", i, l.weights[i], w*full)
		}
	}
	var squares float64
	for _, w := range want {
		squares += w * w / 15
	}
	if got := l.value(after); math.Abs(got-0.5*squares) > 1e-12 {
		t.Errorf("the value is then %v, want %v", got, 0.5*squares)
	}
}

func learnerOf(rules game.Grid, o Options) *learner {
	return &learner{newValuer(rules, o, player.NewRand(o.Seed)), rules, o}
}

// TestLearnsForcedGame plays Notakto 2×2 from one mark: every remaining move completes a line. So
// the value of a second mark must become a loss's, and that of a first mark a win's.
func TestLearnsForcedGame(t *testing.T) {
	o := DefaultOptions(20_000, 1)
	o.Epsilon, o.Decay = 1, 1 // so that each move is made, and learned from, often
	rules := newRules(t, "notakto", 2)
	l := learnerOf(rules, o)
	copy(l.weights, train(t, rules, o).Values)
	for cell := range 4 {
		if value := l.value(search.Masks{Mover: 1 << cell}); math.Abs(value-1) > 0.01 {
			t.Errorf("marking cell %d first is worth %v, and wins", cell, value)
		}
		for second := range cell {
			if value := l.value(search.Masks{Mover: 1<<cell | 1<<second}); math.Abs(value+1) > 0.01 {
				t.Errorf("marking cells %d and %d is worth %v, and loses", cell, second, value)
			}
		}
	}
}

// TestStarts begins in random states of which none is over.
func TestStarts(t *testing.T) {
	for _, g := range games.All() {
		for _, n := range g.Sizes() {
			if _, ok := game.GridOf(g.New(n)); !ok || n > 6 {
				continue
			}
			l := learnerOf(newRules(t, g.Name, n), DefaultOptions(1, 1))
			starts := map[search.Masks]bool{}
			for range 200 {
				s := l.start()
				if _, over := l.core.Terminal(s); over {
					t.Fatalf("%s %d×%d: a game begins in %v", g.Name, n, n, s)
				}
				starts[s] = true
			}
			if n >= 3 && len(starts) < 20 {
				t.Errorf("%s %d×%d: 200 games begin in %d states", g.Name, n, n, len(starts))
			}
		}
	}
}

// TestEpsilon plays a random move as often as is wanted.
func TestEpsilon(t *testing.T) {
	o := DefaultOptions(1, 1)
	o.Epsilon, o.Noise = 0.25, 0
	l := learnerOf(newRules(t, "quixo", 3), o)
	s := search.Masks{}
	moves := len(l.core.Moves(nil, s))
	greedy, _ := l.best(s)
	const number = 20_000
	others := 0
	for range number {
		if l.choose(s) != greedy {
			others++
		}
	}
	want := 0.25 * float64(moves-1) / float64(moves) * number
	if math.Abs(float64(others)-want) > 6*math.Sqrt(want) {
		t.Errorf("of %d moves %d are not greedy; they should be some %.0f", number, others, want)
	}
}

// TestLearnsToPlay wins clearly more games against random moves than it loses.
func TestLearnsToPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	rules := newRules(t, "quixo", 4)
	a := newAgent(t, rules, train(t, rules, DefaultOptions(2000, 1)))
	won, lost := 0, 0
	for number := range 200 {
		switch againstRandom(t, rules, a, number) {
		case game.Win:
			won++
		case game.Lose:
			lost++
		}
	}
	t.Logf("%d won, %d lost", won, lost)
	if won < 3*lost || won < 100 {
		t.Errorf("%d won, %d lost", won, lost)
	}
}

// againstRandom plays a game of an agent against random moves, every other one begun by these,
// and returns the outcome for the agent.
func againstRandom(t *testing.T, rules game.Grid, a player.Agent, number int) game.Outcome {
	p, err := a.Begin(uint64(number))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r := search.NewRand(uint64(number))
	position := rules.Start()
	for ply := range 200 {
		agents := (number+ply)%2 == 0
		if outcome, over := rules.Terminal(position); over {
			if agents {
				return outcome
			}
			return outcome.Flip()
		}
		moves := rules.Moves(nil, position)
		m := moves[r.Below(len(moves))]
		if agents {
			if m, err = player.Move(t.Context(), p, position); err != nil {
				t.Fatal(err)
			}
		}
		position = rules.Play(position, m)
	}
	return game.Draw
}

// BenchmarkTrain trains for games of Quixo and Notakto.
func BenchmarkTrain(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"quixo", 4}, {"quixo", 5}, {"notakto", 4}, {"notakto", 6}} {
		b.Run(fmt.Sprintf("%s-%dx%d", board.name, board.n, board.n), func(b *testing.B) {
			l := learnerOf(newRules(b, board.name, board.n), DefaultOptions(1, 1))
			for b.Loop() {
				l.playGame(0.01)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
		})
	}
}

// Boards that are not square have no features.
func TestTrainRefusesOtherBoards(t *testing.T) {
	rules := newRules(t, "quixo", int(game.Sized(2, 3, 0, 0)))
	if _, err := Train(t.Context(), rules, DefaultOptions(1, 1), nil); err == nil || !strings.Contains(err.Error(), "quixo 2×3 is not") {
		t.Error(err)
	}
}
