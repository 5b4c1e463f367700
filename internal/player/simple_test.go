package player

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

func TestRandomIsUniform(t *testing.T) {
	for _, b := range boards {
		rules, r := probetest.Rules(t, b.name, b.size), random()
		mover := begin(t, Random(opaque(rules)), 5)
		for range 5 {
			p := probe.RandomOpenPosition(rules, r)
			allowed := map[game.Move]int{}
			for _, m := range rules.Moves(nil, p) {
				allowed[m] = 0
			}
			wantUniform(t, rules, mover, p, allowed)
		}
	}
}

// greedyMoves are the moves among which Greedy chooses, found one by one.
func greedyMoves[S comparable](rules game.RulesOf[S], p S) map[game.Move]int {
	var won, open, lost []game.Move
	for _, m := range rules.Moves(nil, p) {
		switch outcome, over := rules.Terminal(rules.Play(p, m)); {
		case !over || outcome == game.Draw:
			open = append(open, m)
		case outcome == game.Lose:
			won = append(won, m)
		default:
			lost = append(lost, m)
		}
	}
	allowed := map[game.Move]int{}
	for _, moves := range [][]game.Move{won, open, lost} {
		for _, m := range moves {
			allowed[m] = 0
		}
		if len(moves) > 0 {
			break
		}
	}
	return allowed
}

func TestGreedyLooksOnePlyAhead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	for _, b := range boards {
		rules, r := probetest.Rules(t, b.name, b.size), random()
		mover := begin(t, Greedy(opaque(rules)), 6)
		for range 30 {
			p := probe.RandomOpenPosition(rules, r)
			wantUniform(t, rules, mover, p, greedyMoves(rules, p))
		}
	}
}

func TestGreedyByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		text string
		want []string
	}{
		{"notakto", 3, "X.X/.../..X", []string{"a1", "a2", "b1"}},       // all others complete a line
		{"notakto", 2, "X./..", []string{"a1", "b1", "b2"}},             // each of them does
		{"quixo", 3, "XX./OO./... x", []string{"c1c3", "c2c3", "c3a3"}}, // these win
	} {
		rules := probetest.Rules(t, c.name, c.size)
		p := parse(t, rules, c.text)
		want := map[game.Move]int{}
		for _, text := range c.want {
			m, err := rules.ParseMove(p, text)
			if err != nil {
				t.Fatal(err)
			}
			want[m] = 0
		}
		wantUniform(t, rules, begin(t, Greedy(opaque(rules)), 1), p, want)
	}
}

// The pairing wins as second player against any opponent.
func TestPairingWinsAsSecond(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	for _, n := range []int{4, 8, 12, 24} {
		rules := newRules(t, "notakto", n)
		agent := pairing(t, rules)
		for _, first := range []Agent{Random(rules), Greedy(rules), agent} {
			for seed := range uint64(max(10, 3200/(n*n))) {
				positions, moves := play(t, rules, rules.Start(), n*n, begin(t, first, seed), begin(t, agent, seed))
				if len(moves)%2 == 0 {
					t.Fatalf("%s won against the pairing on %d×%d: %s", first.Name(), n, n, rules.Format(positions[len(moves)]))
				}
			}
		}
	}
}

// A single mark without a partner is given it; otherwise no line is completed
// that need not be, and no single mark is left over.
func TestPairingWhereItWasNotKept(t *testing.T) {
	table := open(t, "notakto", 4, true)
	rules, r := table.Rules(), random()
	mover := begin(t, pairing(t, opaque(rules)), 7)
	kinds := map[int]int{}
	for range starts() {
		p := probe.RandomOpenPosition(rules, r)
		after := rules.Play(p, move(t, rules, mover, p))
		chosen := pairingKind(t, rules, p, after)
		for _, m := range rules.Moves(nil, p) {
			if kind := pairingKind(t, rules, p, rules.Play(p, m)); kind < chosen {
				t.Fatalf("%s: %s is better than what leads to %s", rules.Format(p), rules.FormatMove(m), rules.Format(after))
			}
		}
		kinds[chosen]++
		if chosen == 0 {
			if v := value(t, table, after); v.Outcome != game.Lose {
				t.Fatalf("%s, where the pairing is kept, is a %v", rules.Format(after), v)
			}
		}
	}
	if len(kinds) != 4 {
		t.Errorf("only these kinds of moves were seen: %v", kinds)
	}
}

// pairingKind says how good the pairing thinks a move, the best being 0.
func pairingKind(t *testing.T, rules game.Grid, p, after game.Position) int {
	w, err := notakto.NewWide(rules.Size()).Parse(rules.Format(after))
	if err != nil {
		t.Fatal(err)
	}
	unpaired := len(notakto.Unpaired(w))
	switch {
	case w.Complete():
		return 3
	case unpaired == 0:
		return 0
	case unpaired == 1:
		return 2
	}
	return 1
}

func TestPairingOfOtherBoards(t *testing.T) {
	for _, rules := range []game.Rules{newRules(t, "notakto", 5), newRules(t, "notakto", 9), newRules(t, "quixo", 4)} {
		_, err := ByFormula(rules, notakto.Pairing)
		want := fmt.Sprintf("there is no pairing of %v; pairing plays notakto 4×4, 8×8, 12×12 and so on up to 24×24", rules.Info())
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// agents are all agents of a board whose players know only the position.
func agents(t *testing.T, table *probe.Table) []Agent {
	rules := table.Rules()
	all := []Agent{
		Random(opaque(rules)), Greedy(opaque(rules)),
		perfect(t, table, Strength{Optimal, 0}), perfect(t, table, Strength{Shortest, 0}),
		perfect(t, table, Strength{Optimal, 0.3}), perfect(t, table, Strength{Shortest, 0.3}),
	}
	if a, err := ByFormula(opaque(rules), notakto.Pairing); err == nil {
		all = append(all, a)
	}
	return all
}

func TestSameSeedSameGame(t *testing.T) {
	for _, table := range []*probe.Table{open(t, "notakto", 4, true), open(t, "quixo", 3, true)} {
		rules := table.Rules()
		for _, agent := range agents(t, table) {
			game := func(seed uint64) []game.Move {
				_, moves := play(t, rules, rules.Start(), 40, begin(t, agent, seed))
				return moves
			}
			differ := false
			for seed := range uint64(20) {
				if !slices.Equal(game(seed), game(seed)) {
					t.Errorf("%s: two games with the same seed", agent.Name())
				}
				differ = differ || !slices.Equal(game(seed), game(seed+1))
			}
			if !differ {
				t.Errorf("%s: the seed changes nothing", agent.Name())
			}
		}
	}
}

func TestNoMove(t *testing.T) {
	table := open(t, "notakto", 4, true)
	rules := table.Rules()
	cancelled, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	for _, agent := range agents(t, table) {
		mover := begin(t, agent, 8)
		if _, err := Move(t.Context(), mover, parse(t, rules, "XXXX/..../..../....")); !errors.Is(err, ErrOver) {
			t.Errorf("%s, the game being over: %v", agent.Name(), err)
		}
		if _, err := Move(cancelled, mover, rules.Start()); !errors.Is(err, cause) {
			t.Errorf("%s, cancelled: %v", agent.Name(), err)
		}
		if err := mover.Close(); err != nil {
			t.Error(err)
		}
	}
	mover := begin(t, perfect(t, table, Strength{Policy: Optimal}), 9)
	if _, err := Move(t.Context(), mover, game.Position{X: 1 << 40}); !errors.Is(err, probe.ErrPosition) {
		t.Errorf("no position: %v", err)
	}
}
