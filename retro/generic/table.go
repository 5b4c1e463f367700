package generic

import (
	"context"
	"errors"
	"fmt"
	"os"

	"backsolve/game/custom"
	"backsolve/internal/durable"
	"backsolve/tablebase/sparse"
)

// WorkSuffix is behind a table's path in the name of its work directory.
const WorkSuffix = ".work"

// ErrExists is the cause when a table is there already.
var ErrExists = errors.New("the table is there already")

// Make solves a game and writes its table to path. What an earlier call has left in the work
// directory beside it, it goes on from. program names what makes the table, for people. The
// error wraps ErrExists, or is that of Solve or the system's.
func Make(ctx context.Context, path, program string, rules custom.Rules, o Options) (err error) {
	lock, err := durable.Lock(path + WorkSuffix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if _, err := os.Lstat(path); err == nil && !o.Force {
		return fmt.Errorf("%s: %w", path, ErrExists)
	}
	solution, err := Solve(ctx, path+WorkSuffix, rules, o)
	if o.Force && errors.Is(err, ErrWork) {
		if err := (&work{dir: path + WorkSuffix}).remove(); err != nil {
			return err
		}
		solution, err = Solve(ctx, path+WorkSuffix, rules, o)
	}
	if err != nil {
		return err
	}
	start := rules.Start()
	h := sparse.Header{Game: rules.Name(), Program: program, Start: start.Key, StartTier: start.Tier, Rules: custom.Fingerprint(rules), Outcomes: o.Outcomes}
	if err := sparse.Write(path, h, rules.Tiers(), solution.Tier); err != nil {
		return errors.Join(err, solution.Close())
	}
	return solution.Remove()
}
