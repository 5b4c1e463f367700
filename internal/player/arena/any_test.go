package arena

import (
	"context"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/gametest"
	"backsolve/game/notakto"
	"backsolve/internal/player"
	"backsolve/internal/player/mcts"
	"backsolve/internal/player/minimax"
)

// A match of a game with passes and drawn ends is recorded, checked and summed up like any other:
// a pass is a ply, and hands over the turn.
func TestMatchOfAnyGame(t *testing.T) {
	rules := gametest.NewStrip(7)
	m := Match{Rules: rules, Start: rules.Start(), Games: 60, Turns: 20, Seed: 4, Threads: 2}
	m.Agents = [2]player.Agent{player.Random(rules), player.Greedy(rules)}
	s, records, lines := playAll(t, &m)
	checkCounts(t, s, records)
	passes, draws := 0, 0
	for _, r := range records {
		if err := r.Check(rules); err != nil {
			t.Errorf("game %d: %v", r.Number, err)
		}
		if r.Result == Drawn && r.Reason == ByRules {
			draws++
		}
		if at := slices.Index(r.Moves, game.PassText); at >= 0 {
			passes++
			checkPass(t, rules, r, at)
		}
	}
	if passes < 5 || draws < 5 || s.Began.Plus(s.Replied).Draws != draws {
		t.Errorf("%d games with passes and %d draws: %+v", passes, draws, s)
	}
	for r, err := range ReadRecords(strings.NewReader(lines)) {
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(rules); err != nil {
			t.Errorf("game %d, read back: %v", r.Number, err)
		}
	}
}

// checkPass wants a record to be refused without its pass, and with an extra one.
func checkPass(t *testing.T, rules game.Rules, r *Record, at int) {
	t.Helper()
	without, twice := *r, *r
	without.Moves = slices.Delete(slices.Clone(r.Moves), at, at+1)
	twice.Moves = slices.Insert(slices.Clone(r.Moves), at, game.PassText)
	for _, wrong := range []*Record{&without, &twice} {
		wrong.Plies = len(wrong.Moves)
		if err := wrong.Check(rules); err == nil {
			t.Errorf("%q is taken for %q", wrong.Moves, r.Moves)
		}
	}
}

// Agents that search meet in such games, and who searches to the end has lost none
// that it could win.
func TestSearchersOfAnyGame(t *testing.T) {
	rules := gametest.NewStrip(7)
	all := minimax.New(rules, minimax.Options{Depth: 12})
	some, err := mcts.New(rules, mcts.Options{Iterations: 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, opponent := range []player.Agent{some, player.Random(rules), all} {
		m := Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{all, opponent}, Games: 20, Turns: 20, Threads: 2}
		s, _, _ := playAll(t, &m)
		if s.Began != (Tally{Wins: 10}) { // as seven cells are won by who begins
			t.Errorf("against %s: %+v", opponent.Name(), s)
		}
	}
}

// Matches work on a board that is not a grid: the pairing wins as second player, records
// name the board, and illegal moves are reported.
func TestMatchOnWideBoard(t *testing.T) {
	rules := newRules(t, "notakto", 12)
	pairing, err := player.ByFormula(rules, notakto.Pairing)
	if err != nil {
		t.Fatal(err)
	}
	m := Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{player.Greedy(rules), pairing}, Games: 6, Turns: 72, Threads: 2}
	s, records, _ := playAll(t, &m)
	if s.Began != (Tally{Losses: 3}) {
		t.Errorf("%+v", s)
	}
	for _, r := range records {
		if err := r.Check(rules); err != nil || r.Game != "notakto" || r.Size != 12 || r.Reason != ByRules {
			t.Errorf("%s %d by %s: %v", r.Game, r.Size, r.Reason, err)
		}
	}
	for m, want := range map[game.Move]string{
		{From: 0, To: 0}:     "its move a12 is not legal in X",
		{From: 200, To: 201}: "its move of the numbers 200 and 201 is not a move of the game, in X",
		game.Pass:            "its move of the numbers 255 and 255 is not a move of the game, in X",
	} {
		bad := failing("bad", rules, 0, func(context.Context, game.State) (game.Move, error) { return m, nil })
		start := rules.Play(rules.Start(), game.Move{})
		g := Game{Rules: rules, Start: start, Agents: [2]player.Agent{bad, firstMove(rules)}, Turns: 5}
		d, err := g.Play(t.Context())
		if err != nil || d.Result != SecondWins || d.Reason != ByFailure || !strings.HasPrefix(d.Failure, want) {
			t.Errorf("%+v, %v, want %s", d, err, want)
		}
	}
}
