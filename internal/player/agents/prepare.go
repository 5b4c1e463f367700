package agents

import (
	"context"
	"errors"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
)

// Prepared is an agent with its weights, ready for any number of boards. It is safe for concurrent use.
type Prepared struct {
	request request
	game    string
	size    int
}

// Prepare prepares an agent that needs neither a table nor another program. The
// error comes from Parse, or says which agents can be prepared.
func Prepare(name string) (*Prepared, error) {
	r, err := read(name)
	if err != nil {
		return nil, err
	}
	if r.kind.outside {
		outside := r.kind.Name
		r.kind = Kind{} // its example could not be prepared, either
		return nil, r.wrong(1, "%s needs a table or a program of its own; name an agent that plays by the rules or by weights", outside)
	}
	r.ctx = context.Background()
	p := &Prepared{request: *r}
	if r.kind.load != nil {
		if p.game, p.size, err = r.kind.load(&p.request); err != nil {
			return nil, err
		}
	}
	return p, p.try()
}

func (p *Prepared) try() (err error) {
	for _, g := range games.All() {
		for _, n := range g.Sizes() {
			if p.game != "" && (p.game != g.Name || p.size != n) {
				continue
			}
			if _, err = p.For(g.New(n)); err == nil {
				return nil
			}
			if syntax := (*game.SyntaxError)(nil); errors.As(err, &syntax) {
				return err
			}
		}
	}
	return err
}

// Kind returns the kind of the agent.
func (p *Prepared) Kind() Kind { return p.request.kind }

// Board returns the board of its weights; only is false if it may play on several.
func (p *Prepared) Board() (name string, size int, only bool) { return p.game, p.size, p.game != "" }

// For makes the agent for a board. Errors come from Parse.
func (p *Prepared) For(rules game.Rules) (player.Agent, error) {
	r := p.request
	r.env = &Env{Rules: rules}
	return r.kind.make(&r)
}
