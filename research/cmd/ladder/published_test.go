package main

import (
	"slices"
	"strings"
	"testing"

	"backsolve/internal/player"
	"backsolve/internal/player/arena"
)

// Published figures have sources, and known boards and opponents.
func TestPublications(t *testing.T) {
	figures := 0
	for _, p := range publications() {
		if p.Source == "" || len(p.Figures)+len(p.Players) == 0 {
			t.Errorf("%+v", p)
		}
		for _, f := range p.Figures {
			figures++
			_, err := parseStrength(f.Opponent)
			isStrength := f.Measure == "strength"
			if !slices.Contains(campaign[0].Boards, board{f.Game, f.Size}) || isStrength != (err == nil) || f.Value <= 0 || f.Value > 100 || !isStrength && f.Measure != "lenient" && f.Measure != "strict" {
				t.Errorf("%+v", f)
			}
		}
		for _, q := range p.Players {
			if !slices.Contains(campaign[0].Boards, board{q.Game, q.Size}) || q.Itself[0]+q.Itself[1] != 100 {
				t.Errorf("%+v", q)
			}
		}
	}
	if rows := published(&ladders{}); len(rows) != 1+figures {
		t.Errorf("%d rows for %d figures", len(rows), figures)
	}
	if players := (&ladder{board: board{"notakto", 5}}).PublishedPlayers(); len(players) != 2 || players[0].Player != "published, key-state sampling" || players[0].Greedy != [2]int{97, 70} {
		t.Errorf("%+v", players)
	}
}

// Our figure is that of the same board, agent and opponent; of a plateau, that with the most
// iterations.
func TestPublishedBesideOurs(t *testing.T) {
	mild := player.Strength{Policy: player.Optimal, Blunder: 0.01}
	three, five := climbOf("quixo", 3, 0), climbOf("quixo", 5, 10, 20, 30)
	three.strength.Points = append(three.strength.Points, pointOf("mcts:1000", mild, 39))
	three.examine("mcts:1000", 980, -1)
	five.strength.Points = append(five.strength.Points, pointOf("mcts:100", mild, 95), pointOf("mcts:50", mild, 0))
	g := &ladders{Boards: []*ladder{three, five}}
	got := map[string][]string{}
	for _, row := range published(g)[1:] {
		name, agent, _ := strings.Cut(row[0], ", ")
		got[name+" "+row[1]+" "+row[2]] = []string{agent, row[4]}
	}
	for key, want := range map[string][]string{
		"Quixo 3×3 `optimal:blunder=0.01` 40":  {"mcts:1000", agrees},
		"Quixo 3×3 `shortest:blunder=0.05` 47": {"mcts:1000", notMeasured},
		"Quixo 3×3 lenient 99":                 {"mcts:1000", lower},
		"Quixo 3×3 strict 95":                  {"mcts:1000", notMeasured},
		"Quixo 5×5 `optimal` 50":               {"mcts:200", lower},
		"Quixo 5×5 `optimal:blunder=0.01` 85":  {"mcts:100", higher},
		"Quixo 5×5 `optimal` 3":                {"qlearning-actions", notMeasured},
	} {
		if !slices.Equal(got[key], want) {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if notes := g.Below(); notes != nil {
		t.Errorf("%q, where nothing published is measured", notes)
	}
	five.strength.Points = append(five.strength.Points, pointOf("mcts:2000", perfect, 7), pointOf("mcts:10000", perfect, 46))
	if notes := g.Below(); len(notes) != 1 || !strings.Contains(notes[0], "Quixo 5×5") || !strings.Contains(notes[0], "below the published plot") {
		t.Errorf("%q", notes)
	}
	five.strength.Points = append(five.strength.Points, pointOf("mcts:5000", perfect, 60))
	if notes := g.Below(); notes != nil {
		t.Errorf("%q, where one is stronger", notes)
	}
	if how := compared(arena.Estimate{Value: 5, Low: 4, High: 6}, 4); how != agrees {
		t.Error(how)
	}
}
