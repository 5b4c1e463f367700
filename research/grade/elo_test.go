package grade

import (
	"context"
	"math"
	"reflect"
	"sync/atomic"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player"
)

// The first games by hand: equal players, a better one, many games.
func TestEloByHand(t *testing.T) {
	e := &Elo{}
	a, b := e.Enter(1000), e.Enter(1000)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	e.Game(a, b, 1) // e = ½, K = 16
	near("who has won", e.Rating(a), 1008)
	near("who has lost", e.Rating(b), 992)
	e.Game(b, a, 0.5) // d = 16: e = 1/(1 + 10^0.04) = 0.476988…
	near("after a draw", e.Rating(b), 992+16*(0.5-1/(1+math.Pow(10, 0.04))))
	near("the sum", e.Rating(a)+e.Rating(b), 2000)
	for e.games[a] < 21 {
		e.Game(a, b, 0.5)
	}
	c := e.Enter(1000) // a has played 21 games, c none
	before := e.Rating(a)
	e.Game(c, a, 1)
	expected := 1 / (1 + math.Pow(10, (before-1000)/400))
	near("of few games", e.Rating(c), 1000+16*(1-expected))
	near("of many games", e.Rating(a), before-32*(1-expected))
}

// As published, K is 32 for both players once either has 20 games.
func TestEloOfEither(t *testing.T) {
	e := &Elo{Either: true}
	a, b := e.Enter(1000), e.Enter(1000)
	for e.games[a] < 20 {
		e.Game(a, b, 0.5)
	}
	c := e.Enter(1000)
	e.Game(c, a, 1) // e = ½
	if e.Rating(c) != 1016 || e.Rating(a) != 984 {
		t.Errorf("%v and %v, want 1016 and 984", e.Rating(c), e.Rating(a))
	}
}

// Perfect play ends above earlier random play. Ratings are in the order of the agents, with
// any threads.
func TestTournament(t *testing.T) {
	a := newSubject(t, "tictactoe", 3, false)
	rules, err := games.New("tictactoe", 3)
	if err != nil {
		t.Fatal(err)
	}
	best := perfect(t, a, player.Strength{Policy: player.Optimal})
	agents := []player.Agent{player.Random(rules), player.Random(rules), player.Random(rules), player.Random(rules), best, best}
	var played [][2]int
	level, inherited, err := Tournament(t.Context(), rules, rules.Start(), agents, 7, 1, func(agent, pairs int) {
		played = append(played, [2]int{agent, pairs})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(played) != 15 || played[0] != [2]int{1, 1} || played[3] != [2]int{3, 4} || played[14] != [2]int{5, 15} {
		t.Errorf("progress: %v", played)
	}
	entered, final := level.Entered, level.Final
	// Where better players enter with more, ratings spread.
	if gain := inherited.Final[5] - inherited.Final[0]; gain <= final[5]-final[0] {
		t.Errorf("the best agents are %v above the first, and %v where ratings are not inherited", gain, final[5]-final[0])
	}
	if len(entered) != 6 || entered[0] != 1000 || final[4] <= max(final[0], final[1], final[2], final[3]) {
		t.Errorf("%v, %v", entered, final)
	}
	sum := 0.0
	for _, r := range final {
		sum += r
	}
	if math.Abs(sum-6000) > 1e-6 { // nobody has more than 20 games
		t.Errorf("the ratings add up to %v", sum)
	}
	again, _, err := Tournament(t.Context(), rules, rules.Start(), agents, 7, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entered {
		if again.Entered[i] != entered[i] {
			t.Errorf("with two threads %v, with one %v", again, entered)
		}
	}
}

// Agents that remember their moves play the same games, and search less.
func TestRememberedTournament(t *testing.T) {
	rules, err := games.New("nim", 4)
	if err != nil {
		t.Fatal(err)
	}
	var searches atomic.Int64
	var plain, remembering []player.Agent
	for seed := range uint64(4) {
		a := untrained(t, rules, seed, 5, nil)
		plain, remembering = append(plain, a), append(remembering, Remembering(&counted{a, &searches}))
	}
	level, inherited, err := Tournament(t.Context(), rules, rules.Start(), plain, 7, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	same, heirs, err := Tournament(t.Context(), rules, rules.Start(), remembering, 7, 2, nil)
	if err != nil || !reflect.DeepEqual(same, level) || !reflect.DeepEqual(heirs, inherited) {
		t.Errorf("%v and %v, want %v and %v: %v", same, heirs, level, inherited, err)
	}
	first := searches.Load()
	if _, _, err := Tournament(t.Context(), rules, rules.Start(), remembering, 7, 2, nil); err != nil || first == 0 || searches.Load() != first {
		t.Errorf("%d searches, and %d after the same games: %v", first, searches.Load(), err)
	}
}

// counted counts the moves that are asked of an agent.
type counted struct {
	player.Agent
	moves *atomic.Int64
}

func (c *counted) Begin(seed uint64) (player.Player, error) {
	p, err := c.Agent.Begin(seed)
	return &countedPlayer{p, c.moves}, err
}

type countedPlayer struct {
	player.Player
	moves *atomic.Int64
}

func (p *countedPlayer) Move(ctx context.Context, s game.State) (game.Move, error) {
	p.moves.Add(1)
	return p.Player.Move(ctx, s)
}
