package server

import (
	"cmp"
	"slices"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/internal/server/catalog"
)

// Values in UWAPI besides win and lose. A tie is a draw that ends the game; a draw is endless play.
const (
	valueTie  = "tie"
	valueDraw = "draw"
)

const (
	remotenessInfinite = -200 // a draw
	remotenessUnknown  = -100 // but finite
)

// uwapiBoard is a board with a table; grid is nil unless the board has cells.
type uwapiBoard struct {
	rules game.Rules
	grid  game.Grid
}

func uwapiBoardOf(h catalog.Handle) (b uwapiBoard) {
	b.rules = h.Rules()
	b.grid, _ = game.GridOf(b.rules)
	return b
}

func (b uwapiBoard) endless(p game.State) bool {
	listed, ok := b.rules.(custom.Listed)
	if !ok {
		return b.rules.Info().MoveKind == game.Pushes // others fill the board or empty it
	}
	numbers := listed.Numbers()
	for tier, _ := listed.Number(p); tier < numbers.Tiers(); tier++ {
		if numbers.Loops(tier) {
			return true
		}
	}
	return false
}

// describe returns a position with its value. If play may be endless, a table does not tell which
// drawn positions a player can bring to an end, so they count as endless unless the game is over.
func (b uwapiBoard) describe(p game.State, v probe.Value) uwapiPosition {
	d := uwapiPosition{b.rules.Format(p), guiPosition(b.grid, p), v.Outcome.String(), v.Steps}
	_, over := b.rules.Terminal(p)
	if v.Outcome == game.Draw && (over || !b.endless(p)) {
		d.Value = valueTie
	}
	switch {
	case over:
		d.Remoteness = 0 // also where the table has no steps
	case d.Value == valueDraw:
		d.Remoteness = remotenessInfinite
	case v.Steps < 0:
		d.Remoteness = remotenessUnknown
	}
	return d
}

func (b uwapiBoard) answer(p game.State, v probe.Value, rated []probe.Rated) uwapiAnswer {
	a := uwapiAnswer{b.describe(p, v), b.moves(p, rated)}
	if a.Value == valueDraw && len(a.Moves) > 0 && a.Moves[0].Value == valueTie { // a move ends the game
		a.Value, a.Remoteness = valueTie, 1
	}
	return a
}

func (b uwapiBoard) moves(p game.State, rated []probe.Rated) []uwapiMove {
	moves := make([]uwapiMove, len(rated))
	for i, m := range rated {
		child := probe.Value{Outcome: m.Outcome.Flip(), Steps: m.Steps - 1}
		after := b.describe(b.rules.Play(p, m.Move), child)
		value := after.Value // of a tie or a draw for both players
		if m.Outcome != game.Draw {
			value = m.Outcome.String()
		}
		moves[i] = uwapiMove{Move: game.MoveText(b.rules, p, m.Move), AutoGUI: guiMove(b.grid, m.Move), Value: value, uwapiPosition: after}
	}
	// They are ranked already, but ties do not come before draws nor, without steps, immediate ends first.
	rank := func(m uwapiMove) int { return slices.Index([]string{"win", valueTie, valueDraw, "lose"}, m.Value) }
	slices.SortStableFunc(moves, func(a, b uwapiMove) int { return cmp.Compare(rank(a), rank(b)) })
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
	if moves[0].Value == valueDraw {
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
