package grade

import (
	"context"
	"math"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/internal/parallel"
	"backsolve/internal/player/arena"
	"backsolve/internal/search"
)

// MostTurns exceeds the length of any game here without cycles.
const MostTurns = 1000

// together is the number of agents whose games are played side by side. More make larger batches,
// which are not faster, and progress rarer.
const together = 128

const firstRating = 1000

// Ratings has the rating of each agent after its games against all earlier ones, and after all games.
type Ratings struct{ Entered, Final []float64 }

// Mover is an agent whose moves depend on the position alone. It is safe for concurrent use.
type Mover interface {
	Moves(ctx context.Context, positions []game.State) ([]game.Move, error)
}

// Tournament rates successive agents. Each plays all earlier ones, one game on each side, from
// a position. It rates the same games twice: level where every agent enters with 1000, and
// inherited where it enters with the rating of its predecessor, as in the published program.
// progress, unless it is nil, gets the last agent whose games are over and the number of pairs.
func Tournament(ctx context.Context, rules game.Rules, start game.State, agents []Mover, threads int, progress func(agent, pairs int)) (level, inherited *Ratings, err error) {
	level, inherited = &Ratings{}, &Ratings{}
	own, heir := &Elo{}, &Elo{Either: true}
	t := &tournament{rules: rules, agents: agents, threads: threads}
	for range agents {
		t.chosen = append(t.chosen, map[game.State]game.Move{})
	}
	for first := 0; first < len(agents); first += together {
		end := min(first+together, len(agents))
		scores, err := t.play(ctx, start, first, end)
		if err != nil {
			return nil, nil, err
		}
		for i := first; i < end; i++ {
			own.Enter(firstRating)
			if i == 0 {
				heir.Enter(firstRating)
			} else {
				heir.Enter(heir.ratings[i-1])
			}
			for j := range i {
				for _, e := range []*Elo{own, heir} {
					e.Game(i, j, scores[0])
					e.Game(i, j, 1-scores[1])
				}
				scores = scores[2:]
			}
			level.Entered = append(level.Entered, own.ratings[i])
			inherited.Entered = append(inherited.Entered, heir.ratings[i])
		}
		if progress != nil {
			progress(end-1, end*(end-1)/2)
		}
	}
	level.Final, inherited.Final = own.ratings, heir.ratings
	return level, inherited, nil
}

// tournament plays games side by side, and remembers moves: agents meet the same positions in most.
type tournament struct {
	rules   game.Rules
	agents  []Mover
	threads int
	chosen  []map[game.State]game.Move // of each agent
}

// pairing is a game between two agents, the first of which has begun.
type pairing struct {
	agents [2]int
	state  game.State
	score  float64 // of the first: 1, ½ or 0
	over   bool
}

// play plays two games between each of some agents and each earlier one. The scores are for
// the agent that begins: the later one in the first game.
func (t *tournament) play(ctx context.Context, start game.State, first, end int) (scores []float64, err error) {
	var all []*pairing
	for i := first; i < end; i++ {
		for j := range i {
			all = append(all, &pairing{agents: [2]int{i, j}, state: start, score: 0.5}, &pairing{agents: [2]int{j, i}, state: start, score: 0.5})
		}
	}
	open := slices.Clone(all)
	for ply := 0; len(open) > 0 && ply < 2*MostTurns; ply++ {
		if err := t.choose(ctx, open, ply%2); err != nil {
			return nil, err
		}
		for _, p := range open {
			p.state = t.rules.Play(p.state, t.chosen[p.agents[ply%2]][p.state])
			var outcome game.Outcome // for the player to move
			if outcome, p.over = t.rules.Terminal(p.state); p.over && ply%2 == 0 {
				outcome = outcome.Flip()
			}
			if p.over {
				p.score = float64(1+search.Sign(outcome)) / 2
			}
		}
		open = slices.DeleteFunc(open, func(p *pairing) bool { return p.over })
	}
	for _, p := range all {
		scores = append(scores, p.score)
	}
	return scores, nil
}

// choose asks agents for their moves in the games in which they have not met the position yet.
func (t *tournament) choose(ctx context.Context, open []*pairing, side int) error {
	asked := make([][]game.State, len(t.agents)) // in the order of the games: chance is the same in each run
	for _, p := range open {
		agent := p.agents[side]
		if _, known := t.chosen[agent][p.state]; !known {
			t.chosen[agent][p.state] = game.Move{}
			asked[agent] = append(asked[agent], p.state)
		}
	}
	return parallel.Each(len(t.agents), t.threads, func(next func() (int, bool)) error {
		for agent, ok := next(); ok; agent, ok = next() {
			if asked[agent] == nil {
				continue
			}
			moves, err := t.agents[agent].Moves(ctx, asked[agent])
			if err != nil {
				return err
			}
			for i, s := range asked[agent] {
				t.chosen[agent][s] = moves[i]
			}
		}
		return nil
	})
}

// Elo keeps ratings by the rule of Zhou and Riis (Impartial games: a challenge for reinforcement
// learning): a game changes the rating of a player by K·(s − e), where s is 1 for a win, ½ for a draw
// and 0 for a loss, and e is 1/(1 + 10^(d/400)) for an opponent who is better by d. K is 32 for a player
// of more than 20 games, else 16. The caller sets the rating with which a player enters.
type Elo struct {
	// Either makes K 32 for both if either has 20 games or more, as in the published program.
	Either bool

	ratings []float64
	games   []int
}

// Enter adds a player with a rating and returns its index.
func (e *Elo) Enter(rating float64) int {
	e.ratings, e.games = append(e.ratings, rating), append(e.games, 0)
	return len(e.ratings) - 1
}

// Game counts a game of players i and j, with the score 1, ½ or 0 of i.
func (e *Elo) Game(i, j int, score float64) {
	expected := 1 / (1 + math.Pow(10, (e.ratings[j]-e.ratings[i])/400))
	change := score - expected
	k, l := e.factor(i, j), e.factor(j, i)
	e.ratings[i] += k * change
	e.ratings[j] -= l * change
	e.games[i]++
	e.games[j]++
}

// factor returns the K factor of player i in a game against another.
func (e *Elo) factor(i, other int) float64 {
	if e.games[i] > 20 || e.Either && max(e.games[i], e.games[other]) >= 20 {
		return 32
	}
	return 16
}

// GameText is the same for games in which the same agents make the same moves.
func GameText(r *arena.Record) string {
	return r.First + " " + r.Start + " " + strings.Join(r.Moves, " ")
}

// Play plays a match, and counts the games that differ as the first agent's results as first and as
// second player: deterministic agents repeat games. After each game it calls report, unless nil.
func Play(ctx context.Context, m *arena.Match, report func(*arena.Record)) (s *arena.Summary, different [2]arena.Tally, err error) {
	games := map[string]bool{}
	own := m.Labels()[0]
	s, err = m.Play(ctx, func(r *arena.Record) error {
		if report != nil {
			report(r)
		}
		key := GameText(r)
		if games[key] {
			return nil
		}
		games[key] = true
		side := 0
		if r.First != own {
			side = 1
		}
		different[side].Count(r.Result.For(side))
		return nil
	})
	return s, different, err
}
