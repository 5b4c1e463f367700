package qlearning

import (
	"math"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

func actionOptions(games int, seed uint64) Options {
	o := DefaultOptions(games, seed)
	o.Actions = true
	return o
}

// Two actions before a win, by hand: the last moves towards γ, the one before towards −γ times
// the current best value of the state between them.
func TestLearnLine(t *testing.T) {
	rules, o := newRules(t, "quixo", 3), actionOptions(1, 1)
	o.Gamma = 0.5
	l := &learner{newValuer(rules, o, player.NewRand(1)), rules, o}
	if n := l.actions.number(); n != 2*20 || len(l.weights) != n*19 {
		t.Fatalf("%d actions, %d weights", n, len(l.weights))
	}
	one, two := search.Masks{Mover: 0b11, Waiting: 0b1000}, search.Masks{Mover: 0b11000, Waiting: 0b111}
	l.learnLine([]taken{{one, 4}, {two, 9}}, 0.8, 1)
	dot := func(a, b search.Masks) (sum float64) {
		l.loadFeatures(a)
		first := append([]float64(nil), l.seen...)
		l.loadFeatures(b)
		for i, f := range l.seen {
			sum += f * first[i]
		}
		return sum
	}
	// The row of action 9 is 0.8·0.5·features(two), that of 4 −0.8·0.5·(its value in two)·features(one).
	best := 0.4 * dot(two, two)
	for _, c := range []struct {
		state  search.Masks
		action int
		want   float64
	}{{two, 9, best}, {one, 4, -0.8 * 0.5 * best * dot(one, one)}, {one, 9, 0.4 * dot(two, one)}, {one, 5, 0}} {
		l.loadFeatures(c.state)
		if got := l.valueOf(c.action); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("action %d is worth %v, want %v", c.action, got, c.want)
		}
	}
	// Taking a tile of one's own is another action than taking an empty one.
	m := rules.Moves(nil, rules.Start())[0]
	if own, empty := l.actions.find(search.Masks{Mover: 1 << m.From}, m), l.actions.find(search.Masks{}, m); own != empty+1 {
		t.Errorf("actions %d and %d", own, empty)
	}
}

// The weights of actions are learned, saved and played by, and beat random play.
func TestActions(t *testing.T) {
	rules := newRules(t, "quixo", 3)
	w := train(t, rules, actionOptions(1500, 3))
	path := t.TempDir() + "/w.json"
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
	w, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	won, agent := 0, newAgent(t, rules, w)
	for number := range 200 {
		if againstRandom(t, rules, agent, number) == game.Win {
			won++
		}
	}
	if won < 120 {
		t.Errorf("%d of 200 games against random play are won", won)
	}
}
