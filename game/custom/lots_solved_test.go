package custom_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

// byDefinition returns the values of all positions that play can reach from some, in rounds: won in k
// plies if a move leads to a loss in k−1, lost in k if all lead to wins, the longest in k−1.
func byDefinition[S comparable](g custom.Game[S], from []S) map[S]sparse.Value {
	moves, values := map[S][]S{}, map[S]sparse.Value{}
	for len(from) > 0 {
		s := from[0]
		from = from[1:]
		if _, met := moves[s]; met {
			continue
		}
		moves[s] = nil
		if outcome, over := g.Terminal(s); over && outcome != game.Draw {
			values[s] = sparse.Value{Outcome: outcome}
		} else if !over {
			moves[s] = g.Moves(nil, s)
			from = append(from, moves[s]...)
		}
	}
	for k := 1; ; k++ {
		now := map[S]sparse.Value{}
		for s, after := range moves {
			if _, known := values[s]; known || len(after) == 0 {
				continue
			}
			lost := true
			for _, to := range after {
				v, known := values[to]
				if lost = lost && known && v.Outcome == game.Win; known && v.Outcome == game.Lose {
					now[s] = sparse.Value{Outcome: game.Win, Steps: k}
				}
			}
			if lost {
				now[s] = sparse.Value{Outcome: game.Lose, Steps: k}
			}
		}
		if len(now) == 0 {
			break
		}
		for s, v := range now {
			values[s] = v
		}
	}
	for s := range moves {
		if _, known := values[s]; !known {
			values[s] = sparse.Value{Outcome: game.Draw, Steps: -1}
		}
	}
	return values
}

// Games drawn by lot with symmetries get the values that the definition gives to all images, also if
// values of lower units come late.
func TestLotsSolved(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := newLots(r, 1+r.IntN(4), 20+r.IntN(150))
		all := []image{g.Start()}
		for unit := range g.Units() {
			for rank := range g.Size(unit) {
				if s, ok := g.Unrank(unit, rank); ok {
					all = append(all, s)
				}
			}
		}
		want := map[int]sparse.Value{}
		for at, v := range byDefinition(g, all) {
			if other, met := want[at.Orbit]; met && other != v {
				t.Fatalf("seed %d: images of %v are %v and %v", seed, at, v, other)
			}
			want[at.Orbit] = v
		}
		rules := custom.NewRules(g)
		outcomes := seed%4 == 3
		s, err := generic.Solve(t.Context(), filepath.Join(t.TempDir(), "work"), rules, generic.Options{Threads: 1 + int(seed%3), Outcomes: outcomes})
		if err != nil {
			t.Fatal(err)
		}
		for tier := range rules.Tiers() {
			for key, got := range s.Tier(tier) {
				text, err := rules.Text(custom.Child{Key: key, Tier: tier})
				if err != nil {
					t.Fatal(err)
				}
				at, err := g.Parse(text)
				v := want[at.Orbit]
				if outcomes {
					v.Steps = -1
				}
				if err != nil || got != v {
					t.Fatalf("seed %d: %s is %v, want %v; %v", seed, text, got, v, err)
				}
			}
		}
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	}
}
