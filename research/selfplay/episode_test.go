package selfplay

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/player/zero"
)

// Policies of samples are distributions over the searched moves, and values are those of the
// end of the game, or proved.
func TestSamples(t *testing.T) {
	r := smallRun()
	r.Game, r.Games.RandomStarts = "tictactoe", 0.3
	for _, proved := range []bool{false, true} {
		r.Search.Proved = proved
		l := newLearner(t, r, 1)
		report := steps(t, l, 1)[0]
		samples := l.replay[0]
		if len(samples) != report.Positions || report.Games != 20 || report.Evaluated < 100 || report.Asked <= report.Evaluated {
			t.Errorf("%+v, %d samples", report, len(samples))
		}
		for _, s := range samples {
			sum := 0.0
			legal := l.view.Legal(nil, s.State)
			for i, a := range s.Actions {
				if legal[i] != a {
					t.Fatalf("%+v: actions are %v", s, legal)
				}
				sum += float64(s.Policy[i])
			}
			if len(legal) != len(s.Actions) || math.Abs(sum-1) > 1e-5 || s.Value != 0 && s.Value != 1 && s.Value != -1 {
				t.Fatalf("%+v", s)
			}
			if proved && s.Value != s.valueByForce(l.view) && len(s.Actions) <= 2 {
				t.Errorf("%+v: with so few moves left, the value is proved", s)
			}
		}
	}
}

// The value of a sample that is not proved mixes the end of the game and the mean of the
// visits by the given shares, and does not influence play.
func TestSearchedValues(t *testing.T) {
	samples := func(share float64) []Sample {
		r := smallRun()
		r.Training.Searched = share
		l := newLearner(t, r, 1)
		steps(t, l, 1)
		return l.replay[0]
	}
	ended, half, searched := samples(0), samples(0.5), samples(1)
	between := 0
	for i, s := range searched {
		if s.State != ended[i].State || s.Value < -1 || s.Value > 1 {
			t.Fatalf("%+v and %+v", s, ended[i])
		}
		if mean := (s.Value + ended[i].Value) / 2; math.Abs(float64(mean-half[i].Value)) > 1e-6 {
			t.Errorf("%v and %v make %v", s.Value, ended[i].Value, half[i].Value)
		}
		if s.Value != ended[i].Value && s.Value != 0 {
			between++
		}
	}
	if between < len(searched)/4 {
		t.Errorf("in %d of %d the search has found something else", between, len(searched))
	}
}

// In an off-policy opening only the network's states are learned from, with the search's value;
// after it all states are, with the end of the game. Each ply adds a mark, so the marks tell them
// apart.
func TestOffPolicyOpenings(t *testing.T) {
	r := smallRun()
	r.Size, r.Games.RandomStarts, r.Games.OffPolicy, r.Games.Number, r.Search.Proved = 4, 0, 1, 60, false
	r.Encoding = zero.Encoding{Canonical: zero.LineGroup}
	l := newLearner(t, r, 1)
	if report := steps(t, l, 1)[0]; report.FirstWins != -1 {
		t.Errorf("first_wins is %v although all games have off-policy openings", report.FirstWins)
	}
	samples := l.replay[0]
	met := map[string]int{}
	for i := 0; i < len(samples); {
		end := i + 1
		for end < len(samples) && marksOf(samples[end]) > marksOf(samples[end-1]) {
			end++
		}
		game, alone := samples[i:end], false
		if marksOf(game[0]) == 1 {
			met["a random first move"]++
		}
		for j := range game[1:] {
			switch by := marksOf(game[j+1]) - marksOf(game[j]); {
			case by > 2 || by == 2 && alone:
				t.Fatalf("%d marks follow %d", marksOf(game[j+1]), marksOf(game[j]))
			case by == 2:
				met["a random move"]++
				if v := game[j].Value; v != 1 && v != -1 {
					met["the search's value"]++
				}
			default:
				alone = true
				if v := game[j+1].Value; v != 1 && v != -1 {
					t.Errorf("%+v does not have the end of the game", game[j+1])
				}
				met["both players search"]++
			}
		}
		i = end
	}
	for _, what := range []string{"a random first move", "a random move", "the search's value", "both players search"} {
		if met[what] < 10 {
			t.Errorf("%s: %d times", what, met[what])
		}
	}
}

// marksOf counts the marks of a state of Notakto.
func marksOf(s Sample) int { return bits.OnesCount64(s.State[0]) }

// valueByForce solves a state by trying everything.
func (s *Sample) valueByForce(v zero.View) float32 { return force(v, s.State) }

// safe reports whether a move does not end the game.
func safe(v zero.View, s zero.State) bool {
	return slices.ContainsFunc(v.Legal(nil, s), func(a int16) bool {
		_, over := v.Terminal(v.Play(s, int(a)))
		return !over
	})
}

func force(v zero.View, s zero.State) float32 {
	if outcome, over := v.Terminal(s); over {
		return map[game.Outcome]float32{game.Win: 1, game.Lose: -1}[outcome]
	}
	best := float32(-1)
	for _, a := range v.Legal(nil, s) {
		best = max(best, -force(v, v.Play(s, int(a))))
	}
	return best
}

// With key states no sample has a move that loses at once.
func TestKeyStateSamples(t *testing.T) {
	r := smallRun()
	r.Search.KeyStates = true
	l := newLearner(t, r, 1)
	steps(t, l, 1)
	left := 0
	for _, s := range l.replay[0] {
		for _, a := range s.Actions {
			if outcome, over := l.view.Terminal(l.view.Play(s.State, int(a))); over && outcome == game.Win {
				t.Errorf("%+v: action %d loses at once", s, a)
			}
		}
		if len(s.Actions) < len(l.view.Legal(nil, s.State)) {
			left++
		}
	}
	if left == 0 {
		t.Error("nothing is left out of any sample")
	}
}
