package player

import (
	"errors"
	"math"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// starts is the number of random positions of each board that games begin with.
func starts() int {
	if testing.Short() {
		return 500
	}
	return 10_000
}

// value looks a position up.
func value(t testing.TB, table *probe.Table, p game.Position) probe.Value {
	t.Helper()
	v, err := table.Value(p)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOptimalKeepsTheOutcome(t *testing.T) {
	forEachBoard(t, func(t *testing.T, table *probe.Table) {
		rules, r := table.Rules(), random()
		player := begin(t, perfect(t, table, Strength{Policy: Optimal}), 1)
		for range starts() {
			p := probe.RandomOpenPosition(rules, r)
			before := value(t, table, p).Outcome
			m := move(t, rules, player, p)
			if after := value(t, table, rules.Play(p, m)).Outcome.Flip(); after != before {
				t.Fatalf("%s was a %v; %s makes it a %v", rules.Format(p), before, rules.FormatMove(m), after)
			}
		}
	})
}

// Against an opponent who plays any move, the outcome never gets worse for the optimal player,
// nor for one who sets traps, in a whole game.
func TestOptimalThroughAGame(t *testing.T) {
	forEachBoard(t, func(t *testing.T, table *probe.Table) {
		rules, r := table.Rules(), random()
		perfect := []Player{begin(t, perfect(t, table, Strength{Policy: Optimal}), 1), begin(t, perfect(t, table, Strength{Policy: Trap}), 1)}
		other := begin(t, Random(opaque(rules)), 2)
		for game := range 300 {
			positions, _ := play(t, rules, probe.RandomOpenPosition(rules, r), 60, perfect[game%2], other)
			best := value(t, table, positions[0])
			for i, p := range positions {
				v := value(t, table, p)
				if i%2 == 1 {
					v.Outcome = v.Outcome.Flip()
				}
				v.Steps, best.Steps = -1, -1
				if v.Compare(best) > 0 {
					t.Fatalf("from %s on, %v has become %v after %d plies", rules.Format(positions[0]), best, v, i)
				}
				best = v
			}
		}
	})
}

func TestShortestTakesTheStepsOfTheTable(t *testing.T) {
	forEachBoard(t, func(t *testing.T, table *probe.Table) {
		rules, r := table.Rules(), random()
		agent := perfect(t, table, Strength{Policy: Shortest})
		one, other := begin(t, agent, 1), begin(t, agent, 2)
		for range starts() {
			p := probe.RandomOpenPosition(rules, r)
			v := value(t, table, p)
			plies := v.Steps
			if v.Outcome == game.Draw {
				plies = 10 // it never ends
			}
			positions, moves := play(t, rules, p, plies+1, one, other)
			last := positions[len(positions)-1]
			_, over := rules.Terminal(last)
			switch {
			case v.Outcome == game.Draw && value(t, table, last).Outcome != game.Draw:
				t.Fatalf("%s is a draw, but play went on to %s", rules.Format(p), rules.Format(last))
			case v.Outcome != game.Draw && (!over || len(moves) != v.Steps):
				t.Fatalf("%s is a %v, but after %d plies stands %s", rules.Format(p), v, len(moves), rules.Format(last))
			}
		}
	})
}

// Trap never gives a value away, and plays any of the moves of its kind after which no reply wins at once
// and the greatest share of the replies errs, with steps and without.
func TestTrap(t *testing.T) {
	for _, steps := range []bool{true, false} {
		for _, b := range []struct {
			game string
			size int
		}{{"quixo", 3}, {"notakto", 4}, {"tictactoe", 3}} {
			table := open(t, b.game, b.size, steps)
			rules, r := table.Rules(), random()
			player, chose := begin(t, perfect(t, table, Strength{Policy: Trap}), 1), 0
			for range 250 {
				p := probe.RandomOpenPosition(rules, r)
				best, ranked, err := table.Rate(nil, p, nil)
				if err != nil {
					t.Fatal(err)
				}
				wrong := func(m probe.Rated) float64 { // after a move, of the replies; negative where one wins at once
					after := rules.Play(p, m.Move)
					v, replies, err := table.Rate(nil, after, nil)
					if err != nil {
						t.Fatal(err)
					}
					n, won := 0, 0.0
					for _, reply := range replies {
						last := rules.Play(after, reply.Move)
						if outcome, over := rules.Terminal(last); over && outcome == game.Lose {
							won = 1
						}
						if reply.Outcome.Flip() != value(t, table, last).Outcome {
							t.Fatal("a reply has another value than its position")
						}
						if reply.Outcome != v.Outcome {
							n++
						}
					}
					return float64(n)/float64(max(1, len(replies))) - won
				}
				move, at := move(t, rules, player, p), 0
				for ; ranked[at].Move != move; at++ {
				}
				if ranked[at].Value != best {
					t.Fatalf("%s is a %v; %s makes it a %v", rules.Format(p), best, rules.FormatMove(move), ranked[at].Value)
				}
				for _, m := range ranked {
					if m.Value != best || best.Outcome == game.Win {
						continue
					}
					if wrong(m) > wrong(ranked[at]) {
						t.Fatalf("%s: %s is played, after %s more replies err", rules.Format(p), rules.FormatMove(move), rules.FormatMove(m.Move))
					}
					if wrong(m) < wrong(ranked[at]) {
						chose++
					}
				}
			}
			if chose < 5 {
				t.Errorf("%v: there was a choice %d times", table.Board(), chose)
			}
		}
	}
}

// Each move that the policy allows is as frequent as any other.
func TestChoiceIsUniform(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	table := open(t, "quixo", 3, true)
	rules, r := table.Rules(), random()
	for _, policy := range []Policy{Optimal, Shortest} {
		player := begin(t, perfect(t, table, Strength{Policy: policy}), 3)
		for range 20 {
			p := probe.RandomOpenPosition(rules, r)
			best, ranked, err := table.Rate(nil, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			allowed := map[game.Move]int{}
			for _, m := range ranked {
				if m.Outcome == best.Outcome && (policy == Optimal || m.Steps == best.Steps) {
					allowed[m.Move] = 0
				}
			}
			wantUniform(t, rules, player, p, allowed)
		}
	}
}

// With an opening table, one of the winning moves to the emptiest class is played, each with the
// same probability.
func TestOptimalStaysInTheOpening(t *testing.T) {
	table, _ := probetest.Opening(t, open(t, "notakto", 4, false), 4)
	rules, r := table.Rules(), random()
	player, chosen := begin(t, perfect(t, table, Strength{Policy: Optimal}), 3), 0
	for range 400 {
		p := probe.RandomOpenPosition(rules, r)
		value, ranked, err := table.Rate(nil, p, nil)
		if err != nil || value.Outcome != game.Win {
			continue // beyond the table, or nothing to choose
		}
		class := func(m probe.Rated) int { return table.Space().Locate(rules.Play(p, m.Move)).Class }
		least := class(slices.MinFunc(ranked, func(a, b probe.Rated) int {
			return 1000*(int(a.Outcome)-int(b.Outcome)) + class(a) - class(b)
		}))
		allowed, wins := map[game.Move]int{}, 0
		for _, m := range ranked {
			if m.Outcome == game.Win {
				wins++
				if class(m) == least {
					allowed[m.Move] = 0
				}
			}
		}
		if len(allowed) < wins {
			chosen++
			wantUniform(t, rules, player, p, allowed)
		}
	}
	if chosen < 10 {
		t.Errorf("only %d positions had anything to choose", chosen)
	}
}

// wantUniform wants a player to choose each of the allowed moves, and no other, with the same
// probability.
func wantUniform[S comparable](t *testing.T, rules game.RulesOf[S], player Player, p S, allowed map[game.Move]int) {
	t.Helper()
	const each = 200
	for range each * len(allowed) {
		m := move(t, rules, player, p)
		if _, ok := allowed[m]; !ok {
			t.Fatalf("%s: %s is not among the %d right moves", rules.Format(p), rules.FormatMove(m), len(allowed))
		}
		allowed[m]++
	}
	var chi2 float64
	for _, count := range allowed {
		chi2 += float64((count-each)*(count-each)) / each
	}
	// Six standard deviations above the mean, and some for few degrees of freedom.
	freedom := float64(len(allowed) - 1)
	if chi2 > freedom+6*math.Sqrt(2*freedom)+10 {
		t.Errorf("%s: chi-square is %.1f with %d moves: %v", rules.Format(p), chi2, len(allowed), allowed)
	}
}

// A blunder is any legal move, the best one included.
func TestBlundersAreAsFrequentAsTold(t *testing.T) {
	const tries = 5_000
	table := open(t, "notakto", 4, true)
	rules := table.Rules()
	p := parse(t, rules, "X.../..../..../....")
	best, ranked, err := table.Rate(nil, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	worse := map[game.Move]bool{}
	for _, m := range ranked {
		worse[m.Move] = m.Outcome != best.Outcome
	}
	bad := 0
	for _, is := range worse {
		if is {
			bad++
		}
	}
	if bad == 0 || bad == len(ranked) {
		t.Fatalf("%d of %d moves are bad", bad, len(ranked))
	}
	for _, blunder := range []float64{0, 0.05, 0.5, 1} {
		player, seen := begin(t, perfect(t, table, Strength{Optimal, blunder}), 4), 0
		for range tries {
			if worse[move(t, rules, player, p)] {
				seen++
			}
		}
		chance := blunder * float64(bad) / float64(len(ranked))
		deviation := math.Sqrt(tries * chance * (1 - chance))
		if off := math.Abs(float64(seen) - tries*chance); off > 5*deviation {
			t.Errorf("blunder=%v: %d bad moves of %d, %.0f expected", blunder, seen, tries, tries*chance)
		}
	}
}

func TestStrengthIsChecked(t *testing.T) {
	without, with := open(t, "notakto", 3, false), open(t, "notakto", 3, true)
	if _, err := Perfect(opaque(without.Rules()), without, Strength{Policy: Shortest}); !errors.Is(err, ErrNoSteps) {
		t.Errorf("shortest without steps: %v", err)
	}
	if _, err := Perfect(opaque(without.Rules()), without, Strength{Policy: Optimal}); err != nil {
		t.Error(err)
	}
	for _, s := range []Strength{{}, {"best", 0}, {Optimal, -0.1}, {Optimal, 1.1}, {Shortest, math.NaN()}, {Shortest, math.Inf(1)}} {
		if _, err := Perfect(opaque(with.Rules()), with, s); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

func TestNamesOfStrengths(t *testing.T) {
	for want, s := range map[string]Strength{
		"optimal":               {Policy: Optimal},
		"shortest":              {Shortest, 0},
		"trap:blunder=0.1":      {Trap, 0.1},
		"optimal:blunder=0.05":  {Optimal, 0.05},
		"shortest:blunder=1":    {Shortest, 1},
		"optimal:blunder=1e-07": {Optimal, 1e-7},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v is %s, want %s", s, got, want)
		}
	}
}

// TestWinsOr gives the greedy player the winning moves: it wins every won position and
// plays all others unchanged.
func TestWinsOr(t *testing.T) {
	table := open(t, "notakto", 3, true)
	rules := opaque(table.Rules())
	helped, alone := begin(t, WinsOr(rules, table, Greedy(rules)), 3), begin(t, Greedy(rules), 3)
	random := NewRand(1)
	for range 300 {
		p := probe.RandomPosition(table.Rules(), random)
		if _, over := table.Rules().Terminal(p); over {
			continue
		}
		v, _, err := table.Rate(rules, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Move(t.Context(), helped, p)
		if err != nil {
			t.Fatal(err)
		}
		if v.Outcome == game.Win {
			if after, _, err := table.Rate(rules, rules.Play(p, m), nil); err != nil || after.Outcome != game.Lose {
				t.Fatalf("%s is won, but not after %s: %v, %v", rules.Format(p), rules.FormatMove(m), after, err)
			}
		} else if same, err := Move(t.Context(), alone, p); err != nil || m != same {
			t.Fatalf("%s is lost: %s is played, alone %s, %v", rules.Format(p), rules.FormatMove(m), rules.FormatMove(same), err)
		}
	}
}
