package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
)

// choice asks for a move.
func (s *site) choice(path string) (c api.Choice) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.want(http.StatusOK, path).body), &c); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// The same seed gives the same move, seeds together give all the best moves and no others, and
// the seed returned by a request without one repeats its answer.
func TestMove(t *testing.T) {
	s := start(t, nil)
	const text = "..O/O../.XO" // which is lost
	table := open(t, "quixo", 3)
	ranked := rank(t, table, text)
	most := 0.0 // of the replies to a move that loses latest, those that err
	erring := func(m probe.Move) float64 {
		replies, wrong := rank(t, table, m.Position), 0
		for _, reply := range replies {
			if reply.Outcome != game.Win {
				wrong++
			}
		}
		return float64(wrong) / float64(len(replies))
	}
	isShortest := func(m probe.Move) bool { return m.Value == ranked[0].Value }
	for _, m := range ranked {
		if isShortest(m) {
			most = max(most, erring(m))
		}
	}
	played := 0 // moves of the policies so far
	for _, c := range []struct {
		policy string
		isBest func(probe.Move) bool
	}{
		{"trap", func(m probe.Move) bool { return isShortest(m) && erring(m) == most }},
		{"shortest", isShortest},
		{"optimal", func(m probe.Move) bool { return m.Outcome == ranked[0].Outcome }},
	} {
		want := map[string]bool{}
		for _, m := range ranked {
			if c.isBest(m) {
				want[m.Move] = true
			}
		}
		if len(want) <= played {
			t.Errorf("%s has %d moves, too few to tell it apart", c.policy, len(want))
		}
		played = len(want)
		got := map[string]bool{}
		for seed := range 200 {
			path := fmt.Sprintf("/v1/quixo/3/move?p=%s&policy=%s&seed=%d", text, c.policy, seed)
			first, again := s.choice(path).Move.Move, s.choice(path).Move.Move
			if again != first {
				t.Errorf("%s gives %s and %s", path, first, again)
			}
			got[first] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s plays %v, the best are %v", c.policy, got, want)
		}
	}
	path := "/v1/quixo/3/move?p=.X./.../OX.&blunder=1"
	drawn := s.choice(path)
	if again := s.choice(fmt.Sprintf("%s&seed=%d", path, drawn.Seed)); again.Move.Move != drawn.Move.Move {
		t.Errorf("the seed %d gives %s, not %s", drawn.Seed, again.Move.Move, drawn.Move.Move)
	}
	seeds := map[int64]bool{drawn.Seed: true, s.choice(path).Seed: true, s.choice(path).Seed: true}
	if len(seeds) == 1 {
		t.Errorf("all requests have the seed %d", drawn.Seed)
	}
}

// rank returns the moves of a position.
func rank(t *testing.T, table *probe.Table, text string) []probe.Move {
	t.Helper()
	a, err := table.Ask(text, probe.NoLine)
	if err != nil {
		t.Fatal(err)
	}
	return a.Moves
}

// A player who always blunders plays every legal move.
func TestBlunder(t *testing.T) {
	s := start(t, nil)
	got := map[string]bool{}
	for seed := range 300 {
		got[s.choice(fmt.Sprintf("/v1/notakto/3/move?p=.../.../..X&blunder=1&seed=%d", seed)).Move.Move] = true
	}
	if len(got) != 8 {
		t.Errorf("%d moves are played: %v", len(got), got)
	}
}

func TestMoveRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.want(http.StatusBadRequest, "/v1/notakto/3/move?p=XXX/.../...", "the game is over", `"parameter":"p"`)
	s.want(http.StatusBadRequest, "/v1/notakto/3/move?p=XX/.../...", `"column":3`)
	s.want(http.StatusBadRequest, "/v1/notakto/4/move?policy=shortest&p=..../..../..../....", `"parameter":"policy"`, "the table of notakto 4×4 was solved without steps")
}

// A random position with an only move has one, and the same seed gives the same position. If
// there is none, or none can be found, the client is told.
func TestRandomOnly(t *testing.T) {
	s := start(t, nil)
	positions := map[string]bool{}
	for seed := range 8 {
		path := fmt.Sprintf("/v1/quixo/3/random?outcome=win&steps=3&only=true&seed=%d", seed)
		r := s.want(http.StatusOK, path, `"outcome":"win","steps":3`)
		var a api.Answer
		if err := json.Unmarshal([]byte(r.body), &a); err != nil {
			t.Fatal(err)
		}
		wins := 0
		for _, m := range a.Moves {
			if m.Outcome == "win" {
				wins++
			}
		}
		if wins != 1 || len(a.Moves) < 2 || s.get(path).body != r.body {
			t.Errorf("%s: %d moves win\n%s", path, wins, r.body)
		}
		positions[a.Position] = true
	}
	if len(positions) < 5 {
		t.Errorf("only %d positions", len(positions))
	}
	s.want(http.StatusOK, "/v1/quixo/3/random?outcome=win&steps=60000&only=true&seed=1", `"outcome":"win","steps":7,`) // the deepest one
	s.want(http.StatusOK, "/v1/quixo/3/random?outcome=win&steps=0&only=true&seed=1", `"outcome":"win"`)
	s.want(http.StatusNotFound, "/v1/quixo/3/random?outcome=win&steps=60000", "there is no such state")
	s.want(http.StatusNotFound, "/v1/quixo/3/random?outcome=lose&steps=2&only=true", "none of 1000 random ones has an only move")
	s.want(http.StatusNotFound, "/v1/quixo/2/random?outcome=lose&only=true", "there is no such state: none of 1000 random ones has an only move")
	s.want(http.StatusBadRequest, "/v1/quixo/3/random?only=x", `"parameter":"only"`, "true or false")
}

// Each kind of position that a table has is found, and no other.
func TestRandom(t *testing.T) {
	s := start(t, nil)
	table := open(t, "notakto", 3)
	kinds := map[probe.Value]bool{}
	for _, text := range everyPosition(table.Rules()) {
		a, err := table.Ask(text, probe.NoLine)
		if err != nil {
			t.Fatal(err)
		}
		kinds[a.Value] = true
	}
	for _, outcome := range []game.Outcome{game.Win, game.Lose, game.Draw} {
		for steps := range 9 {
			path := fmt.Sprintf("/v1/notakto/3/random?outcome=%v&steps=%d&seed=5", outcome, steps)
			if !kinds[probe.Value{Outcome: outcome, Steps: steps}] {
				s.want(http.StatusNotFound, path, "no")
				continue
			}
			r := s.want(http.StatusOK, path, fmt.Sprintf(`"outcome":"%v","steps":%d,`, outcome, steps))
			if again := s.get(path); again.body != r.body {
				t.Errorf("%s gives\n%s and\n%s", path, r.body, again.body)
			}
		}
	}
	got := map[string]bool{}
	for range 20 {
		got[s.want(http.StatusOK, "/v1/quixo/3/random").body] = true
	}
	if len(got) < 2 {
		t.Error("all random positions are alike")
	}
	s.want(http.StatusBadRequest, "/v1/notakto/4/random?steps=3", `"parameter":"steps"`, "was solved without steps")
	s.want(http.StatusOK, "/v1/notakto/4/random?outcome=lose", `"outcome":"lose","steps":null`)
	s.want(http.StatusOK, "/v1/notakto/4/random?after=a1&steps=0", `"terminal":true`)
}
