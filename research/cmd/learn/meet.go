package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/research/grade"
)

// drawnMoves is how many first moves each network draws against another one: deterministic
// networks would repeat one game.
const drawnMoves = 2

// meeting has the games of a training's network against that of a rival.
type meeting struct {
	Rival     string         `json:"rival"`
	Iteration int            `json:"iteration"` // of the rival's network
	Games     []meetingGames `json:"games"`
}

// meetingGames are the games with a number of simulations for both, as first and as second
// player; Different of them differ.
type meetingGames struct {
	Simulations int         `json:"simulations"`
	First       arena.Tally `json:"first"`
	Second      arena.Tally `json:"second"`
	Different   int         `json:"different"`
}

func (s *set) checkMeets(p *plan) error {
	for i, name := range p.Meets {
		switch {
		case !slices.Contains(s.names(), name):
			return fmt.Errorf("it meets the training %q, which is not in the set", name)
		case name == p.Name, slices.Contains(p.Meets[:i], name):
			return fmt.Errorf("it meets %q, which is itself or named twice; leave it out", name)
		}
	}
	if len(p.Meets) > 0 && p.Games == 0 {
		return errors.New("it meets others in no games; give their number as games")
	}
	return nil
}

// met returns the meeting with a rival's measured network, nil if there was none.
func (k *kept) met(rival *kept) *meeting {
	i := slices.IndexFunc(k.Meetings, func(m meeting) bool { return m.Rival == rival.Plan.Name && m.Iteration == rival.Iteration })
	if i < 0 {
		return nil
	}
	return &k.Meetings[i]
}

// meet plays the measured network of a training against those that its plan meets.
func (r *repetition) meet(cmd *cobra.Command, s *set, p plan) error {
	k, err := s.results(p.Name)
	if err != nil || k == nil {
		return err
	}
	var all []meeting
	for _, name := range p.Meets {
		rival, err := s.results(name)
		if err != nil {
			return err
		}
		if rival == nil {
			return fmt.Errorf("%s has no network yet to play against: learn all %[1]s %s", name, p.Name)
		}
		m := k.met(rival)
		if m == nil {
			if m, err = r.play(cmd.Context(), p, k, rival); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s has met %s\n", p.Name, name); err != nil {
				return err
			}
		}
		all = append(all, *m)
	}
	if slices.Equal(k.Plan.Meets, p.Meets) && reflect.DeepEqual(all, k.Meetings) {
		return nil
	}
	k.Plan.Meets, k.Meetings = p.Meets, all
	return s.keep(k)
}

// play plays the measured networks of two trainings with each number of simulations of a plan,
// from where the first one begins.
func (r *repetition) play(ctx context.Context, p plan, trainings ...*kept) (*meeting, error) {
	var networks []*network
	for _, k := range trainings {
		n, err := loadNetwork(filepath.Join(r.out, k.Plan.Name, weightsFile(k.Iteration)))
		if err != nil {
			return nil, fmt.Errorf("%w; name the directory of the weights with --out", err)
		}
		networks = append(networks, n)
	}
	on := networks[0]
	m := &meeting{Rival: trainings[1].Plan.Name, Iteration: trainings[1].Iteration}
	for _, simulations := range p.Simulations {
		match := arena.Match{Rules: on.rules, Start: on.start, Games: p.Games, Turns: grade.MostTurns, Seed: 1, Threads: *r.threads}
		for i, n := range networks {
			agent, err := zero.New(on.rules, n.Weights, simulations)
			if err != nil {
				return nil, err
			}
			match.Agents[i] = agent.Drawing(drawnMoves)
		}
		summary, different, err := grade.Play(ctx, &match)
		if err != nil {
			return nil, err
		}
		m.Games = append(m.Games, meetingGames{simulations, summary.Began, summary.Replied, different})
	}
	return m, nil
}
