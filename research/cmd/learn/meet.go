package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/game"
	"backsolve/player/arena"
	"backsolve/player/zero"
	"backsolve/research/grade"
)

// drawnMoves is how many moves each network draws at the beginning of a game against
// another one: as both play without chance, they would repeat one game. Four moves of a
// game were drawn in training with the published settings of Notakto, and three of Nim.
const drawnMoves = 2

// meeting is what came of the games of a training's network against that of another one.
type meeting struct {
	Rival string `json:"rival"`
	// Iteration is that of the rival's network.
	Iteration int            `json:"iteration"`
	Games     []meetingGames `json:"games"`
}

// meetingGames are the games with a number of simulations for either, those that the
// training's own network began first, and how many of them differ.
type meetingGames struct {
	Simulations int         `json:"simulations"`
	First       arena.Tally `json:"first"`
	Second      arena.Tally `json:"second"`
	Different   int         `json:"different"`
}

// checkMeets refuses a plan whose rivals are none of the set, or who are not to play.
func (s *set) checkMeets(p *plan) error {
	for i, name := range p.Meets {
		switch {
		case !slices.ContainsFunc(s.Runs, func(p plan) bool { return p.Name == name }):
			return fmt.Errorf("it meets the training %q, which is none of the set", name)
		case name == p.Name, slices.Contains(p.Meets[:i], name):
			return fmt.Errorf("it meets %q, which is itself or named twice; leave it out", name)
		}
	}
	if len(p.Meets) > 0 && p.Games == 0 {
		return errors.New("it meets others in no games; give their number as games")
	}
	return nil
}

// lacksFixed reports whether ratings are missing that a plan asks for, or there that it does
// not ask for.
func (k *kept) lacksFixed(p plan) bool {
	if k == nil || k.Fixed == nil {
		return len(p.Fixed) > 0
	}
	return !slices.Equal(k.Fixed.names(), p.Fixed)
}

// met returns the meeting with a rival, nil where there was none with the network that is
// measured of it.
func (k *kept) met(rival *kept) *meeting {
	i := slices.IndexFunc(k.Meetings, func(m meeting) bool { return m.Rival == rival.Plan.Name && m.Iteration == rival.Iteration })
	if i < 0 {
		return nil
	}
	return &k.Meetings[i]
}

// lacksMeetings reports whether meetings are missing that a plan asks for, or there that it
// does not ask for.
func (s *set) lacksMeetings(k *kept, p plan) bool {
	if len(k.Meetings) != len(p.Meets) {
		return true
	}
	for _, name := range p.Meets {
		rival, err := s.results(name)
		if err != nil || rival == nil || k.met(rival) == nil {
			return true
		}
	}
	return false
}

// network reads that network of a training which was measured. Where it is not there any
// more it says so, with the remedy, and returns none.
func (r *repetition) network(cmd *cobra.Command, s *set, k *kept) (*zero.Weights, game.Rules, error) {
	name := k.Plan.Name
	path := filepath.Join(r.out, name, weightsFile(k.Iteration))
	w, rules, err := loadNetwork(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is not there, the network that was measured of %s: name its directory with --out, or train another one by removing %s and learn all %s\n",
			path, name, s.dataPath(name, resultFile), name)
		return nil, nil, err
	}
	return w, rules, err
}

// rate rates the networks of a training against fixed agents, as its plan says.
func (r *repetition) rate(cmd *cobra.Command, s *set, p plan, k *kept) error {
	k.Plan.Fixed, k.Fixed = p.Fixed, nil
	if len(p.Fixed) > 0 {
		w, rules, err := r.network(cmd, s, k)
		if w == nil || err != nil {
			return err
		}
		var networks []entrant
		if p.Elo > 0 {
			if _, networks, err = entrants(filepath.Join(r.out, p.Name), p.Elo, 0); err != nil {
				return err
			}
		}
		for _, simulations := range p.Simulations {
			if slices.ContainsFunc(networks, func(n entrant) bool { return n.iteration == k.Iteration && n.simulations == simulations }) {
				continue
			}
			agent, err := zero.New(rules, w, simulations)
			if err != nil {
				return err
			}
			networks = append(networks, entrant{k.Iteration, simulations, agent})
		}
		on, err := groundOf(rules, w)
		if err != nil {
			return err
		}
		t := &tournament{against: p.Fixed, games: usedFixedGames, seed: 1, threads: r.threads, dir: r.dir}
		if k.Fixed, err = t.fixed(cmd.Context(), on, networks); err != nil {
			return err
		}
	}
	return s.keep(k)
}

// meet lets the network of a training play against those of others, as its plan says.
func (r *repetition) meet(cmd *cobra.Command, s *set, p plan) error {
	k, err := s.results(p.Name)
	if err != nil || k == nil || !s.lacksMeetings(k, p) {
		return err
	}
	w, rules, err := r.network(cmd, s, k)
	if w == nil || err != nil {
		return err
	}
	var all []meeting
	for _, name := range p.Meets {
		rival, err := s.results(name)
		if err != nil {
			return err
		}
		if rival == nil {
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s has no network yet for %s to play against: learn all %s %s\n", name, p.Name, name, p.Name); err != nil {
				return err
			}
			continue
		}
		m := k.met(rival)
		if m == nil {
			other, _, err := r.network(cmd, s, rival)
			if err != nil {
				return err
			}
			if other == nil {
				continue
			}
			m = &meeting{Rival: name, Iteration: rival.Iteration}
			if m.Games, err = r.play(cmd, rules, p, [2]*zero.Weights{w, other}); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s has met %s\n", p.Name, name); err != nil {
				return err
			}
		}
		all = append(all, *m)
	}
	k.Plan.Meets, k.Meetings = p.Meets, all
	return s.keep(k)
}

// play lets two networks play, with each number of simulations, from where the games of the first
// one's training begin.
func (r *repetition) play(cmd *cobra.Command, rules game.Rules, p plan, networks [2]*zero.Weights) (all []meetingGames, err error) {
	on, err := groundOf(rules, networks[0])
	if err != nil {
		return nil, err
	}
	for _, simulations := range p.Simulations {
		match := arena.Match{Rules: rules, Start: on.start, Games: p.Games, Turns: grade.MostTurns, Seed: 1, Threads: *r.threads}
		for i, w := range networks {
			agent, err := zero.New(rules, w, simulations)
			if err != nil {
				return nil, err
			}
			match.Agents[i] = agent.Drawing(drawnMoves)
		}
		summary, different, err := grade.Play(cmd.Context(), &match)
		if err != nil {
			return nil, err
		}
		all = append(all, meetingGames{simulations, summary.Began, summary.Replied, different})
	}
	return all, nil
}

// meetings returns the table of games against each other, in the published layout: in each
// cell what a network wins, and what the other one does on the same side.
func (r *report) meetings() [][]string {
	rows := [][]string{{"training / rival", "iterations", "simulations", "as first", "as second", "games", "different"}}
	for _, k := range r.measured {
		for _, m := range k.Meetings {
			for _, g := range m.Games {
				n := g.First.Games() + g.Second.Games()
				rows = append(rows, []string{
					k.Plan.Name + " / " + m.Rival, fmt.Sprintf("%d / %d", k.Iteration, m.Iteration), fmt.Sprint(g.Simulations),
					wins(g.First) + " / " + wins(turned(g.Second)), wins(g.Second) + " / " + wins(turned(g.First)), fmt.Sprint(n), fmt.Sprint(g.Different),
				})
			}
		}
	}
	return rows
}

// turned is a tally as the opponent has it.
func turned(t arena.Tally) arena.Tally {
	return arena.Tally{Wins: t.Losses, Draws: t.Draws, Losses: t.Wins}
}
