package generic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

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
		if err := os.RemoveAll(path + WorkSuffix); err != nil {
			return err
		}
		solution, err = Solve(ctx, path+WorkSuffix, rules, o)
	}
	if err != nil {
		return err
	}
	start := rules.Start()
	h := sparse.Header{Game: rules.Name(), Program: program, Start: start.Key, StartTier: start.Tier, Rules: custom.Fingerprint(rules)}
	if err := sparse.Write(path, h, rules.Tiers(), solution.Tier); err != nil {
		return errors.Join(err, solution.Close())
	}
	return solution.Remove()
}

// ErrContradicts is the cause when a table is not what the rules say.
var ErrContradicts = errors.New("the table contradicts the rules")

// Verify compares the value of every state of a table with those of the states after its
// moves. A table that passes is right: by the number of plies, no state can be the first
// whose value is wrong. The error wraps ErrContradicts or ErrRules, or is that of the table or
// the context's.
func Verify(ctx context.Context, table *sparse.Table, rules custom.Rules, o Options) error {
	h := table.Header()
	if h.Game != rules.Name() || h.Start != rules.Start().Key || len(h.Tiers) != rules.Tiers() {
		return fmt.Errorf("%w: it is of %s", ErrContradicts, h.Game)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	s := &solver{rules: rules, o: o, threads: o.Threads, values: make([][]score, rules.Tiers())}
	s.expanders.New = func() any { return rules.NewExpander() }
	for t := range h.Tiers {
		if err := load(s, table, t); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
	}
	if _, err := table.Lookup(h.StartTier, h.Start); err != nil {
		return fmt.Errorf("%w: the start: %w", ErrContradicts, err)
	}
	done := 0
	for t := range h.Tiers {
		if err := verifyTier(ctx, s, t); err != nil {
			return err
		}
		done += s.keys[t].len()
		s.report(Progress{Phase: Verifying, Tier: t, Done: done, States: s.states})
	}
	return nil
}

// load reads a tier of a table.
func load(s *solver, table *sparse.Table, tier int) error {
	var k tierKeys
	var keys []uint64
	n := table.Header().Tiers[tier].States
	values := make([]score, 0, n)
	tally := sparse.Tally{}
	add := func() {
		k.base = append(k.base, len(values)-len(keys))
		k.segments = append(k.segments, encode(segment{}, keys))
		keys = keys[:0]
	}
	for state, err := range table.Tier(tier) {
		if err != nil {
			return err
		}
		tally.Add(state.Key, state.Value)
		keys, values = append(keys, state.Key), append(values, scoreOf(state.Outcome, state.Steps))
		if len(keys) == rangeKeys {
			add()
		}
	}
	if len(keys) > 0 {
		add()
	}
	if !slices.Equal(tally.Counts(), table.Header().Tiers[tier].Values) {
		return fmt.Errorf("%w: its counts of tier %d are not those of its states", ErrContradicts, tier)
	}
	s.keys = append(s.keys, k)
	s.values[tier] = values
	s.states += len(values)
	return nil
}

// verifyTier compares the values of a tier with those of all that it leads to.
func verifyTier(ctx context.Context, s *solver, t int) error {
	return s.families(ctx, t, nil, func(_ int, f *family, base int) error {
		if err := s.solveFamily(f); err != nil {
			return fmt.Errorf("%w: %w", ErrContradicts, err)
		}
		for i, want := range f.scores {
			if got := s.values[t][base+i]; got != want {
				return fmt.Errorf("%w: state %d of tier %d is %v, and its moves say %v", ErrContradicts, base+i, t, got.value(), want.value())
			}
		}
		return nil
	})
}
