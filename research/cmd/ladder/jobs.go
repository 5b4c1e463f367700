package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
)

// job adds one point to a file.
type job struct {
	what string  // mcts:1000 against optimal
	cost float64 // time, relative to other jobs
	// do works, and reports the share of the job that is done.
	do func(ctx context.Context, report func(share float64)) error
}

// runJobs does the jobs in order and shows their progress. After the deadline, unless it is
// zero, it begins no further one. It returns the number of jobs that are left.
func (w *work) runJobs(cmd *cobra.Command, title string, jobs []job, deadline time.Time) (left int, err error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	p, stop := w.watch(cmd, "series", title)
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
		if err := j.do(cmd.Context(), func(share float64) { p.Update(j.what, done+share*j.cost) }); err != nil {
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

// itself is the opponent of an agent that plays against itself.
const itself = "itself"

// match returns the job that plays a match, none if its point exists.
func match(st *store[matchPoint], c contender, opponent string) []job {
	set := st.Settings
	if st.has(func(p matchPoint) bool { return p.Agent == c.label && p.Opponent == opponent }) {
		return nil
	}
	return []job{{
		what: boardWord(set.Game, set.Size) + ": " + c.label + " against " + opponent,
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
			closeAgents, err := seat(ctx, st.env, &m, names)
			if err != nil {
				return err
			}
			defer closeAgents()
			summary, err := m.Play(ctx, func(r *arena.Record) error {
				report(float64(r.Number) / float64(set.Games))
				return nil
			})
			if err != nil {
				return err
			}
			return st.add(newMatchPoint(c.label, opponent, summary))
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
		what: boardWord(set.Game, set.Size) + ": accuracy of " + c.label,
		cost: float64(set.States) * c.cost() / 12, // a game has about a dozen moves
		do: func(ctx context.Context, report func(share float64)) error {
			table, err := st.env.Table()
			if err != nil {
				return err
			}
			agent, err := agents.Parse(ctx, c.name, st.env)
			if err != nil {
				return cli.UsageUnlessTable(err)
			}
			defer agent.Close()
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
