package playing

import (
	"context"
	"errors"
	"fmt"

	"backsolve/cmd/cli"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// sit makes the agent of --agent the player. The error is a *cli.UsageError unless it is
// about a table.
func (o *opponent) sit(ctx context.Context, given *options, board *probe.Board, s probe.OnDemand) (err error) {
	env := &agents.Env{Rules: o.rules, Board: board, Dir: *given.dir, OnDemand: s}
	o.agent, err = agents.Parse(ctx, given.agent, env)
	if err != nil {
		err = errors.Join(err, env.Close())
		var table *tablebase.Error
		if isMissing(err) || errors.As(err, &table) {
			return err
		}
		return &cli.UsageError{Err: fmt.Errorf("--agent: %w", err)}
	}
	closing := o.close
	o.close = func() error { return errors.Join(env.Close(), closing()) }
	return nil
}

func isMissing(err error) bool {
	var missing *probe.MissingError
	return errors.As(err, &missing)
}
