package grade

import (
	"context"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/search"
)

// MaxReached is the largest number of states that are found by play.
const MaxReached = 1 << 22

// drawer returns a function that draws open states without finding them all, nil if there is
// none: on grids it draws from all states of the game or, from a position of a game with one
// kind of marks, from those with its marks.
func drawer(rules game.Rules, from game.State) func(r *rand.Rand) game.State {
	grid, ok := game.GridOf(rules)
	if !ok {
		return nil
	}
	if from == nil || from == rules.Start() {
		return func(r *rand.Rand) game.State { return probe.RandomOpenPosition(grid, r) }
	}
	marks, ok := from.(game.Position)
	if !ok || grid.Marks() != 1 || grid.Info().MoveKind != game.Marks {
		return nil
	}
	return func(r *rand.Rand) game.State {
		for {
			p := probe.RandomPosition(grid, r)
			p.X |= marks.X
			if _, over := grid.Terminal(p); !over {
				return p
			}
		}
	}
}

// reachable returns the open states that play can reach, those after fewer moves first.
func reachable(ctx context.Context, rules game.Rules, start game.State) (open []game.State, err error) {
	found := map[game.State]bool{start: true}
	queue := []game.State{start}
	var moves []game.Move
	for i := 0; i < len(queue); i++ {
		if _, over := rules.Terminal(queue[i]); over {
			continue
		}
		open = append(open, queue[i])
		moves = rules.Moves(moves[:0], queue[i])
		for _, m := range moves {
			if next := rules.Play(queue[i], m); !found[next] {
				found[next] = true
				queue = append(queue, next)
			}
		}
		if len(queue) > MaxReached {
			return nil, fmt.Errorf("play can reach more than %d states of %v; give a number of states to be drawn", MaxReached, rules.Info())
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return open, nil
}

// lateStates returns open positions of random games: of each game the first with at most a
// random number of cells left, uniform from 1 to late.
func lateStates(ctx context.Context, rules game.Rules, start game.State, late, states int, r *rand.Rand) ([]game.State, error) {
	ending, ok := search.NewEnding(rules)
	if !ok {
		return nil, fmt.Errorf("the ends of games of %v are not solved by search; draw states of the whole game", rules.Info())
	}
	all := make([]game.State, 0, states)
	for len(all) < states {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if s, ok := playToEnd(rules, start, r, ending, 1+r.IntN(late)); ok {
			all = append(all, s)
		}
	}
	return all, nil
}

// playToEnd plays at random until at most left cells are left, false if the game ends before.
func playToEnd(rules game.Rules, s game.State, r *rand.Rand, ending search.Ending, left int) (game.State, bool) {
	var buffer [64]game.Move
	for moves := buffer[:0]; ; {
		if moves = rules.Moves(moves[:0], s); len(moves) == 0 {
			return nil, false
		}
		if ending.Left(s) <= left {
			return s, true
		}
		s = rules.Play(s, moves[r.IntN(len(moves))])
	}
}
