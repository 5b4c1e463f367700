package search

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/gametest"
	"backsolve/game/notakto"
)

// shares returns the counts of each outcome in a number of playouts.
func shares[S comparable](rules Rules[S], s S, seed uint64, number int) [3]float64 {
	r := NewRand(seed)
	var counts [3]float64
	for range number {
		counts[rules.Playout(s, &r)]++
	}
	return counts
}

// TestPlayoutDistribution compares the outcomes of fast and plain playouts. Two
// counts of one distribution differ by less than six standard deviations.
func TestPlayoutDistribution(t *testing.T) {
	everyBoard(t, func(t *testing.T, rules game.Grid) {
		fast, plain := New(rules), Plain(rules)
		number := 60_000 / rules.Size() / rules.Size()
		if testing.Short() {
			number /= 10
		}
		for _, text := range []string{rules.Format(rules.Start()), rules.Example()} {
			p, err := rules.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			got := shares(fast, MasksOf(p), 1, number)
			want := shares(plain, MasksOf(p), 2, number)
			if !alike(got, want) {
				t.Errorf("%s: of %d playouts %v are fast, %v are plain", text, number, got, want)
			}
		}
	})
}

// alike reports whether counts may well come from one distribution.
func alike(a, b [3]float64) bool {
	for outcome := range a {
		if math.Abs(a[outcome]-b[outcome]) > 6*math.Sqrt(a[outcome]+b[outcome]+1) {
			return false
		}
	}
	return true
}

// TestOpaquePlayoutDistribution compares the outcomes of playouts by opaque rules, for both kinds
// of Notakto's states, with the board's own core.
func TestOpaquePlayoutDistribution(t *testing.T) {
	const n, number = 5, 4000
	grid := newRules(t, "notakto", n)
	want := shares(New(grid), Masks{}, 1, number)
	for seed, rules := range []game.Rules{game.Opaque[game.Position](grid), game.Opaque[notakto.Wide](notakto.NewWide(n))} {
		if got := shares(Opaque(rules), rules.Start(), uint64(seed+2), number); !alike(got, want) {
			t.Errorf("of %d playouts %v, and %v by the core", number, got, want)
		}
	}
}

// exact returns the probability of each outcome within the given number of plies, more than
// but a few games have, when all moves are random.
func exact[S comparable](rules Rules[S], s S, plies int, memo map[stateWithin[S]][3]float64) [3]float64 {
	if outcome, over := rules.Terminal(s); over {
		var p [3]float64
		p[outcome] = 1
		return p
	}
	if plies == 0 {
		return [3]float64{game.Draw: 1}
	}
	key := stateWithin[S]{s, plies}
	if p, ok := memo[key]; ok {
		return p
	}
	var p [3]float64
	moves := rules.Moves(nil, s)
	for _, m := range moves {
		child := exact(rules, rules.Play(s, m), plies-1, memo)
		for outcome := range child {
			p[game.Outcome(outcome).Flip()] += child[outcome] / float64(len(moves))
		}
	}
	memo[key] = p
	return p
}

// stateWithin is a state with the plies that are left.
type stateWithin[S comparable] struct {
	state S
	plies int
}

// TestPlayoutIsUniform compares playouts with the probabilities worked out: a
// thing that two wrong ways of drawing moves would not both pass.
func TestPlayoutIsUniform(t *testing.T) {
	for _, board := range []struct {
		name  string
		n     int
		plies int
	}{{"quixo", 2, 20}, {"quixo", 3, 30}, {"notakto", 3, 9}, {"notakto", 4, 16}} {
		t.Run(fmt.Sprintf("%s-%dx%d", board.name, board.n, board.n), func(t *testing.T) {
			if testing.Short() && board.name == "quixo" && board.n == 3 {
				t.Skip("working it out takes long under the race detector")
			}
			rules := newRules(t, board.name, board.n)
			want := exact(Plain(rules), Masks{}, board.plies, map[stateWithin[Masks]][3]float64{})
			ways := []Rules[Masks]{New(rules)}
			if board.name == "quixo" {
				ways = append(ways, newWide(rules)) // that of larger boards
			}
			for _, fast := range ways {
				checkShares(t, fast, Masks{}, 200_000, want)
			}
		})
	}
}

// checkShares compares playouts with the probabilities worked out.
func checkShares[S comparable](t *testing.T, rules Rules[S], s S, number int, want [3]float64) {
	t.Helper()
	got := shares(rules, s, 1, number)
	for outcome, p := range want {
		share, deviation := got[outcome]/float64(number), math.Sqrt(p*(1-p)/float64(number))
		if math.Abs(share-p) > 6*deviation+1e-6 {
			t.Errorf("%T: %v in %v of playouts, %v worked out", rules, game.Outcome(outcome), share, p)
		}
	}
}

// TestOpaquePlayoutIsUniform plays a game that has passes and draws.
func TestOpaquePlayoutIsUniform(t *testing.T) {
	rules := gametest.NewStrip(7)
	core := Opaque(rules)
	want := exact(core, rules.Start(), 20, map[stateWithin[game.State]][3]float64{})
	if min(want[game.Win], want[game.Draw], want[game.Lose]) < 0.05 {
		t.Fatalf("too rare an outcome: %v", want)
	}
	checkShares(t, core, rules.Start(), 20_000, want)
}

// TestTooLong plays on boards without lines, where no game ends.
func TestTooLong(t *testing.T) {
	packed, wide := newPacked(newRules(t, "quixo", 5)), newWide(newRules(t, "quixo", 8))
	packed.bothLines, wide.lines = lines{}, lines{}
	endless := Plain(noLines{newRules(t, "quixo", 8)})
	for name, rules := range map[string]Rules[Masks]{"packed": packed, "wide": wide, "plain": endless} {
		r := NewRand(1)
		if got := rules.Playout(Masks{}, &r); got != game.Draw {
			t.Errorf("%s: a game without an end is a %v", name, got)
		}
	}
	opaque, r := game.Opaque[game.Position](noLines{newRules(t, "quixo", 8)}), NewRand(1)
	if got := Opaque(opaque).Playout(opaque.Start(), &r); got != game.Draw {
		t.Errorf("opaque: a game without an end is a %v", got)
	}
}

// noLines is a drawn game with one move.
type noLines struct{ game.Grid }

func (noLines) Moves(buf []game.Move, _ game.Position) []game.Move {
	return append(buf, game.Move{From: 0, To: 7})
}

func (noLines) Terminal(game.Position) (game.Outcome, bool) { return game.Draw, false }

// TestPlayoutsEnd looks at the longest playouts that there are.
func TestPlayoutsEnd(t *testing.T) {
	fast := New(newRules(t, "quixo", 8))
	if got := shares(fast, Masks{}, 3, 2000); got[game.Draw] != 0 {
		t.Errorf("%v of 2,000 playouts on 8×8 did not end", got[game.Draw])
	}
}

func TestBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(t, "n")
		r := NewRand(rapid.Uint64().Draw(t, "seed"))
		counts := make([]float64, n)
		const each = 400
		for range n * each {
			counts[r.Below(n)]++
		}
		for i, c := range counts {
			if math.Abs(c-each) > 8*math.Sqrt(each) {
				t.Fatalf("of %d numbers below %d, %v are %d", n*each, n, c, i)
			}
		}
	})
}
