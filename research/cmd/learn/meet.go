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

// lacksFixed reports whether the ratings are not those that a plan asks for.
func (k *kept) lacksFixed(p plan) bool {
	if k == nil || k.Fixed == nil {
		return len(p.Fixed) > 0
	}
	return !slices.Equal(k.Fixed.names(), p.Fixed)
}

// met returns the meeting with a rival's measured network, nil if there was none.
func (k *kept) met(rival *kept) *meeting {
	i := slices.IndexFunc(k.Meetings, func(m meeting) bool { return m.Rival == rival.Plan.Name && m.Iteration == rival.Iteration })
	if i < 0 {
		return nil
	}
	return &k.Meetings[i]
}

// lacksMeetings reports whether the meetings are not those that a plan asks for.
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

// network reads the measured network of a training. If it is missing, it prints that with the
// remedy and returns nil.
func (r *repetition) network(cmd *cobra.Command, s *set, k *kept) (*zero.Weights, game.Rules, error) {
	name := k.Plan.Name
	path := filepath.Join(r.out, name, weightsFile(k.Iteration))
	w, rules, err := loadNetwork(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is missing, the measured network of %s: name its directory with --out, or train another one by removing %s and learn all %s\n",
			path, name, s.dataPath(name, resultFile), name)
		return nil, nil, err
	}
	return w, rules, err
}

// rate rates the networks of a training against the fixed agents of its plan.
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

// meet plays the network of a training against those that its plan meets.
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

// play plays two networks with each number of simulations, on the ground of the first one.
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
