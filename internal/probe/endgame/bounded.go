package endgame

import (
	"context"
	"fmt"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/search"
)

// bounded is a board whose endgames have too many states to be solved, and such an endgame: wins
// and losses are searched for that can be forced within some plies.
type bounded struct {
	rules game.Grid
	why   error // it cannot be solved
	root  game.Position
}

// newBounded takes games that lines of marks of one's own decide. Of others, few end soon.
func newBounded(rules game.Rules, why error) (b bounded, ok bool) {
	grid, isGrid := game.GridOf(rules)
	info := rules.Info()
	return bounded{rules: grid, why: why}, isGrid && info.Marks == 2 && info.CompleteLine != ""
}

func (b bounded) endgame(s game.State, _ bool) (endgame, error) {
	var ok bool
	if b.root, ok = s.(game.Position); !ok {
		return nil, probe.ErrPosition
	}
	return b, nil
}

// cost is little, whatever the position.
func (bounded) cost(Limits) cost { return cost{bytes: 4 << 20} }

func (b bounded) solve(ctx context.Context, _ Limits) (v probe.Value, moves []probe.Rated, err error) {
	known, plies := search.NewForced(b.rules).Solve(ctx, b.root)
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
		return v, nil, fmt.Errorf("neither player can force a win within %d plies; %w", plies, b.why)
	}
	return v, moves, nil
}
