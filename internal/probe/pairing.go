package probe

import (
	"context"
	"fmt"

	"backsolve/game"
	"backsolve/game/notakto"
)

// pairingStrategy is for Notakto on boards too large for a table; on 4×4 a table knows more.
var pairingStrategy = Strategy{
	Source: FromPairing,
	Title:  "the second player's pairing",
	New: func(rules game.Rules) (Answerer, bool) {
		i := rules.Info()
		if i.Name != notakto.Game.Name || !notakto.Paired(i.Size) {
			return nil, false
		}
		return &Rater{Rules: rules, Source: FromPairing, RateState: ratePaired}, true
	},
}

// ratePaired knows the outcome if every mark has its partner, or all but one.
func ratePaired(_ context.Context, rules game.Rules, s game.State) (r Rating, err error) {
	n := rules.Info().Size
	w, ok := notakto.AsWide(n, s)
	if !ok {
		return r, ErrPosition
	}
	r.Value = Value{game.Win, -1}
	unpaired := notakto.Unpaired(w)
	switch {
	case w.Complete():
		return r, nil
	case len(unpaired) == 0:
		r.Outcome = game.Lose
	case len(unpaired) > 1:
		return r, fmt.Errorf("%w: the second player's pairing decides positions with at most one mark without a partner, but here are %d; "+
			"notakto %d×%d has too many states for a table", ErrUnknown, len(unpaired), n, n)
	}
	for _, m := range rules.Moves(nil, s) {
		cell, v := notakto.Cell(n, m), Value{game.Lose, -1}
		if len(unpaired) == 1 && !w.CompletedBy(cell) {
			if cell != notakto.Pair(n, unpaired[0]) {
				continue // two marks without partners: unknown
			}
			v.Outcome = game.Win // the pairing is kept
		}
		r.Moves = append(r.Moves, Rated{Move: m, Value: v})
	}
	sortRated(r.Moves)
	return r, nil
}
