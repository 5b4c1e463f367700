package playing

import (
	"fmt"
	"strings"

	"backsolve/internal/player"
	"backsolve/internal/player/ugi"
)

// host returns the opponent as a UGI engine.
func (o *opponent) host() *ugi.Host {
	h := &ugi.Host{
		Name:    strings.TrimSpace(fmt.Sprintf("backsolve %s %s", o.rules.Info().Name, o.rules.Info().Variant)),
		Author:  "the backsolve authors",
		Rules:   o.rules,
		Start:   o.start,
		Begin:   o.begin,
		Answers: o.answers,
	}
	if o.agent != nil {
		h.Name += " " + o.agent.Name()
	}
	if o.formula == nil && o.agent == nil {
		h.Options = []ugi.Option{
			{
				Name: "Policy",
				Type: fmt.Sprintf("combo default %s var %s var %s var %s", o.strength.Policy, player.Optimal, player.Shortest, player.Trap),
				Set: func(value string) error {
					return o.setStrength(player.Strength{Policy: player.Policy(value), Blunder: o.strength.Blunder})
				},
			},
			{
				Name: "Blunder",
				Type: fmt.Sprintf("string default %v", o.strength.Blunder),
				Set:  func(value string) error { return o.setBlunder(o.strength.Policy, value) },
			},
		}
	}
	h.Options = append(h.Options, ugi.Option{Name: "Seed", Type: "string default " + o.seeds.String(), Set: o.setSeed})
	return h
}
