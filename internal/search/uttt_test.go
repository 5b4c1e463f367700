package search

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/games"
)

// ultimateRules returns the rules of Ultimate Tic-Tac-Toe and its core.
func ultimateRules(t testing.TB) (game.Rules, *ultimate) {
	t.Helper()
	rules, err := games.New("uttt", 9)
	if err != nil {
		t.Fatal(err)
	}
	core := Choose(rules, func(Rules[Masks]) Rules[Words] { return nil }, func(core Rules[Words]) Rules[Words] { return core },
		func(Rules[game.State]) Rules[Words] { return nil })
	return rules, core.(*ultimate)
}

// drawGame draws a state after least to most plies, or where the game ended before.
func drawGame(t *rapid.T, rules game.Rules, least, most int) game.State {
	s := rules.Start()
	r := NewRand(rapid.Uint64().Draw(t, "seed"))
	for range rapid.IntRange(least, most).Draw(t, "plies") {
		moves := rules.Moves(nil, s)
		if len(moves) == 0 {
			break
		}
		s = rules.Play(s, moves[r.Below(len(moves))])
	}
	return s
}

// Games follow the rules, which check all lines of all boards each time.
func TestGamesOfUltimate(t *testing.T) {
	rules, core := ultimateRules(t)
	rapid.Check(t, func(t *rapid.T) {
		s := drawGame(t, rules, 0, 81)
		words := core.Of(s)
		outcome, over := core.Terminal(words)
		if o, v := rules.Terminal(s); o != outcome || v != over {
			t.Fatalf("%s: %v %t, by the rules %v %t", rules.Format(s), outcome, over, o, v)
		}
		moves := core.Moves(nil, words)
		if want := rules.Moves(nil, s); !slices.Equal(moves, want) {
			t.Fatalf("%s: moves %v, by the rules %v", rules.Format(s), moves, want)
		}
		for _, m := range moves {
			if got, want := core.Play(words, m), core.Of(rules.Play(s, m)); got != want {
				t.Fatalf("%s: %s leads to %x, by the rules to %x", rules.Format(s), rules.FormatMove(m), got, want)
			}
		}
	})
}

func TestPerftOfUltimate(t *testing.T) {
	rules, core := ultimateRules(t)
	for plies, want := range []int{1, 81, 720, 6336, 55080, 473256} {
		if got := perft[Words](core, core.Of(rules.Start()), plies); got != want {
			t.Errorf("%d plies: %d lines, want %d", plies, got, want)
		}
	}
}

func TestPlayoutsOfUltimate(t *testing.T) {
	rules, core := ultimateRules(t)
	const number = 300
	for _, from := range []string{rules.Format(rules.Start()), rules.Example(), nearTheEnd} {
		s, err := rules.Parse(from)
		if err != nil {
			t.Fatal(err)
		}
		words := core.Of(s)
		got, want := shares[Words](core, words, 1, number), shares(Opaque(rules), s, 2, number)
		if !alike(got, want) {
			t.Errorf("%s: of %d playouts %v, by the rules %v", from, number, got, want)
		}
		fast, slow := NewRand(3), NewRand(4)
		got, want = [3]float64{}, [3]float64{}
		for range number {
			got[core.WeightedPlayout(words, &fast)]++
			want[slowUltimate(rules, s, &slow)]++
		}
		if !alike(got, want) {
			t.Errorf("%s: of %d weighted playouts %v, by slow ones %v", from, number, got, want)
		}
	}
}

// nearTheEnd is a position in which a few cells are left in several boards, any of
// which may be played in.
const nearTheEnd = "XXX.O.OOO/OO.XX..../..XO..X../XOX.X.OXO/.O.XO.X.O/OX..OXXO./..XOXOO../XXOOXX.X./O.XXOO.OX x -"

// The worth of a playout near the end is the mean over all ways to play, each with its right
// probability.
func TestPlayoutOfUltimateIsUniform(t *testing.T) {
	rules, core := ultimateRules(t)
	r := NewRand(5)
	s := rules.Start()
	for core.cellsLeft(core.Of(s)) > 9 {
		moves := rules.Moves(nil, s)
		if s = rules.Play(s, moves[r.Below(len(moves))]); len(rules.Moves(nil, s)) == 0 {
			s = rules.Start() // another game
		}
	}
	words := core.Of(s)
	want := exact[Words](core, words, 20, map[stateWithin[Words]][3]float64{})
	checkShares[Words](t, core, words, 40_000, want)
}

// slowUltimate is a weighted playout by the rules, which finds a move's weight in the text of the
// position.
func slowUltimate(rules game.Rules, s game.State, r *Rand) game.Outcome {
	for ply := 0; ; ply++ {
		if outcome, over := rules.Terminal(s); over {
			return asAtStart(outcome, ply)
		}
		var tickets []game.Move
		for _, m := range rules.Moves(nil, s) {
			for range slowWeight(rules, s, m) {
				tickets = append(tickets, m)
			}
		}
		s = rules.Play(s, tickets[r.Below(len(tickets))])
	}
}

func slowWeight(rules game.Rules, s game.State, m game.Move) int {
	rows := strings.Split(strings.Fields(rules.Format(s))[0], "/")
	row, col := int(m.To)/9, int(m.To)%9
	weight := 2
	if row/3 == 1 && col/3 == 1 {
		weight += 3
	}
	if row%3 == 1 && col%3 == 1 {
		weight += 3
	}
	own, other := "XO"[rules.Turn(s)], "OX"[rules.Turn(s)]
	if slowCompletes(rows, row, col, own) {
		worth := 10
		switch i, j := row/3, col/3; {
		case i == 1 && j == 1:
			worth += 11
		case i != 1 && j != 1:
			worth += 4
		}
		weight += 4 * worth
	}
	if slowCompletes(rows, row, col, other) {
		weight += 10
	}
	return weight
}

// slowCompletes reports whether a mark on a cell completes a line of its board.
func slowCompletes(rows []string, row, col int, mark byte) bool {
	top, left := row/3*3, col/3*3
	marked := func(i, j int) bool {
		return top+i == row && left+j == col || rows[top+i][left+j] == mark
	}
	for i := range 3 {
		if row-top == i && marked(i, 0) && marked(i, 1) && marked(i, 2) || col-left == i && marked(0, i) && marked(1, i) && marked(2, i) {
			return true
		}
	}
	i, j := row-top, col-left
	return i == j && marked(0, 0) && marked(1, 1) && marked(2, 2) || i+j == 2 && marked(0, 2) && marked(1, 1) && marked(2, 0)
}

// Moves of a playout are drawn as their weights say, and no others are: anywhere, and in the
// board that is to be played in.
func TestDrawByWeight(t *testing.T) {
	rules, core := ultimateRules(t)
	for ply := 0; ply < 40; ply += 3 {
		s, r := rules.Start(), NewRand(uint64(ply))
		for range ply {
			moves := rules.Moves(nil, s)
			s = rules.Play(s, moves[r.Below(len(moves))])
		}
		words := core.Of(s)
		p := ultimateGame{board: uint8(words[2] >> toPlay & 15)}
		p.cells[0], p.cells[1] = unpack(words)
		mover, waiting := wonOf(words)
		p.won = [2]uint16{uint16(mover), uint16(waiting)}
		drawn, sum := [81]int{}, 0
		for _, m := range rules.Moves(nil, s) {
			sum += slowWeight(rules, s, m)
		}
		for range 20 * sum {
			b, c, ok := p.drawByWeight(0, &r)
			if !ok {
				t.Fatalf("%s: nothing is drawn", rules.Format(s))
			}
			drawn[int(b/3*3+c/3)*9+int(b%3*3+c%3)]++
		}
		for _, m := range rules.Moves(nil, s) {
			want := 20 * float64(slowWeight(rules, s, m))
			if got := float64(drawn[m.To]); math.Abs(got-want) > 6*math.Sqrt(want) {
				t.Errorf("%s: %s is drawn %v times, not %v", rules.Format(s), rules.FormatMove(m), got, want)
			}
			drawn[m.To] = 0
		}
		if drawn != [81]int{} {
			t.Errorf("%s: illegal moves are drawn: %v", rules.Format(s), drawn)
		}
	}
}

func TestEvaluationOfUltimateByHand(t *testing.T) {
	rules, core := ultimateRules(t)
	rows := func(rows map[int]string, end string) string {
		var all []string
		for i := range 9 {
			if rows[i] == "" {
				rows[i] = "........."
			}
			all = append(all, rows[i])
		}
		return strings.Join(all, "/") + end
	}
	for _, c := range []struct {
		text string
		want int
	}{
		{rules.Format(rules.Start()), 0},
		{rules.Example(), -6},                                                         // O is to move, X has the centre of the centre
		{rows(map[int]string{0: "XXX......"}, " x -"), 14},                            // a corner board
		{rows(map[int]string{0: "...XXX..."}, " o -"), -10},                           // a board between corners
		{rows(map[int]string{3: "...XXX..."}, " x -"), 21},                            // the centre board
		{rows(map[int]string{0: "XX......."}, " x -"), 2},                             // a pair
		{rows(map[int]string{0: "XXO......"}, " x -"), 0},                             // no pair any more
		{rows(map[int]string{0: "X.X......", 1: ".X......."}, " x -"), 3 + 3*2},       // the centre cell, three pairs
		{rows(map[int]string{4: "...XX....", 3: ".....O..."}, " x -"), 3 + 6 + 2 - 3}, // in the centre board
	} {
		s, err := rules.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := core.Evaluate(core.Of(s)); got != c.want {
			t.Errorf("%s looks like %d, want %d", c.text, got, c.want)
		}
	}
}

// An evaluation for one player is the negative of the other's.
func TestEvaluationOfUltimateIsBounded(t *testing.T) {
	rules, core := ultimateRules(t)
	rapid.Check(t, func(t *rapid.T) {
		s := core.Of(drawGame(t, rules, 0, 81))
		mover, waiting := unpack(s)
		swapped := wordsOf(waiting, mover, uint8(s[2]>>toPlay&15))
		got := core.Evaluate(s)
		if max(got, -got) > MaxEvaluation || core.Evaluate(swapped) != -got {
			t.Fatalf("%x looks like %d, and like %d to the other player", s, got, core.Evaluate(swapped))
		}
	})
}

// Nothing is taken from the heap, and states are spread over a table.
func TestUltimateIsLean(t *testing.T) {
	rules, core := ultimateRules(t)
	start, rand := core.Of(rules.Start()), NewRand(1)
	buf := make([]game.Move, 0, 128)
	if allocs := testing.AllocsPerRun(20, func() {
		core.Playout(start, &rand)
		core.WeightedPlayout(start, &rand)
		for _, m := range core.Moves(buf, start) {
			core.Evaluate(core.Play(start, m))
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	var states []Words
	seen := map[Words]bool{}
	for len(states) < 4000 {
		s := start
		for range 1 + rand.Below(60) {
			moves := core.Moves(buf, s)
			if len(moves) == 0 {
				break
			}
			s = core.Play(s, moves[rand.Below(len(moves))])
		}
		if !seen[s] {
			seen[s] = true
			states = append(states, s)
		}
	}
	checkHash[Words](t, core, states)
}
