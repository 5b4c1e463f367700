package server

import (
	"cmp"
	"slices"

	"backsolve/game"
	"backsolve/probe"
)

// Remotenesses that are not plies.
const (
	remotenessInfinite = -200 // a draw
	remotenessUnknown  = -100 // a win or loss without steps
)

// remoteness returns the remoteness of a position with its value.
func remoteness(rules game.Grid, p game.Position, v probe.Value) int {
	switch _, over := rules.Terminal(p); {
	case over:
		return 0 // also where the table has no steps
	case v.Outcome == game.Draw:
		return remotenessInfinite
	case v.Steps < 0:
		return remotenessUnknown
	}
	return v.Steps
}

func describePosition(rules game.Grid, p game.Position, v probe.Value) uwapiPosition {
	return uwapiPosition{rules.Format(p), guiPosition(rules, p), v.Outcome.String(), remoteness(rules, p, v)}
}

// uwapiMoves returns the moves of a position, the best first.
func uwapiMoves(rules game.Grid, p game.Position, ranked []probe.Ranked) []uwapiMove {
	moves := make([]uwapiMove, len(ranked))
	for i, m := range ranked {
		child := probe.Value{Outcome: m.Outcome.Flip(), Steps: m.Steps - 1}
		moves[i] = uwapiMove{
			Move: rules.FormatMove(m.Move), AutoGUI: guiMove(m.Move), Value: m.Outcome.String(),
			uwapiPosition: describePosition(rules, m.Position, child),
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
