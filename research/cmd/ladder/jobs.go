package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/player/agents"
	"backsolve/player/arena"
)

// job is a part of long work that adds one point to a file.
type job struct {
	what string // mcts:1000 against optimal
	// cost is how long it takes in comparison with other jobs.
	cost float64
	// games and positions are how many it plays, or asks about.
	games, positions int
	// do works, and tells which share of the job is done.
	do func(ctx context.Context, tell func(share float64)) error
}

// runJobs does one job after the other with their progress, and says beforehand how
// many there are and, once some have been measured, how long the others will take.
// After the deadline, if there is one, it begins no further job. It returns the number
// of jobs that are left.
func (w *work) runJobs(cmd *cobra.Command, title string, jobs []job, deadline time.Time) (left int, err error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	p, stop := w.watch(cmd, "series", title)
	defer func() { stop() }()
	say := func(text string) {
		if w.display.Off() || text == "" {
			return
		}
		stop() // a bar would be written over
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", title, text)
		stop = w.display.Show(cmd, p)
	}
	say(amount(jobs))
	e := estimator{jobs: jobs}
	p.Begin("units", 0, cost(jobs))
	done := 0.0
	for i, j := range jobs {
		if !deadline.IsZero() && time.Now().After(deadline) {
			return len(jobs) - i, nil
		}
		p.Tell(j.what, done)
		begun := time.Now()
		if err := j.do(cmd.Context(), func(share float64) { p.Tell(j.what, done+share*j.cost) }); err != nil {
			return len(jobs) - i, withRemedy(err)
		}
		done += j.cost
		say(e.add(time.Since(begun)))
	}
	return 0, nil
}

// contender is an agent in a series.
type contender struct {
	name string // of the agent on a command line
	// label is what it is called in the points; the same label is the same agent.
	label string
}

// cost is about how long a move takes: that of an agent that searches grows with its
// iterations.
func (c *contender) cost() float64 { return float64(max(0, iterationsOf(c.label))) + 20 }

// matches are the matches of a series.
type matches struct {
	env     *agents.Env
	store   *store[matchPoint]
	threads int
}

// job returns the job that plays one match, and false where its point is there.
func (m *matches) job(c contender, opponent string) (job, bool) {
	s := m.store.Settings
	name := opponent
	if opponent == itself {
		name = c.name
	}
	if m.store.has(func(p matchPoint) bool { return p.Agent == c.label && p.Opponent == opponent }) {
		return job{}, false
	}
	return job{
		what:  boardWord(s.Game, s.Size) + ": " + c.label + " against " + opponent,
		cost:  float64(s.Games) * c.cost(),
		games: s.Games,
		do: func(ctx context.Context, tell func(share float64)) error {
			summary, err := m.play(ctx, c.name, name, tell)
			if err != nil {
				return err
			}
			return m.store.add(newMatchPoint(c.label, opponent, summary))
		},
	}, true
}

// itself is the opponent in the points of an agent that plays against itself.
const itself = "itself"

func (m *matches) play(ctx context.Context, a, b string, tell func(share float64)) (*arena.Summary, error) {
	s := m.store.Settings
	match := arena.Match{
		Rules: m.env.Rules, Start: m.env.Rules.Start(),
		Games: s.Games, Replies: s.Replies, Turns: s.TurnLimit, Seed: s.Seed, Threads: m.threads,
	}
	for i, name := range []string{a, b} {
		agent, err := agents.Parse(ctx, name, m.env)
		if err != nil {
			return nil, cli.UsageUnlessTable(err)
		}
		defer agent.Close()
		match.Agents[i] = agent
	}
	return match.Play(ctx, func(r *arena.Record) error {
		tell(float64(r.Number) / float64(s.Games))
		return nil
	})
}

// exams are the exams of a series.
type exams struct {
	env     *agents.Env
	store   *store[accuracyPoint]
	threads int
}

// job returns the job that is one exam, and false where its point is there.
func (e *exams) job(c contender) (job, bool) {
	s := e.store.Settings
	if e.store.has(func(p accuracyPoint) bool { return p.Agent == c.label }) {
		return job{}, false
	}
	return job{
		what: boardWord(s.Game, s.Size) + ": accuracy of " + c.label,
		// A game is about a dozen moves.
		cost:      float64(s.States) * c.cost() / 12,
		positions: s.States,
		do: func(ctx context.Context, tell func(share float64)) error {
			a, err := e.take(ctx, c.name, tell)
			if err != nil {
				return err
			}
			return e.store.add(newAccuracyPoint(c.label, a))
		},
	}, true
}

func (e *exams) take(ctx context.Context, name string, tell func(share float64)) (*arena.Accuracy, error) {
	table, err := e.env.Table()
	if err != nil {
		return nil, err
	}
	agent, err := agents.Parse(ctx, name, e.env)
	if err != nil {
		return nil, cli.UsageUnlessTable(err)
	}
	defer agent.Close()
	s := e.store.Settings
	exam := arena.Exam{Table: table, Agent: agent, States: s.States, Seed: s.Seed, Threads: e.threads}
	done := 0
	return exam.Take(ctx, func() {
		done++
		tell(float64(done) / float64(s.States))
	})
}
