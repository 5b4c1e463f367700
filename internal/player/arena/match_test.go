package arena

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

// playAll plays a match and returns its records as the lines that are saved.
func playAll(t *testing.T, m *Match) (*Summary, []*Record, string) {
	t.Helper()
	var records []*Record
	var lines bytes.Buffer
	s, err := m.Play(t.Context(), func(r *Record) error {
		records = append(records, r)
		return json.NewEncoder(&lines).Encode(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, records, lines.String()
}

// The same seed gives the same games with any number of threads, another seed
// others.
func TestSameSeedSameGames(t *testing.T) {
	table := solve(t, "quixo", 3, true)
	m := Match{Rules: opaque(table.Rules()), Start: table.Start(), Games: 60, Turns: 30, Seed: 7, Threads: 1, Agents: [2]player.Agent{
		player.Greedy(opaque(table.Rules())), perfect(t, table, player.Strength{Policy: player.Shortest, Blunder: 0.3}),
	}}
	s, _, want := playAll(t, &m)
	for _, threads := range []int{2, 5, 100} {
		m.Threads = threads
		got, _, lines := playAll(t, &m)
		if lines != want {
			t.Errorf("other games with %d threads", threads)
		}
		got.Thinking, got.Longest = s.Thinking, s.Longest
		if !reflect.DeepEqual(s, got) {
			t.Errorf("%d threads: got %+v\nwant %+v", threads, got, s)
		}
	}
	m.Seed = 8
	if _, _, lines := playAll(t, &m); lines == want {
		t.Error("the same games with another seed")
	}
}

// What is saved can be read, agrees with the rules, and has the same summary but
// for the times.
func TestRecordsTellAll(t *testing.T) {
	table := solve(t, "quixo", 3, true)
	rules := opaque(table.Rules())
	breaks := &fake{name: "breaks", move: func(_ context.Context, seed uint64, number int, p game.State) (game.Move, error) {
		moves := rules.Moves(nil, p)
		if number == 3 && seed%2 == 0 {
			return game.Move{}, errBroken
		}
		return moves[player.NewRand(seed+uint64(number)).IntN(len(moves))], nil
	}}
	for _, agents := range [][2]player.Agent{
		{breaks, perfect(t, table, player.Strength{Policy: player.Optimal, Blunder: 0.5})},
		{player.Random(rules), player.Random(rules)},
	} {
		m := Match{Rules: rules, Start: rules.Start(), Agents: agents, Games: 50, Turns: 4, Seed: 3, Threads: 3}
		s, records, lines := playAll(t, &m)
		again := &Summary{Agents: m.Labels()}
		i := 0
		for r, err := range ReadRecords(strings.NewReader(lines)) {
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(records[i], r) {
				t.Errorf("read back: got %+v\nwant %+v", r, records[i])
			}
			if err := r.Check(rules); err != nil {
				t.Errorf("game %d: %v", r.Number, err)
			}
			if err := again.Add(r); err != nil {
				t.Error(err)
			}
			i++
		}
		if i != m.Games || s.Began.Plus(s.Replied).Games() != m.Games || s.Began.Games() != m.Games/2 {
			t.Errorf("%d records; %+v", i, s)
		}
		again.Moves, again.Thinking, again.Longest = s.Moves, s.Thinking, s.Longest
		if !reflect.DeepEqual(s, again) {
			t.Errorf("summary of the records: got %+v\nwant %+v", again, s)
		}
		checkCounts(t, s, records)
	}
}

// checkCounts recounts a summary from the winners' names.
func checkCounts(t *testing.T, s *Summary, records []*Record) {
	t.Helper()
	want := Summary{Agents: s.Agents, Moves: s.Moves, Thinking: s.Thinking, Longest: s.Longest}
	for _, r := range records {
		tally := &want.Began
		if r.First != s.Agents[0] {
			tally = &want.Replied
		}
		switch {
		case r.Winner == nil:
			tally.Draws++
			want.Results = append(want.Results, 'd')
		case *r.Winner == s.Agents[0]:
			tally.Wins++
			want.Results = append(want.Results, 'w')
			if r.Reason == ByFailure {
				want.Failures[1]++
			}
		default:
			tally.Losses++
			want.Results = append(want.Results, 'l')
			if r.Reason == ByFailure {
				want.Failures[0]++
			} else {
				want.Lost++
				want.LostPlies += r.Plies
				want.LostPliesSquared += r.Plies * r.Plies
			}
		}
	}
	if !reflect.DeepEqual(&want, s) {
		t.Errorf("counted again: got %+v\nwant %+v", s, &want)
	}
	if s.Began.Wins == 0 || s.Replied.Wins == 0 || s.Lost == 0 {
		t.Errorf("too little has happened: %+v", s)
	}
}

// Perfect players of Quixo 3×3, which the first player wins in 7, take that number of plies and
// win the games that they begin.
func TestPerfectAgainstPerfect(t *testing.T) {
	table := solve(t, "quixo", 3, true)
	best := perfect(t, table, player.Strength{Policy: player.Shortest})
	m := Match{Rules: opaque(table.Rules()), Start: table.Start(), Agents: [2]player.Agent{best, best}, Games: 20, Turns: 30, Threads: 2}
	s, records, _ := playAll(t, &m)
	for _, r := range records {
		if r.Plies != 7 || r.Result != FirstWins {
			t.Errorf("game %d: %s in %d plies", r.Number, r.Result, r.Plies)
		}
	}
	if s.Began != (Tally{Wins: 10}) || s.Replied != (Tally{Losses: 10}) || s.LostPlies != 70 || Strength(s.Began, s.Replied).Value != 50 {
		t.Errorf("%+v", s)
	}
	if s.Agents != [2]string{"shortest#1", "shortest#2"} {
		t.Errorf("labels %q", s.Agents)
	}
}

// An agent that replies in all games begins none, and its moves are still its own.
func TestReplies(t *testing.T) {
	table := solve(t, "quixo", 3, true)
	best := perfect(t, table, player.Strength{Policy: player.Shortest})
	m := Match{Rules: opaque(table.Rules()), Start: table.Start(), Agents: [2]player.Agent{best, best}, Games: 21, Replies: true, Turns: 30, Threads: 2}
	s, records, _ := playAll(t, &m)
	for _, r := range records {
		if r.First != "shortest#2" || r.Second != "shortest#1" || r.Result != FirstWins {
			t.Errorf("%+v", r)
		}
	}
	// Of 7 plies the second player makes 3.
	if s.Began != (Tally{}) || s.Replied != (Tally{Losses: 21}) || s.Lost != 21 || s.LostPlies != 7*21 || s.Moves != [2]int{3 * 21, 4 * 21} {
		t.Errorf("%+v", s)
	}
	broken := &fake{name: "A", move: func(_ context.Context, _ uint64, number int, p game.State) (game.Move, error) {
		if number > 0 {
			return game.Move{}, errBroken
		}
		return m.Rules.Moves(nil, p)[0], nil
	}}
	m.Agents[0] = broken
	_, err := m.Play(t.Context(), nil)
	if want := "A cannot play: it failed in each of the first 3 games in which it replied, most recently: it is broken"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A report that fails ends the match with its error, and no game is lost before.
func TestReportFails(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	full := errors.New("the disk is full")
	for _, threads := range []int{1, 4} {
		m := Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{player.Random(rules), player.Greedy(rules)}, Games: 500, Turns: 9, Threads: threads}
		var numbers []int
		_, err := m.Play(t.Context(), func(r *Record) error {
			if numbers = append(numbers, r.Number); r.Number == 10 {
				return full
			}
			return nil
		})
		if err != full || len(numbers) != 10 {
			t.Errorf("%d threads: %v after the games %v", threads, err, numbers)
		}
	}
}

func TestMatchEndsWithItsContext(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	waits := failing("waits", rules, 1, func(ctx context.Context, _ game.State) (game.Move, error) {
		cancel(enough)
		<-ctx.Done()
		return game.Move{}, context.Cause(ctx)
	})
	m := Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{waits, waits}, Games: 50, Turns: 9, Threads: 3}
	if _, err := m.Play(ctx, nil); err != enough {
		t.Errorf("%v", err)
	}
}

func TestRecordsThatAreWrong(t *testing.T) {
	rules := newRules(t, "notakto", 3)
	good := func() *Record {
		first := "a"
		return &Record{Number: 1, Game: "notakto", Size: 3, First: "a", Second: "b", Turns: 9, Start: ".../.../...",
			Moves: []string{"a1", "b1", "a2", "c1"}, Plies: 4, Winner: &first, Result: FirstWins, Reason: ByRules}
	}
	if err := good().Check(rules); err != nil {
		t.Fatal(err)
	}
	second := "b"
	for want, change := range map[string]func(r *Record){
		`"...", column 4`:                        func(r *Record) { r.Start = "..." },
		"ply 2: ":                                func(r *Record) { r.Moves[1] = "a1" },
		"there are 4 moves, but 5 plies":         func(r *Record) { r.Plies = 5 },
		"the game is not over after 3 plies":     func(r *Record) { r.Moves, r.Plies = r.Moves[:3], 3 },
		`but the moves lead to "first" by "rule`: func(r *Record) { r.Result, r.Winner = SecondWins, &second },
		"the winner does not go with":            func(r *Record) { r.Winner = nil },
		`lead to "draw" by "turn limit"`:         func(r *Record) { r.Moves, r.Plies, r.Turns = r.Moves[:2], 2, 1 },
		`lead to "second" by "failure"`: func(r *Record) {
			r.Moves, r.Plies, r.Reason = r.Moves[:2], 2, ByFailure
		},
	} {
		r := good()
		change(r)
		if err := r.Check(rules); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for r, err := range ReadRecords(strings.NewReader(`{"number":1}` + "\nnonsense\n" + `{"number":3}`)) {
		if r == nil && !strings.HasPrefix(err.Error(), "line 2 is not the record of a game: ") || r != nil && r.Number != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	s := &Summary{Agents: [2]string{"a", "c"}}
	if err := s.Add(good()); err == nil || err.Error() != "game 1 is one of a and b, the ones before are of a and c" {
		t.Errorf("%v", err)
	}
}

// Seeds differ between games and sides, and all readers of JSON can tell them
// apart.
func TestSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(10) {
		for number := range 1000 {
			for side := range 2 {
				s := Seed(seed, number, side)
				if seen[s] || s >= 1<<53 {
					t.Fatalf("%d for seed %d, game %d, side %d", s, seed, number, side)
				}
				seen[s] = true
			}
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"notakto", 4}} {
		table := solve(b, board.name, board.n, true)
		rules := opaque(table.Rules())
		for _, agents := range [][2]player.Agent{
			{player.Random(rules), player.Random(rules)},
			{player.Greedy(rules), perfect(b, table, player.Strength{Policy: player.Optimal})},
		} {
			b.Run(board.name+"/"+agents[0].Name()+"-"+agents[1].Name(), func(b *testing.B) {
				m := Match{Rules: rules, Start: rules.Start(), Agents: agents, Games: b.N, Turns: 200, Threads: 1}
				if _, err := m.Play(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
			})
		}
	}
}
