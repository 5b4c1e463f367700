package selfplay

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player/zero"
)

// ofGame makes a small training one of another game, from a position, with some symmetries.
func ofGame(name string, n int, group zero.Group, start string) Run {
	r := smallRun()
	r.Game, r.Size, r.Games.Start = name, n, start
	r.Encoding = zero.Encoding{Canonical: group}
	r.Acceptance = Acceptance{Rule: Fixed, Threshold: 0.5, Games: 4}
	return r
}

// followers returns the network's views of a position and of all that follow it.
func followers(t *testing.T, r Run) map[zero.State]bool {
	t.Helper()
	rules, err := games.New(r.Game, r.Size)
	if err != nil {
		t.Fatal(err)
	}
	view, err := r.View()
	if err != nil {
		t.Fatal(err)
	}
	found, met := map[zero.State]bool{}, map[game.State]bool{}
	var visit func(s game.State)
	visit = func(s game.State) {
		if met[s] {
			return
		}
		met[s] = true
		state, _ := view.Of(s)
		found[state] = true
		for _, m := range rules.Moves(nil, s) {
			visit(rules.Play(s, m))
		}
	}
	start, err := rules.Parse(r.Games.Start)
	if err != nil {
		t.Fatal(err)
	}
	visit(start)
	return found
}

// Games from a position, also with random moves and in acceptance matches, meet only
// reachable states, and all near ones.
func TestGamesBeginWithThePosition(t *testing.T) {
	for _, r := range []Run{
		smallFrom(),
		ofGame("nim", 4, zero.HeapOrder, "1/1/3/2"),
		ofGame("nim-misere", 8, zero.NoGroup, "1/2/1/0/0/0/0/1"),
		ofGame("notakto", 4, zero.LineGroup, "X.../.XX./..../X..X"),
		ofGame("notakto", 9, zero.SquareGroup, strings.Repeat("XXXX.X.XX/", 8)+"........."),
		ofGame("tictactoe", 3, zero.SquareGroup, "XO./.../..X o"),
		ofGame("othello", 4, zero.SquareGroup, "XXXO/XXO./XOX./OO.. x"),
		ofGame("dawson", 9, zero.RowOrder, "..-X-...."),
	} {
		known := followers(t, r)
		for _, random := range []float64{0, 1} {
			r.Games.RandomStarts = random
			l := newLearner(t, r, 2)
			report := steps(t, l, 1)[0]
			met := map[zero.State]int{}
			for _, s := range l.replay[0] {
				if met[s.State]++; !known[s.State] {
					t.Fatalf("%s %d from %s: %v is met, to which nothing leads", r.Game, r.Size, r.Games.Start, s.State)
				}
			}
			// Games that nothing random begins all come through the start.
			if random == 0 && (met[l.start] != report.Games || report.FirstWins < 0) || random == 1 && report.FirstWins >= 0 {
				t.Errorf("%s %d from %s: %d times at the start; %+v", r.Game, r.Size, r.Games.Start, met[l.start], report)
			}
			if len(met) < 2 || report.Match == nil {
				t.Errorf("%s %d from %s: %d states are met; %+v", r.Game, r.Size, r.Games.Start, len(met), report)
			}
		}
	}
}

// With random starts all reachable open states are met.
func TestRandomStartsCoverWhatFollows(t *testing.T) {
	r := smallFrom()
	r.Games.RandomStarts, r.Games.Number = 1, 400
	l := newLearner(t, r, 1)
	steps(t, l, 1)
	met := map[zero.State]bool{{}: true} // nothing is left
	for _, s := range l.replay[0] {
		met[s.State] = true
	}
	if known := followers(t, r); !reflect.DeepEqual(met, known) {
		t.Errorf("%d states are met of %d", len(met), len(known))
	}
}

// FirstWins is the score of the player to move in the first position, not of the one who
// begins the game.
func TestFirstWinsIsOfTheStart(t *testing.T) {
	for start, want := range map[string]float64{"0/0/1 o": 1, "0/0/1": 1, "1/1/0": 0, "1/1/0 o": 0} {
		r := smallFrom()
		r.Games.Start, r.Games.RandomStarts, r.Games.Exploring = start, 0, 0
		if got := steps(t, newLearner(t, r, 1), 1)[0]; got.FirstWins != want || got.Games != 20 {
			t.Errorf("%s: %+v, want %v", start, got, want)
		}
	}
}

// The start of the game as a start changes nothing; another one does. By default none is
// described.
func TestStartOfTheGame(t *testing.T) {
	plain := smallLSTM()
	said := plain
	said.Games.Start = "1/3/5"
	want, got := newLearner(t, plain, 1), newLearner(t, said, 1)
	steps(t, want, 1)
	steps(t, got, 1)
	if !reflect.DeepEqual(got.Best.Parameters, want.Best.Parameters) {
		t.Error("the start of the game makes another network")
	}
	said.Games.Start = "1/3/4"
	other := newLearner(t, said, 1)
	steps(t, other, 1)
	if reflect.DeepEqual(other.Best.Parameters, want.Best.Parameters) {
		t.Error("another start makes the same network")
	}
	if data, err := json.Marshal(plain); err != nil || strings.Contains(string(data), `"start"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// Weights tell the start of their training.
func TestStartOfWeights(t *testing.T) {
	for _, r := range []Run{smallFrom(), smallRun()} {
		w, err := newLearner(t, r, 1).Weights()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "weights")
		if err := w.Save(path); err != nil {
			t.Fatal(err)
		}
		if w, err = zero.Load(path); err != nil {
			t.Fatal(err)
		}
		got, err := StartOf(&w.Made)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := r.Start(); err != nil || got != want {
			t.Errorf("%v, want %v, %v", got, want, err)
		}
	}
	for run, good := range map[string]bool{"": true, "null": true, `{"a":1}`: true, `{"games":{"start":"1/3/1"}}`: true, `{"games":{"start":"1/3/x"}}`: false, `{"games":3}`: false} {
		s, err := StartOf(&zero.Made{Game: "nim", Size: 3, Run: json.RawMessage(run)})
		if (err == nil) != good || good && s == nil {
			t.Errorf("%q: %v, %v", run, s, err)
		}
	}
}

// An impossible start is refused with a reason.
func TestStartsAreRefused(t *testing.T) {
	for _, c := range []struct{ game, start, want string }{
		{"nim", "1/2", "the start cannot be read: \"1/2\", column 4: "},
		{"nim", "1/2/x", "the start cannot be read: \"1/2/x\", column 5: "},
		{"nim", "0/0/0", `no game can start from "0/0/0", where it is over; give a position with a legal move, or leave the start out`},
		{"nim", "1/7/1", `no game can start from "1/7/1": the network has no moves for it, as play does not lead there from the start of the game; give a position that follows it, or leave the start out`},
		{"notakto", "XXX/.../...", `no game can start from "XXX/.../...", where it is over`},
		{"notakto", "X../...", "the start cannot be read: "},
		{"othello", "", ""},
	} {
		r := smallRun()
		r.Game, r.Games.Start, r.Encoding = c.game, c.start, zero.Encoding{Canonical: zero.NoGroup}
		if c.game == "othello" {
			r.Size = 4
		}
		err := r.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s from %q: %v, want %s", c.game, c.start, err, c.want)
		}
	}
}
