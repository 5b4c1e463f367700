package selfplay

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player/zero"
)

func TestDescriptionsOfBoards(t *testing.T) {
	rules, err := games.New("quixo", 4)
	if err != nil {
		t.Fatal(err)
	}
	data := readBack(t, DefaultRun(rules.Info()))
	for _, c := range []struct{ from, to, want string }{
		{`"limit":60`, `"limit":0`, "games of quixo can cycle; give a limit"},
		{`"limit":60`, `"limit":-1`, "limit is -1; give a number from 0"},
		{`"random_boards":0.5`, `"random_boards":2`, "random_boards is 2; give a number from 0 to 1"},
		{`"game":"quixo","size":4`, `"game":"notakto","size":4`, "random_boards needs a game in which every board is a position, and notakto is not one; leave it out"},
		{`"discount":0.98`, `"discount":1.5`, "discount is 1.5; give a number from 0 to 1"},
		{`"replay":10`, `"replay":10,"images":"square"`, "canonical images are one state already"},
		{`"width":256`, `"width":256,"convolutions":2`, "channels is 0; give a multiple of 32 up to 512"},
		{`"width":256`, `"width":256,"channels":32`, "convolutions is 0; give a number from 1 to 64"},
		{`"width":256`, `"width":256,"convolutions":2,"channels":32,"lstm":true`, "no convolution can precede it"},
	} {
		wantRefused(t, data, c.from, c.to, c.want)
	}
	nim, err := json.Marshal(DefaultRun(game.Info{Name: "nim", Size: 3}))
	if err != nil {
		t.Fatal(err)
	}
	wantRefused(t, string(nim), `"width":256`, `"width":256,"convolutions":2,"channels":32`, "inputs are no planes of the cells of a board")
}

// A game ends as a draw at its limit, and what comes at its end is worth less the earlier a state
// is.
func TestLimitAndDiscount(t *testing.T) {
	r := smallQuixo()
	r.Search.Proved, r.Games.Limit, r.Games.Number = false, 7, 60
	l := newLearner(t, r, 1)
	report := steps(t, l, 1)[0]
	if report.Plies > 7 || report.Plies < 2 {
		t.Errorf("%v plies on the mean", report.Plies)
	}
	worth := map[float64]int{}
	for i := range 8 {
		worth[math.Round(1e4*math.Pow(0.9, float64(i)))] = 0
	}
	draws := 0
	for _, s := range l.replay[0] {
		v := math.Round(1e4 * math.Abs(float64(s.Value)))
		if _, ok := worth[v]; !ok && v != 0 {
			t.Fatalf("a state is worth %v", s.Value)
		}
		worth[v]++
		if v == 0 {
			draws++
		}
	}
	if draws == 0 || worth[9000] == 0 || worth[8100] == 0 || worth[10000] > 0 {
		t.Errorf("states by what they are worth: %v", worth)
	}
}

// A sample's image has the actions turned with the board: each leads to an image of what it led
// to.
func TestImagesOfSamples(t *testing.T) {
	l := newLearner(t, smallQuixo(), 1)
	steps(t, l, 1)
	canonical := smallQuixo()
	canonical.Training.Images, canonical.Encoding.Canonical = "", zero.SquareGroup
	v, err := canonical.View()
	if err != nil {
		t.Fatal(err)
	}
	turned := 0
	for _, s := range l.replay[0] {
		for element := range l.images.Images() {
			image := s.image(l.images, element)
			if image.State != s.State {
				turned++
			}
			if !slices.Equal(image.Policy, s.Policy) || image.Value != s.Value {
				t.Fatalf("%+v, want %+v", image, s)
			}
			for i, a := range s.Actions {
				if got, want := v.Play(image.State, int(image.Actions[i])), v.Play(s.State, int(a)); got != want {
					t.Fatalf("action %d leads to %v, want %v", a, got, want)
				}
			}
		}
	}
	if turned < len(l.replay[0]) {
		t.Errorf("%d of %d samples are turned", turned, len(l.replay[0]))
	}
}
