package server

import (
	"cmp"
	"slices"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/server/catalog"
)

// Remotenesses that are not plies.
const (
	remotenessInfinite = -200 // a draw
	remotenessUnknown  = -100 // a win or loss without steps
)

// uwapiBoard is a board with a table; grid is nil unless it is one of cells.
type uwapiBoard struct {
	rules game.Rules
	grid  game.Grid
}

func uwapiBoardOf(h catalog.Handle) (b uwapiBoard) {
	b.rules = h.Rules()
	b.grid, _ = game.GridOf(b.rules)
	return b
}

// remoteness returns the remoteness of a position with its value.
func (b uwapiBoard) remoteness(p game.State, v probe.Value) int {
	switch _, over := b.rules.Terminal(p); {
	case over:
		return 0 // also where the table has no steps
	case v.Outcome == game.Draw:
		return remotenessInfinite
	case v.Steps < 0:
		return remotenessUnknown
	}
	return v.Steps
}

func (b uwapiBoard) describe(p game.State, v probe.Value) uwapiPosition {
	return uwapiPosition{b.rules.Format(p), guiPosition(b.grid, p), v.Outcome.String(), b.remoteness(p, v)}
}

// moves returns the moves of a position, the best first.
func (b uwapiBoard) moves(p game.State, rated []probe.Rated) []uwapiMove {
	moves := make([]uwapiMove, len(rated))
	for i, m := range rated {
		child := probe.Value{Outcome: m.Outcome.Flip(), Steps: m.Steps - 1}
		moves[i] = uwapiMove{
			Move: game.MoveText(b.rules, p, m.Move), AutoGUI: guiMove(b.grid, m.Move), Value: m.Outcome.String(),
			uwapiPosition: b.describe(b.rules.Play(p, m.Move), child),
		}
	}
	// They are ranked already, but without steps an immediate end is not known to be nearest.
	for first := 0; first < len(moves); {
		next := first + 1
		for next < len(moves) && moves[next].Value == moves[first].Value {
			next++
		}
		setDeltas(moves[first:next])
		first = next
	}
	return moves
}

// setDeltas sets the distances of moves of one value from the best, and sorts by them. Unknown
// remotenesses count as one more than the greatest known; draws do not differ.
func setDeltas(moves []uwapiMove) {
	if moves[0].Value == game.Draw.String() {
		return
	}
	farthest := 0
	for _, m := range moves {
		farthest = max(farthest, m.Remoteness)
	}
	distance := func(m uwapiMove) int {
		if m.Remoteness == remotenessUnknown {
			return farthest + 1
		}
		return m.Remoteness
	}
	nearest := func(a, b uwapiMove) int { return cmp.Compare(distance(a), distance(b)) }
	best := distance(slices.MinFunc(moves, nearest))
	if moves[0].Value == game.Lose.String() {
		best = distance(slices.MaxFunc(moves, nearest))
	}
	for i, m := range moves {
		moves[i].Delta = max(distance(m)-best, best-distance(m))
	}
	slices.SortStableFunc(moves, func(a, b uwapiMove) int { return cmp.Compare(a.Delta, b.Delta) })
}
