package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/internal/probe"
)

// smallTree is the number of positions up to which the rest of a game is small. Visiting them takes
// milliseconds, less than planning anything else.
const smallTree = 1 << 12

// tree searches the rest of a game move by move, if it is small and no position recurs.
type tree struct {
	ctx   context.Context
	rules game.Rules
	steps bool
	room  int // for positions
	known map[game.State]probe.Value
	above map[game.State]bool // positions whose moves are being searched
}

// searchTree rates a state that is not over by searching at most a number of positions. ok is false if
// there are more, or if ctx ends.
func searchTree(ctx context.Context, rules game.Rules, s game.State, steps bool, most int) (r probe.Rating, ok bool) {
	t := &tree{ctx, rules, steps, most, map[game.State]probe.Value{}, map[game.State]bool{}}
	r.Value, r.Moves, ok = t.search(s)
	return r, ok
}

// search returns the value of a state that is not over, and of its moves.
func (t *tree) search(s game.State) (best probe.Value, moves []probe.Rated, ok bool) {
	if t.room--; t.room < 0 || t.ctx.Err() != nil {
		return best, nil, false
	}
	t.above[s] = true
	for i, m := range t.rules.Moves(nil, s) {
		v, ok := t.value(t.rules.Play(s, m))
		if !ok {
			return best, nil, false
		}
		v = v.Before()
		moves = append(moves, probe.Rated{Move: m, Value: v})
		if i == 0 || v.Compare(best) < 0 {
			best = v
		}
	}
	delete(t.above, s)
	t.known[s] = best
	return best, moves, true
}

// value returns the value of a state.
func (t *tree) value(s game.State) (v probe.Value, ok bool) {
	if v, ok := t.known[s]; ok || t.above[s] {
		return v, ok
	}
	if outcome, over := t.rules.Terminal(s); over {
		v := probe.Value{Outcome: outcome, Steps: -1}
		if t.steps && outcome != game.Draw {
			v.Steps = 0
		}
		return v, true
	}
	v, _, ok = t.search(s)
	return v, ok
}
