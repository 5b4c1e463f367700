package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/probe"
)

const maxRules = 1000

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
	name, tables := l.Info().Name, TablesDir(q.o.Dir)
	known, same := games.OfRules(rules)
	kept := filepath.Join(tables, probe.RulesOf(name+probe.FileSuffix))
	if has, err := os.ReadFile(kept); same && err == nil && bytes.Equal(has, rules) {
		return known, nil
	}
	files, err := os.ReadDir(tables)
	if err != nil {
		return g, q.notKept(err)
	}
	count := 0
	_, unknown := games.Lookup(name)
	taken := unknown == nil && !same || name == "jobs" // /v1/jobs/1 is a job
	for _, f := range files {
		taken = taken || strings.HasPrefix(f.Name(), name+probe.FileSuffix)
		if strings.HasSuffix(f.Name(), games.RulesSuffix) {
			count++
		}
	}
	switch {
	case taken:
		return g, ErrTaken
	case count >= maxRules:
		return g, &LimitError{"the server takes no more files of rules; its operator can remove some"}
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
	case p.Why == errPlan.Error():
		return g, &LimitError{p.Why}
	}
	if err := errors.Join(os.Link(file, kept), durable.SyncDir(tables)); err != nil {
		return g, q.notKept(err)
	}
	q.o.Log.Info("rules added", "game", name, "bytes", len(rules))
	return games.AddRules(bytes.NewReader(rules), name, "")
}

func (q *Queue) notKept(err error) error {
	q.o.Log.Error("rules are not taken, as their file cannot be written", "error", err)
	return ErrRecord
}
