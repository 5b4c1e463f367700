package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/ugi"
)

// try has an external engine make a move, so that a broken one is found before all work.
func try(ctx context.Context, env *agents.Env, a player.Agent) error {
	if !strings.HasPrefix(a.Name(), "engine:") {
		return nil
	}
	p, err := a.Begin(0)
	if err != nil {
		err = fmt.Errorf("it cannot begin: %w", err)
	} else {
		_, err = player.Move(ctx, p, env.Rules.Start())
		p.Close()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return withRemedy(&arena.UnableError{Agent: a.Name(), Err: err})
	}
	return nil
}

// withRemedy adds a remedy if an external engine cannot play.
func withRemedy(err error) error {
	if unable := (*arena.UnableError)(nil); errors.As(err, &unable) && errors.Is(err, ugi.ErrEngine) {
		return fmt.Errorf("%w; run the engine by itself and type ugi, which it must answer by ugiok", err)
	}
	return err
}
