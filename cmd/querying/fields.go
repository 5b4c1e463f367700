package querying

import (
	"fmt"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/probe"
)

// field is a part of an answer that --fields can select.
type field = cli.Column[probe.Answer]

// allFields are the fields in the order of help.
var allFields = []field{
	{Name: "game", Of: func(a *probe.Answer) any { return a.Game }},
	{Name: "size", Of: func(a *probe.Answer) any { return game.Size(a.Size) }},
	{Name: "position", Of: func(a *probe.Answer) any { return a.Position }},
	{Name: "outcome", Of: func(a *probe.Answer) any { return a.Outcome.String() }},
	{Name: "steps", Of: func(a *probe.Answer) any { return cli.Known(a.Steps, a.Steps >= 0) }},
	{Name: "nimber", Of: func(a *probe.Answer) any { return cli.Known(a.Nimber.Value()) }},
	{Name: "score", Of: func(a *probe.Answer) any { return cli.Known(a.Score.Value()) }},
	{Name: "terminal", Of: func(a *probe.Answer) any { return a.Terminal }},
	{Name: "source", Of: func(a *probe.Answer) any { return string(a.Source) }},
	{Name: "best_move", Of: bestMove},
	{Name: "right_moves", Of: func(a *probe.Answer) any {
		return movesWith(a, func(m probe.Value) bool { return m.Outcome == a.Outcome })
	}},
	{Name: "strict_moves", Of: func(a *probe.Answer) any { return movesWith(a, func(m probe.Value) bool { return m == a.Value }) }},
	{Name: "line", Of: lineMoves},
}

// standardFields are the default fields of CSV.
var standardFields = []string{"position", "outcome", "steps", "best_move"}

func bestMove(a *probe.Answer) any {
	if len(a.Moves) == 0 {
		return nil
	}
	return a.Moves[0].Move
}

// movesWith returns the moves with a wanted value, best first.
func movesWith(a *probe.Answer, wanted func(probe.Value) bool) []string {
	moves := []string{}
	for _, m := range a.Moves {
		if wanted(m.Value) {
			moves = append(moves, m.Move)
		}
	}
	return moves
}

func lineMoves(a *probe.Answer) any {
	if a.Line == nil {
		return nil
	}
	moves := []string{}
	for _, p := range a.Line.Plies {
		moves = append(moves, p.Move)
	}
	return moves
}

// fieldNames returns the names of all fields.
func fieldNames() (names []string) {
	for _, f := range allFields {
		names = append(names, f.Name)
	}
	return names
}

// chooseFields returns the fields of some names.
func chooseFields(names []string) (fields []field, err error) {
	for _, name := range names {
		i := slices.Index(fieldNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("there is no field %.40q; --fields takes %s, separated by commas", name, strings.Join(fieldNames(), ", "))
		}
		fields = append(fields, allFields[i])
	}
	return fields, nil
}
