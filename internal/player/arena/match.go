package arena

import (
	"context"
	"fmt"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

// Match is a number of games between two agents, who may take turns to begin.
type Match struct {
	Rules game.Rules
	// Start is the first position of all games, which is not over.
	Start game.State
	// Starts, unless nil, has the start of each game, in place of Start. A begins all of them.
	Starts []game.State
	// Agents are A and B. A begins the first game, unless Replies is set.
	Agents [2]player.Agent
	// Games is the number of games.
	Games int
	// Replies lets B begin all games.
	Replies bool
	// Turns is the limit of turns of each game, as in Game.
	Turns int
	// Seed determines the seeds of both players in each game, so that threads change only the times.
	Seed uint64
	// Threads is the number of games that are played at once, 1 or more.
	Threads int
}

// Labels returns the names of the agents, with numbers if equal: random#1, random#2.
func (m *Match) Labels() [2]string {
	a, b := m.Agents[0].Name(), m.Agents[1].Name()
	if a == b {
		return [2]string{a + "#1", b + "#2"}
	}
	return [2]string{a, b}
}

// Play reports the records of the games in order, unless report is nil, in the calling goroutine. The error is
// the error of report, the cause of ctx, or a *UnableError: an agent fails before it has made a move in any game, or in
// each of its first games, which ends the match.
func (m *Match) Play(ctx context.Context, report func(*Record) error) (*Summary, error) {
	s, t := &Summary{Agents: m.Labels()}, &trial{}
	play := func(ctx context.Context, i int) (*Played, error) { return m.game(i).Play(ctx) }
	err := inOrder(ctx, m.Games, m.Threads, play, func(i int, d *Played) error {
		r := m.record(i, d)
		s.time(m.beginner(i), d.Times)
		if err := s.Add(r); err != nil {
			return err
		}
		if report != nil {
			if err := report(r); err != nil {
				return err
			}
		}
		return t.judge(m, i, d)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// beginner returns 0 if A begins the i-th game, else 1. They take turns unless Starts or Replies is set.
func (m *Match) beginner(i int) int {
	if m.Starts != nil {
		return 0
	}
	if m.Replies {
		return 1
	}
	return i % 2
}

func (m *Match) game(i int) *Game {
	first := m.beginner(i)
	g := &Game{
		Rules: m.Rules, Start: m.Start, Turns: m.Turns,
		Agents: [2]player.Agent{m.Agents[first], m.Agents[1-first]},
		Seeds:  [2]uint64{Seed(m.Seed, i, 0), Seed(m.Seed, i, 1)},
	}
	if m.Starts != nil {
		g.Start = m.Starts[i]
	}
	return g
}

func (m *Match) record(i int, d *Played) *Record {
	labels, first, g := m.Labels(), m.beginner(i), m.game(i)
	r := &Record{
		Number: i + 1, Game: m.Rules.Info().Name, Size: m.Rules.Info().Size,
		First: labels[first], Second: labels[1-first],
		Seeds:  g.Seeds,
		Turns:  m.Turns,
		Start:  m.Rules.Format(g.Start),
		Moves:  make([]string, len(d.Moves)),
		Plies:  len(d.Moves),
		Result: d.Result, Reason: d.Reason, Failure: d.Failure,
	}
	s := g.Start
	for j, move := range d.Moves {
		r.Moves[j] = game.MoveText(m.Rules, s, move)
		s = m.Rules.Play(s, move)
	}
	switch d.Result {
	case FirstWins:
		r.Winner = &r.First
	case SecondWins:
		r.Winner = &r.Second
	}
	return r
}

// Summary is the result of a match.
type Summary struct {
	// Agents are the labels of A and B.
	Agents [2]string
	// Began and Replied are A's results in the games that A and B began.
	Began, Replied Tally
	// Results has a letter for each game, as Difference expects: w, d or l.
	Results []byte
	// Failures are the games that A and B lost because they failed.
	Failures [2]int
	// Lost counts games that A lost by the rules; LostPlies sums their plies, LostPliesSquared the squares.
	Lost, LostPlies, LostPliesSquared int
	// Moves and Thinking are the number of moves of A and B and the total time for them, Longest the longest time for one. Records that are
	// read have no times.
	Moves    [2]int
	Thinking [2]time.Duration
	Longest  [2]time.Duration
}

// Add counts a game. It is an error if other agents played it.
func (s *Summary) Add(r *Record) error {
	tally, beginner := &s.Began, 0
	switch [2]string{r.First, r.Second} {
	case s.Agents:
	case [2]string{s.Agents[1], s.Agents[0]}:
		tally, beginner = &s.Replied, 1
	default:
		return fmt.Errorf("game %d is one of %s and %s, the ones before are of %s and %s", r.Number, r.First, r.Second, s.Agents[0], s.Agents[1])
	}
	outcome := r.Result.For(beginner) // A moves first if beginner is 0
	tally.Count(outcome)
	s.Results = append(s.Results, outcome.String()[0])
	switch {
	case r.Reason == ByFailure && outcome == game.Win:
		s.Failures[1]++
	case r.Reason == ByFailure:
		s.Failures[0]++
	case outcome == game.Lose:
		s.Lost++
		s.LostPlies += r.Plies
		s.LostPliesSquared += r.Plies * r.Plies
	}
	return nil
}

// time adds the times of the moves of a game, which agent A or B began.
func (s *Summary) time(beginner int, times []time.Duration) {
	for ply, took := range times {
		agent := (ply + beginner) % 2
		s.Moves[agent]++
		s.Thinking[agent] += took
		s.Longest[agent] = max(s.Longest[agent], took)
	}
}

// maxSeed is the greatest integer that every JSON reader represents exactly.
const maxSeed = 1<<53 - 1

// Seed returns the seed, less than 2⁵³, of a game by its number from 0 on, for side 0 (which begins) or 1.
func Seed(seed uint64, number, side int) uint64 {
	return search.Mix(search.Mix(search.Mix(seed)+uint64(number))+uint64(side)) & maxSeed
}
