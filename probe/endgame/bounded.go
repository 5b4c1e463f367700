package endgame

import (
	"context"
	"fmt"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/search"
)

// boundedBoard is a board whose endgames have too many states to be solved: wins and losses are
// searched for that can be forced within some plies.
type boundedBoard struct {
	rules game.Grid
	why   error // it cannot be solved
}

// newBounded returns the board if lines of marks of their own decide its game. Otherwise few
// games end soon, and ok is false.
func newBounded(rules game.Rules, why error) (b boundedBoard, ok bool) {
	grid, isGrid := game.GridOf(rules)
	info := rules.Info()
	return boundedBoard{grid, why}, isGrid && info.Marks == 2 && info.CompleteLine != ""
}

func (b boundedBoard) endgame(s game.State, _ bool) (endgame, error) {
	p, ok := s.(game.Position)
	if !ok {
		return nil, probe.ErrPosition
	}
	return boundedEndgame{b, p}, nil
}

// boundedEndgame is a position of such a board.
type boundedEndgame struct {
	boundedBoard
	root game.Position
}

// cost is little, whatever the position.
func (boundedEndgame) cost(Limits) cost { return cost{bytes: 4 << 20} }

func (e boundedEndgame) solve(ctx context.Context, _ Limits) (v probe.Value, moves []probe.Rated, err error) {
	known, plies := search.NewForced(e.rules).Solve(ctx, e.root)
	for _, m := range known {
		value := probe.Value{Outcome: m.Outcome, Steps: m.Plies}
		if m.Outcome == game.Draw {
			value.Steps = -1
		}
		moves = append(moves, probe.Rated{Move: m.Move, Value: value})
		if len(moves) == 1 || value.Compare(v) < 0 {
			v = value
		}
	}
	if moves == nil {
		return v, nil, fmt.Errorf("neither player can force a win within %d plies; %w", plies, e.why)
	}
	return v, moves, nil
}
