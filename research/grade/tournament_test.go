package grade

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
)

// alone is an agent that is asked for one move at a time.
type alone struct{ player.Agent }

func (a alone) Moves(ctx context.Context, positions []game.State) (moves []game.Move, err error) {
	p, err := a.Begin(uint64(len(positions)))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for _, s := range positions {
		m, err := player.Move(ctx, p, s)
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// Perfect play ends above earlier random play. Ratings are in the order of the agents.
func TestTournament(t *testing.T) {
	a := newSubject(t, "tictactoe", 3, false)
	rules, err := games.New("tictactoe", 3)
	if err != nil {
		t.Fatal(err)
	}
	best := alone{perfect(t, a, player.Strength{Policy: player.Optimal})}
	chance := alone{player.Random(rules)}
	agents := []Mover{chance, chance, chance, chance, best, best}
	var played [][2]int
	level, inherited, err := Tournament(t.Context(), rules, rules.Start(), agents, 1, func(agent, pairs int) {
		played = append(played, [2]int{agent, pairs})
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(played, [][2]int{{5, 15}}) {
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
}

// The ratings are those of matches, one after another, with any threads, and no agent is asked
// twice for its move in a position.
func TestTournamentAgreesWithMatches(t *testing.T) {
	for _, board := range []struct {
		name                 string
		size, agents, search int
	}{{"nim", 4, together + 3, 5}, {"quixo", 3, 5, 0}, {"notakto", 3, 6, 20}} {
		rules, err := games.New(board.name, board.size)
		if err != nil {
			t.Fatal(err)
		}
		var plain []player.Agent
		var once []Mover
		for seed := range uint64(board.agents) {
			a := untrained(t, rules, seed, board.search, nil)
			plain = append(plain, a)
			once = append(once, &askedOnce{Mover: a.(*zero.Agent), known: map[game.State]bool{}})
		}
		level, inherited := byMatches(t, rules, plain)
		same, heirs, err := Tournament(t.Context(), rules, rules.Start(), once, 2, nil)
		if err != nil || !reflect.DeepEqual(same, level) || !reflect.DeepEqual(heirs, inherited) {
			t.Errorf("%s: %v and %v, want %v and %v: %v", board.name, same, heirs, level, inherited, err)
		}
	}
}

// byMatches rates agents by matches.
func byMatches(t *testing.T, rules game.Rules, agents []player.Agent) (level, inherited *Ratings) {
	t.Helper()
	level, inherited = &Ratings{}, &Ratings{}
	own, heir := &Elo{}, &Elo{Either: true}
	for i, agent := range agents {
		own.Enter(1000)
		heir.Enter(1000)
		if i > 0 {
			heir.ratings[i] = heir.ratings[i-1]
		}
		for j, other := range agents[:i] {
			m := arena.Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{agent, other}, Games: 2, Turns: MostTurns, Threads: 1}
			s, err := m.Play(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []*Elo{own, heir} {
				e.Game(i, j, arena.Strength(s.Began).Value/100)
				e.Game(i, j, arena.Strength(s.Replied).Value/100)
			}
		}
		level.Entered = append(level.Entered, own.ratings[i])
		inherited.Entered = append(inherited.Entered, heir.ratings[i])
	}
	level.Final, inherited.Final = own.ratings, heir.ratings
	return level, inherited
}

// askedOnce fails where it is asked for a move a second time.
type askedOnce struct {
	Mover
	known map[game.State]bool
}

func (a *askedOnce) Moves(ctx context.Context, positions []game.State) ([]game.Move, error) {
	for _, s := range positions {
		if a.known[s] {
			return nil, errors.New("it was asked before")
		}
		a.known[s] = true
	}
	return a.Mover.Moves(ctx, positions)
}
