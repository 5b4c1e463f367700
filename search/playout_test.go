package search

import (
	"backsolve/game"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// shares returns how many of so many playouts have each outcome.
func shares(rules Rules[Masks], s Masks, seed uint64, number int) [3]float64 {
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
			for outcome := range got {
				if d := math.Abs(got[outcome] - want[outcome]); d > 6*math.Sqrt(got[outcome]+want[outcome]+1) {
					t.Errorf("%s: of %d playouts %v are fast, %v are plain", text, number, got, want)
				}
			}
		}
	})
}

// exact returns the probability of each outcome within so many plies, more than
// but a few games have, when all moves are random.
func exact(rules Rules[Masks], s Masks, plies int, memo map[[3]uint64][3]float64) [3]float64 {
	if outcome, over := rules.Terminal(s); over {
		var p [3]float64
		p[outcome] = 1
		return p
	}
	if plies == 0 {
		return [3]float64{game.Draw: 1}
	}
	key := [3]uint64{s.Mover, s.Waiting, uint64(plies)}
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
			want := exact(Plain(rules), Masks{}, board.plies, map[[3]uint64][3]float64{})
			ways := []Rules[Masks]{New(rules)}
			if board.name == "quixo" {
				ways = append(ways, newWide(rules)) // that of larger boards
			}
			const number = 200_000
			for _, fast := range ways {
				got := shares(fast, Masks{}, 1, number)
				for outcome := range got {
					deviation := math.Sqrt(want[outcome] * (1 - want[outcome]) / number)
					if d := math.Abs(got[outcome]/number - want[outcome]); d > 6*deviation+1e-6 {
						t.Errorf("%T: %v in %v of playouts, %v worked out", fast, game.Outcome(outcome), got[outcome]/number, want[outcome])
					}
				}
			}
		})
	}
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
}

// noLines is a game in which nobody wins, with one move.
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
