package search

import (
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
)

// perft counts the lines of play to a depth in plies.
func perft[S comparable](core Rules[S], s S, plies int) int {
	if plies == 0 {
		return 1
	}
	lines := 0
	for _, m := range core.Moves(nil, s) {
		lines += perft(core, core.Play(s, m), plies-1)
	}
	return lines
}

// The numbers of lines of play on 8×8 are well known; on the other boards they come from the
// rules, which find flipped discs in another way.
func TestPerftOfOthello(t *testing.T) {
	rules := newRules(t, "othello", 8)
	core := New(rules)
	for plies, want := range []int{1, 4, 12, 56, 244, 1396, 8200, 55092, 390216} {
		if got := perft(core, MasksOf(rules.Start()), plies); got != want {
			t.Errorf("%d plies: %d lines, want %d", plies, got, want)
		}
	}
	for n, most := range map[int]int{4: 9, 6: 7} {
		rules := newRules(t, "othello", n)
		for plies := range most {
			s := MasksOf(rules.Start())
			if got, want := perft(New(rules), s, plies), perft(Plain(rules), s, plies); got != want {
				t.Errorf("%d×%d, %d plies: %d lines, by the rules %d", n, n, plies, got, want)
			}
		}
	}
}

// drawOthello draws a state that a game has reached after some plies.
func drawOthello(t *rapid.T, core Rules[Masks], start Masks, most int) Masks {
	s := start
	for range rapid.IntRange(0, most).Draw(t, "plies") {
		moves := core.Moves(nil, s)
		if len(moves) == 0 {
			break
		}
		s = core.Play(s, rapid.SampledFrom(moves).Draw(t, "move"))
	}
	return s
}

// States from games, whose rows of discs are longer than in random boards.
func TestGamesOfOthello(t *testing.T) {
	for _, n := range []int{4, 6, 8} {
		rules := newRules(t, "othello", n)
		fast, plain := New(rules), Plain(rules)
		rapid.Check(t, func(t *rapid.T) {
			compare(t, fast, plain, drawOthello(t, fast, MasksOf(rules.Start()), n*n))
		})
	}
}

// slowWeighted is a weighted playout by the plain rules, with weights from the text of
// the moves.
func slowWeighted(rules game.Grid, s Masks, r *Rand) game.Outcome {
	core := Plain(rules)
	last := string(rune('0' + rules.Size()))
	toEdge := func(at string) int { // how many of the two coordinates are on an edge
		return count(at[:1] == "a" || at[0] == 'a'+byte(rules.Size()-1)) + count(at[1:] == "1" || at[1:] == last)
	}
	beside := func(at string) int { // how many are beside one
		return count(at[0] == 'b' || at[0] == 'a'+byte(rules.Size()-2)) + count(at[1] == '2' || at[1] == '0'+byte(rules.Size()-1))
	}
	weigh := func(m game.Move) int {
		at := rules.FormatMove(m)
		switch edges, besides := toEdge(at), beside(at); {
		case m == game.Pass:
			return 1
		case edges == 2:
			return 16
		case edges == 1 && besides == 1:
			return 2
		case besides == 2:
			return 1
		case edges == 1:
			return 6
		}
		return 4
	}
	return slowPlayout(core, s, weigh, r)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// slowPlayout is a playout in which a move is drawn from as many tickets as it weighs.
func slowPlayout[S comparable](core Rules[S], s S, weigh func(m game.Move) int, r *Rand) game.Outcome {
	for ply := 0; ; ply++ {
		if outcome, over := core.Terminal(s); over {
			return asAtStart(outcome, ply)
		}
		var tickets []game.Move
		for _, m := range core.Moves(nil, s) {
			for range weigh(m) {
				tickets = append(tickets, m)
			}
		}
		s = core.Play(s, tickets[r.Below(len(tickets))])
	}
}

func TestWeightedPlayoutOfOthello(t *testing.T) {
	for n, number := range map[int]int{4: 6000, 6: 2000, 8: 600} {
		rules := newRules(t, "othello", n)
		core, s := New(rules).(Weighted[Masks]), MasksOf(rules.Start())
		fast, slow := NewRand(1), NewRand(2)
		var got, want [3]float64
		for range number {
			got[core.WeightedPlayout(s, &fast)]++
			want[slowWeighted(rules, s, &slow)]++
		}
		if !alike(got, want) {
			t.Errorf("%d×%d: of %d playouts %v, by slow ones %v", n, n, number, got, want)
		}
	}
}

func TestEvaluationOfOthelloByHand(t *testing.T) {
	for _, c := range []struct {
		n    int
		text string
		want int
	}{
		{8, "......../......../......../...XO.../...OX.../......../......../........ x", 0},
		// X has a corner, so that O's cell beside it is no bad one, and a move, on c4.
		{4, "XO../..../..../.... x", 40 + 2 - 2 + 5},
		// Each is beside an empty corner, and has a move there.
		{4, ".OX./..../..../.... x", 0},
		{4, "..../.X../..../.... x", -16},
	} {
		rules := newRules(t, "othello", c.n)
		p, err := rules.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := evaluatorOf(t, rules).Evaluate(MasksOf(p)); got != c.want {
			t.Errorf("%s looks like %d, want %d", c.text, got, c.want)
		}
	}
}
