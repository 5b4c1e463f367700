package main

import (
	"context"
	"errors"
	"runtime"
	"time"

	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
)

// timePoint is the processor time that an agent takes for a move in fixed positions. It is
// measured once, and used wherever a time is shown.
type timePoint struct {
	Agent          string  `json:"agent"`
	Positions      int     `json:"positions"`
	SecondsPerMove float64 `json:"seconds_per_move"`
}

const (
	timed = 20 // positions
	// leastTimed is how long a measurement takes at least, by repetition: the system counts the
	// processor time of short ones coarsely.
	leastTimed = 20 * time.Millisecond
)

// clock returns the job that measures the time of an agent, none if its point exists.
func clock(st *store[timePoint], c contender) []job {
	set := st.Settings
	if st.has(func(p timePoint) bool { return p.Agent == c.label }) {
		return nil
	}
	return []job{{
		what: boardWord(set.Game, set.Size) + ": time of " + c.label,
		cost: float64(set.States) * c.cost() / 12,
		do: func(ctx context.Context, _ func(float64)) error {
			agent, err := agents.Parse(ctx, c.name, st.env)
			if err != nil {
				return err
			}
			defer agent.Close()
			positions := middlePositions(st.env.Rules, set.Seed, set.States)
			runtime.GC() // that earlier work is owed
			moves, begun := 0, machine.ProcessorTime()
			for moves == 0 || machine.ProcessorTime()-begun < leastTimed {
				for i, p := range positions {
					if err := moveOnce(ctx, agent, p, arena.Seed(set.Seed, i, 1)); err != nil {
						return err
					}
					moves++
				}
			}
			return st.add(timePoint{c.label, set.States, perMove(machine.ProcessorTime()-begun, moves)})
		},
	}}
}

// moveOnce asks for the first move of a new player.
func moveOnce(ctx context.Context, agent player.Agent, s game.State, seed uint64) error {
	p, err := agent.Begin(seed)
	if err != nil {
		return err
	}
	_, err = p.Move(ctx, s)
	return errors.Join(err, p.Close())
}

// middlePositions returns positions of random games, each from another game and any ply of it
// with the same probability.
func middlePositions(rules game.Rules, seed uint64, n int) (all []game.State) {
	for i := range n {
		r := player.NewRand(arena.Seed(seed, i, 0))
		var seen []game.State
		s := rules.Start()
		for len(seen) < longestRandom {
			if _, over := rules.Terminal(s); over {
				break
			}
			seen = append(seen, s)
			moves := rules.Moves(nil, s)
			s = rules.Play(s, moves[r.IntN(len(moves))])
		}
		all = append(all, seen[r.IntN(len(seen))])
	}
	return all
}

// longestRandom ends random games that do not end.
const longestRandom = 400

// retime replaces the times of points by those of the agents in fixed positions, 0 if unknown.
func (l *ladder) retime(times *data[timePoint]) {
	by := map[string]float64{}
	if times != nil {
		for _, p := range times.Points {
			by[p.Agent] = p.SecondsPerMove
		}
	}
	for _, d := range []*data[matchPoint]{l.strength, l.players, l.length} {
		if d != nil {
			for i := range d.Points {
				d.Points[i].SecondsPerMove = by[d.Points[i].Agent]
			}
		}
	}
	if l.accuracy != nil {
		for i := range l.accuracy.Points {
			l.accuracy.Points[i].SecondsPerMove = by[l.accuracy.Points[i].Agent]
		}
	}
}
