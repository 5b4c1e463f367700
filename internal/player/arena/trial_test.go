package arena

import (
	"context"
	"errors"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

// An agent that fails in all of its first games on a side cannot play; one that fails now and
// then loses those games.
func TestTrial(t *testing.T) {
	rules := newRules(t, "notakto", 4)
	for _, c := range []struct {
		name  string
		fails []int // games of the match, from 1 on, in which B fails after its first move
		games int
		want  string // of the error
		after int    // games
	}{
		{"never", nil, 8, "", 8},
		{"now and then", []int{1, 3, 7, 6}, 8, "", 8},
		{"always", []int{1, 2, 3, 4, 5, 6, 7, 8}, 8, "B cannot play: it failed in each of the first 3 games in which it replied, most recently: it is broken", 5},
		{"whenever it begins", []int{2, 4, 6, 8}, 8, "B cannot play: it failed in each of the first 3 games that it began, most recently: it is broken", 6},
		{"in a short match", []int{1, 3}, 4, "B cannot play: it failed in each of the first 2 games in which it replied, most recently: it is broken", 3},
		{"in the only game", []int{1}, 1, "B cannot play: it failed in the only game in which it replied, most recently: it is broken", 1},
	} {
		for _, threads := range []int{1, 4} {
			var failing []uint64 // seeds
			for _, number := range c.fails {
				failing = append(failing, Seed(0, number-1, number%2))
			}
			b := &fake{name: "B", move: func(_ context.Context, seed uint64, number int, p game.State) (game.Move, error) {
				if number > 0 && slices.Contains(failing, seed) {
					return game.Move{}, errBroken
				}
				return rules.Moves(nil, p)[number], nil // so that it moves twice before the first column is full
			}}
			m := Match{Rules: rules, Start: rules.Start(), Agents: [2]player.Agent{firstMove(rules), b}, Games: c.games, Turns: 9, Threads: threads}
			games := 0
			s, err := m.Play(t.Context(), func(*Record) error { games++; return nil })
			if c.want == "" {
				if err != nil || s.Failures != [2]int{0, len(c.fails)} {
					t.Errorf("%s: %+v, %v", c.name, s, err)
				}
			} else if unable := (*UnableError)(nil); !errors.As(err, &unable) || err.Error() != c.want {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			if games != c.after {
				t.Errorf("%s: ended after %d games", c.name, games)
			}
		}
	}
}

// Where A begins all games, B replies in all of them.
func TestTrialFromStarts(t *testing.T) {
	rules := newRules(t, "notakto", 4)
	b := failing("B", rules, 1, func(context.Context, game.State) (game.Move, error) { return game.Move{}, errBroken })
	m := Match{Rules: rules, Starts: []game.State{rules.Start(), rules.Start()}, Agents: [2]player.Agent{firstMove(rules), b}, Games: 2, Turns: 9, Threads: 1}
	_, err := m.Play(t.Context(), nil)
	if want := "B cannot play: it failed in each of the first 2 games in which it replied, most recently: it is broken"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
