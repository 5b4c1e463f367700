package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/research/grade"
)

// job adds one point to a file.
type job struct {
	what string  // mcts:1000 against optimal
	cost float64 // time, relative to other jobs
	// do works, and reports the share of the job that is done.
	do func(ctx context.Context, report func(share float64)) error
}

// run does the jobs, the cheapest first so that a short run brings points of each kind, and shows
// their progress. After the deadline, unless it is zero, it begins no further one. It returns the
// number of jobs that are left.
func (r *runner) run(title string, deadline time.Time) (left int, err error) {
	jobs := r.jobs
	if len(jobs) == 0 {
		return 0, nil
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(a.cost, b.cost) })
	p, stop := r.watch(r.cmd, "series", title)
	defer stop()
	done, total := 0.0, 0.0
	for _, j := range jobs {
		total += j.cost
	}
	p.Begin("units", 0, total)
	for i, j := range jobs {
		if !deadline.IsZero() && time.Now().After(deadline) {
			return len(jobs) - i, nil
		}
		p.Update(j.what, done)
		if err := j.do(r.cmd.Context(), func(share float64) { p.Update(j.what, done+share*j.cost) }); err != nil {
			return len(jobs) - i, withRemedy(err)
		}
		done += j.cost
	}
	return 0, nil
}

// contender is an agent in a series.
type contender struct {
	name  string // on a command line
	label string // in the points; the same label is the same agent
}

func mcts(iterations int) contender {
	name := fmt.Sprintf("mcts:%d", iterations)
	return contender{name, name}
}

// cost is the approximate time of a move, in iterations.
func (c *contender) cost() float64 {
	if depth, ok := strings.CutPrefix(c.label, "minimax:depth="); ok {
		n, _ := strconv.Atoi(depth)
		return math.Pow(6, float64(n))
	}
	return float64(max(0, iterationsOf(c.label))) + 20
}

// match returns the job that plays a match, none if its point exists.
func match(st *store[matchPoint], c contender, opponent string) []job {
	set := st.Settings
	if st.has(func(p matchPoint) bool { return p.Agent == c.label && p.Opponent == opponent }) {
		return nil
	}
	return []job{{
		what: set.word() + ": " + c.label + " against " + opponent,
		cost: float64(set.Games) * c.cost(),
		do: func(ctx context.Context, report func(share float64)) error {
			m := arena.Match{
				Rules: st.env.Rules, Start: st.env.Rules.Start(),
				Games: set.Games, Replies: set.Replies, Turns: set.TurnLimit, Seed: set.Seed, Threads: st.run.Threads,
			}
			names := [2]string{c.name, opponent}
			if opponent == itself {
				names[1] = c.name
			}
			if err := seat(ctx, st.env, &m, names); err != nil {
				return err
			}
			summary, different, err := grade.Play(ctx, &m, func(r *arena.Record) { report(float64(r.Number) / float64(set.Games)) })
			if err != nil {
				return err
			}
			return st.add(newMatchPoint(c.label, opponent, summary, different))
		},
	}}
}

// exam returns the job that measures the accuracy of an agent, none if its point exists.
func exam(st *store[accuracyPoint], c contender) []job {
	set := st.Settings
	if st.has(func(p accuracyPoint) bool { return p.Agent == c.label }) {
		return nil
	}
	return []job{{
		what: set.word() + ": accuracy of " + c.label,
		cost: float64(set.States) * c.cost() / 12, // a game has about a dozen moves
		do: func(ctx context.Context, report func(share float64)) error {
			table, err := st.env.Table()
			if err != nil {
				return err
			}
			agent, err := parseAgent(ctx, c.name, st.env)
			if err != nil {
				return err
			}
			done := 0
			e := arena.Exam{Table: table, Agent: agent, States: set.States, Seed: set.Seed, Threads: st.run.Threads}
			a, err := e.Take(ctx, func() {
				done++
				report(float64(done) / float64(set.States))
			})
			if err != nil {
				return err
			}
			return st.add(newAccuracyPoint(c.label, a))
		},
	}}
}

const (
	timed = 20 // positions
	// leastTimed is how long a measurement takes at least, by repetition: the system counts the
	// processor time of short ones coarsely.
	leastTimed = 20 * time.Millisecond
	// longestRandom ends random games that do not end.
	longestRandom = 400
)

// clock returns the job that measures the processor time of an agent, none if its point exists.
func clock(st *store[timePoint], c contender) []job {
	set := st.Settings
	if st.has(func(p timePoint) bool { return p.Agent == c.label }) {
		return nil
	}
	return []job{{
		what: set.word() + ": time of " + c.label,
		cost: float64(set.States) * c.cost() / 12,
		do: func(ctx context.Context, _ func(float64)) error {
			agent, err := parseAgent(ctx, c.name, st.env)
			if err != nil {
				return err
			}
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
	_, err = player.Move(ctx, p, s)
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
