package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/research/grade"
)

// usedMisled is how many positions in which a network is misled are shown besides the start.
const usedMisled = 3

// visits reports on the start and on the positions in which the network is misled, found in a number of
// states, 0 for all.
func visits(ctx context.Context, s *grade.Subject, numbers []int, positions, states int) (all []visited, err error) {
	start, err := s.Opinion(s.Start())
	if errors.Is(err, probe.ErrUnknown) {
		return nil, cli.Usagef("nobody knows here what the start of %s is worth, which visits are looked at from; name a network of another board", boardText(s))
	}
	if err != nil {
		return nil, err
	}
	misled, err := s.Misled(ctx, states, positions)
	if err != nil {
		return nil, err
	}
	for _, o := range append([]*grade.Opinion{start}, misled...) {
		snapshots, err := s.Follow(ctx, o, numbers)
		if err != nil {
			return nil, err
		}
		all = append(all, newVisited(s.Rules, o, snapshots))
	}
	return all, nil
}

// visited is the report on a position. Probabilities and shares are from 0 to 1.
type visited struct {
	Position string `json:"position"`
	Worth    string `json:"worth"`
	// Value is the network's, from −1 to 1; Favourite is its most probable move, which is
	// Right if it keeps the position's value.
	Value       float64          `json:"value"`
	Favourite   string           `json:"favourite"`
	Probability float64          `json:"probability"`
	Right       bool             `json:"right"`
	Keeping     []string         `json:"keeping"` // the moves that keep the value
	Prior       float64          `json:"prior"`   // their probability
	Visits      []grade.Snapshot `json:"visits"`
}

func newVisited(rules game.Rules, o *grade.Opinion, snapshots []grade.Snapshot) visited {
	v := visited{
		Position: rules.Format(o.State), Worth: o.Worth.String(), Value: float64(o.Value),
		Favourite: rules.FormatMove(o.Favourite.Move), Probability: float64(o.Favourite.Fraction), Right: o.Right,
		Keeping: []string{}, Prior: o.Kept(), Visits: snapshots,
	}
	for _, m := range o.Keeping {
		v.Keeping = append(v.Keeping, rules.FormatMove(m.Move))
	}
	return v
}

const mostKeeping = 4

// keeping names up to mostKeeping moves that keep the value.
func (v *visited) keeping() string {
	switch {
	case v.Worth == game.Lose.String():
		return "any, as it is lost"
	case len(v.Keeping) > mostKeeping:
		return fmt.Sprintf("%s and %d more", strings.Join(v.Keeping[:mostKeeping], ", "), len(v.Keeping)-mostKeeping)
	}
	return strings.Join(v.Keeping, ", ")
}

// Row returns the cells of the table.
func (v *visited) Row() []string {
	row := []string{v.Position, noun(v.Worth), fmt.Sprintf("%.3f", v.Value), v.Favourite, percent(&v.Probability), v.keeping(), percent(&v.Prior)}
	for i := range v.Visits {
		text := percent(&v.Visits[i].Kept)
		if v.Visits[i].Proved {
			text += "*"
		}
		row = append(row, text)
	}
	return row
}
