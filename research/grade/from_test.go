package grade

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/nim"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/search"
)

// at sets the first position.
func (a *Subject) at(t *testing.T, text string) *Subject {
	t.Helper()
	s, err := a.Rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	a.From, a.open = s, nil
	return a
}

// The states reachable from a position of Notakto are those with its marks and without a
// line.
func TestReachedOfNotakto(t *testing.T) {
	a := newSubject(t, "notakto", 3, false)
	for marks := range uint64(1 << 9) {
		from := game.Position{X: marks}
		if _, over := a.Rules.Terminal(from); over {
			continue
		}
		a.From = from
		got, err := reachable(t.Context(), a.Rules, a.Start())
		if err != nil {
			t.Fatal(err)
		}
		want := map[game.State]bool{}
		for more := range uint64(1 << 9) {
			s := game.Position{X: more}
			if _, over := a.Rules.Terminal(s); !over && more&marks == marks {
				want[s] = true
			}
		}
		wantStates(t, a, got, want)
	}
}

// wantStates wants these states, each once.
func wantStates(t *testing.T, a *Subject, got []game.State, want map[game.State]bool) {
	t.Helper()
	for _, s := range got {
		if !want[s] {
			t.Errorf("from %s: %s is reached", a.Rules.Format(a.Start()), a.Rules.Format(s))
		}
	}
	if len(got) != len(want) {
		t.Errorf("from %s: %d states are reached, want %d", a.Rules.Format(a.Start()), len(got), len(want))
	}
}

// Those of Nim have no more counters in any heap, and the player to move follows from a
// possible number of moves: at least one for each smaller heap, at most one for each
// counter.
func TestReachedOfNim(t *testing.T) {
	a := nimSubject(t, 4, 1, 0, nil)
	for _, text := range []string{"1/2/1/1", "1/2/1/1 o", "0/0/5/0", "1/3/5/7", "9/0/2/0 o"} {
		a.at(t, text)
		got, err := reachable(t.Context(), a.Rules, a.Start())
		if err != nil {
			t.Fatal(err)
		}
		want := map[game.State]bool{}
		from := nim.Counters(a.From)
		for number := range 1 << 16 { // four digits, one for each heap
			heaps, least, most, left := make([]string, 4), 0, 0, 0
			for heap := range heaps {
				counters := number >> uint(4*heap) & 15
				heaps[heap] = strconv.Itoa(counters)
				left += counters
				if taken := int(from[heap]) - counters; taken > 0 {
					least, most = least+1, most+taken
				} else if taken < 0 {
					left = 0 // it cannot be reached
					break
				}
			}
			for moves := least; moves <= min(most, least+1) && left > 0; moves++ {
				turns := [...]string{" x", " o"}
				s, err := a.Rules.Parse(strings.Join(heaps, "/") + turns[(int(a.Rules.Turn(a.From))+moves)%2])
				if err != nil {
					t.Fatal(err)
				}
				want[s] = true
			}
		}
		wantStates(t, a, got, want)
	}
}

// A champion from a position agrees with trying everything from there, for both players to
// move.
func TestChampionFromAPosition(t *testing.T) {
	for _, c := range []struct {
		a     *Subject
		texts []string
	}{
		{newSubject(t, "notakto", 3, true), []string{"X../.../...", ".X./.../...", ".../.X./...", "X../..X/...", "X../.../..X", "XX./X../.XX", ".X./X.X/..."}},
		{newSubject(t, "tictactoe", 3, true), []string{"XO./.../... x", ".../.X./... o", "XOX/.../... o", "O../.X./..X o"}},
		{nimSubject(t, 3, 1, 5, nil), []string{"1/2/1", "1/2/1 o", "1/2/2", "0/1/4", "1/1/0 o"}},
		{nimSubject(t, 4, 1, 5, func(m *zero.Made) { m.Encoding.Canonical = zero.NoGroup }), []string{"1/2/1/1", "1/2/1/1 o", "0/3/2/1"}},
	} {
		a, network := c.a, c.a.Agent
		champions, beaten := 0, 0
		for _, text := range c.texts {
			a.at(t, text)
			sides, err := a.Sides()
			if err != nil {
				t.Fatal(err)
			}
			worth := truth(a.Rules, a.From, map[game.State]game.Outcome{})
			if first := sides[0] == a.Rules.Turn(a.From); len(sides) == 2 != (worth == game.Draw) || first != (worth != game.Lose) {
				t.Errorf("%s, worth a %v: %v", text, worth, sides)
			}
			tried := []player.Agent{
				perfect(t, a, player.Strength{Policy: player.Optimal}), perfect(t, a, player.Strength{Policy: player.Optimal, Blunder: 0.2}),
				player.Greedy(a.Rules), player.Random(a.Rules),
			}
			if network != nil {
				tried = append(tried, network)
			}
			for i, agent := range tried {
				for _, side := range sides {
					a.Agent = agent
					w, err := a.champion(t.Context(), side, 1+i, nil)
					if err != nil {
						t.Fatal(err)
					}
					want := beatable(t, a, a.From, side, worthOf(w))
					if w.Champion != (want == 0) || len(w.Line) != max(want-1, 0) || w.Champion != (w.Wrong == 0) || i == 0 && !w.Champion {
						t.Errorf("%s, %s as %v: %+v, want a game of %d plies", text, agent.Name(), side, w, want-1)
					}
					checkLine(t, a, w)
					if w.Champion {
						champions++
					} else {
						beaten++
					}
				}
			}
			if worth != game.Draw {
				if _, err := a.Champion(t.Context(), sides[0].Other(), nil); err == nil {
					t.Errorf("%s: the side that loses has a champion", text)
				}
			}
		}
		if champions == 0 || beaten == 0 {
			t.Errorf("%v: %d champions, %d beaten", a.Rules.Info(), champions, beaten)
		}
	}
}

// From heaps of one counter and one of two, the shares are known: with the two left one move
// wins, and of ones alone all moves are equal.
func TestExpertFromOnes(t *testing.T) {
	a := nimSubject(t, 8, 1, 0, func(m *zero.Made) { m.Encoding = zero.Encoding{Canonical: zero.NoGroup, Heaps: zero.Unary} }).at(t, "1/2/1/1/1/1/1/1")
	a.Agent = player.Random(a.Rules)
	x, err := a.Expert(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Beside the two and k of the 7 ones there are k + 2 moves, one of which wins; there are 2^7
	// such states. The other won states are of ones alone, whose moves all win.
	sum, choose := 0.0, 1.0
	for k := range 8 {
		sum += choose / float64(k+2)
		choose *= float64(7-k) / float64(k+1)
	}
	odd := x.Won.States - 128
	random, _ := x.Won.Random()
	if want := (sum + float64(odd)) / float64(x.Won.States); x.All.States != 510 || x.Won.States != 320 || math.Abs(random-want) > 1e-12 || !x.Whole {
		t.Errorf("%d states, %d won, random %v, want %v", x.All.States, x.Won.States, random, want)
	}
	drawn, err := a.Expert(t.Context(), 300, nil)
	if err != nil || drawn.All.States != 300 || drawn.AllBy[9] != nil && drawn.AllBy[9].States > 20 || drawn.AllBy[10] != nil {
		t.Errorf("%+v, %v", drawn, err)
	}
}

// States drawn from a position are those reachable from there, about equally often.
func TestDrawnFromAPosition(t *testing.T) {
	for _, c := range []struct {
		name, text string
		n          int
	}{{"notakto", "XX.X/.X../..X./X..X", 4}, {"tictactoe", "XO./.X./..O x", 3}, {"nim", "1/2/2", 3}} {
		var a *Subject
		if c.name == "nim" {
			a = nimSubject(t, c.n, 1, 0, nil)
		} else {
			a = newSubject(t, c.name, c.n, false)
		}
		a.at(t, c.text)
		open, err := reachable(t.Context(), a.Rules, a.Start())
		if err != nil {
			t.Fatal(err)
		}
		const each = 300
		positions, err := a.positions(t.Context(), each*len(open))
		if err != nil {
			t.Fatal(err)
		}
		counts := map[game.State]int{}
		for _, s := range positions {
			counts[s]++
		}
		for _, s := range open {
			if n := counts[s]; n < each*3/4 || n > each*5/4 {
				t.Errorf("%s: %s came up %d times, not about %d", c.text, a.Rules.Format(s), n, each)
			}
		}
		if len(counts) != len(open) {
			t.Errorf("%s: %d states are drawn of %d", c.text, len(counts), len(open))
		}
	}
}

// Late positions of Othello follow the first position.
func TestLateFromAPosition(t *testing.T) {
	a := othelloSubject(t, 4, 1, 0, nil).at(t, "..../XXX./.XO./..O. x")
	a.Late = 6
	known := map[game.State]game.Outcome{}
	truth(a.Rules, a.From, known)
	ending, _ := search.NewEnding(a.Rules)
	positions, err := a.positions(t.Context(), 200)
	if err != nil || len(positions) != 200 {
		t.Fatal(len(positions), err)
	}
	for _, s := range positions {
		if _, follows := known[s]; !follows || ending.Left(s) > 6 {
			t.Fatalf("%s is drawn", a.Rules.Format(s))
		}
	}
	open, err := reachable(t.Context(), a.Rules, a.Start())
	if err != nil || len(open) != len(known) {
		t.Errorf("%d states are reached, want %d, %v", len(open), len(known), err)
	}
}

// Tournament games begin with the position: if its first player wins, each pair has one win
// each.
func TestTournamentFromAPosition(t *testing.T) {
	a := nimSubject(t, 3, 1, 0, nil).at(t, "0/0/1 o")
	agents := slices.Repeat([]Mover{alone{player.Random(a.Rules)}}, 4)
	level, inherited, err := Tournament(t.Context(), a.Rules, a.From, agents, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for inherits, got := range map[bool]*Ratings{false: level, true: inherited} {
		e := &Elo{}
		for i := range agents {
			if inherits && i > 0 {
				e.Enter(e.ratings[i-1])
			} else {
				e.Enter(1000)
			}
			for j := range i {
				e.Game(i, j, 1)
				e.Game(i, j, 0)
			}
			if got.Entered[i] != e.ratings[i] {
				t.Errorf("inherited %v: number %d enters with %v, want %v", inherits, i, got.Entered[i], e.ratings[i])
			}
		}
		if !slices.Equal(got.Final, e.ratings) {
			t.Errorf("inherited %v: they end with %v, want %v", inherits, got.Final, e.ratings)
		}
	}
}

// Misled positions follow the first position.
func TestMisledFromAPosition(t *testing.T) {
	a := nimSubject(t, 4, 1, 0, nil).at(t, "1/2/3/1 o")
	open, err := reachable(t.Context(), a.Rules, a.Start())
	if err != nil {
		t.Fatal(err)
	}
	all, err := a.Misled(t.Context(), 0, 1000)
	if err != nil || len(all) < 3 {
		t.Fatal(len(all), err)
	}
	for _, o := range all {
		if !slices.Contains(open, o.State) {
			t.Errorf("%s does not follow", a.Rules.Format(o.State))
		}
	}
}
