package agents

import (
	"context"
	"errors"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
)

// Prepared is an agent, with its weights, for one board after another. It is safe for concurrent use.
type Prepared struct {
	request request
	game    string
	size    int
}

// Prepare prepares an agent that needs neither a table nor a program of its own. The
// error is that of Parse, or says which agents can be prepared.
func Prepare(name string) (*Prepared, error) {
	r, err := read(name)
	if err != nil {
		return nil, err
	}
	if r.kind.outside {
		outside := r.kind.Name
		r.kind = Kind{} // whose example would not do, either
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

// Kind returns what kind of agent it is.
func (p *Prepared) Kind() Kind { return p.request.kind }

// Board returns the board of its weights; only is false if it may play on several.
func (p *Prepared) Board() (name string, size int, only bool) { return p.game, p.size, p.game != "" }

// For makes the agent for a board. The error is that of Parse.
func (p *Prepared) For(rules game.Rules) (player.Agent, error) {
	r := p.request
	r.env = &Env{Rules: rules}
	return r.kind.make(&r)
}
