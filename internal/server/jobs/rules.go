package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// maxRules is how many files of rules are taken. Tests make it small.
var maxRules = 1000

// ErrTaken means that the name of a game is that of another one.
var ErrTaken = errors.New("another game has this name; rename yours")

// newRules is the file of rules that are checked, which no game can be called.
const newRules = tablesName + "/new" + games.RulesSuffix

// AddRules checks a file of rules in a solver, and keeps it among the tables, so that its game is a board
// from then on. It may be there already. The error is a *custom.Fault, ErrTaken, ErrRecord, a
// *LimitError, or the cause of ctx.
func (q *Queue) AddRules(ctx context.Context, rules []byte) (g game.Game, err error) {
	select {
	case q.planningJobs <- struct{}{}:
		defer func() { <-q.planningJobs }()
	case <-ctx.Done():
		return g, context.Cause(ctx)
	}
	l, err := games.ReadRules(rules)
	if err != nil {
		return g, err
	}
	known, same := games.OfRules(rules)
	kept := probe.RulesOf(filepath.Join(TablesDir(q.o.Dir), l.Info().Name+probe.FileSuffix))
	switch has, err := os.ReadFile(kept); {
	case err == nil && same && bytes.Equal(has, rules):
		return known, nil
	case err == nil || !same && q.isTaken(l.Info().Name):
		return g, ErrTaken
	}
	if all, err := filepath.Glob(filepath.Join(globQuoted(TablesDir(q.o.Dir)), "*"+games.RulesSuffix)); err != nil || len(all) > maxRules {
		return g, &LimitError{"the server has as many files of rules as it takes; its operator can remove some"}
	}
	file := filepath.Join(q.o.Dir, newRules)
	if err := durable.WriteFile(file, rules); err != nil {
		return g, q.notKept(err)
	}
	defer os.Remove(file)
	switch p, err := q.makePlan(ctx, append([]string{newRules}, q.options()...)); {
	case ctx.Err() != nil:
		return g, context.Cause(ctx)
	case err != nil:
		return g, &LimitError{fmt.Sprintf("the rules are not taken: %v", err)}
	case p.Obstacle == errPlan.Error():
		return g, &LimitError{p.Obstacle}
	}
	if err := errors.Join(os.Link(file, kept), durable.SyncDir(TablesDir(q.o.Dir))); err != nil {
		return g, q.notKept(err)
	}
	q.o.Log.Info("rules added", "game", l.Info().Name, "bytes", len(rules))
	return games.AddRules(bytes.NewReader(rules), l.Info().Name)
}

// isTaken reports whether a game or a table has a name.
func (q *Queue) isTaken(name string) bool {
	_, err := games.Lookup(name)
	return err == nil || slices.ContainsFunc([]string{"", tablebase.PackedSuffix}, func(suffix string) bool {
		_, err := os.Lstat(filepath.Join(TablesDir(q.o.Dir), name+probe.FileSuffix+suffix))
		return err == nil
	})
}

func (q *Queue) notKept(err error) error {
	q.o.Log.Error("rules are not taken, as their file cannot be written", "error", err)
	return ErrRecord
}
