package generic

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"backsolve/game/custom"
	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// WorkSuffix is behind a table's path in the name of its work directory.
const WorkSuffix = ".work"

// ErrExists is the cause when a table is there already.
var ErrExists = errors.New("the table is there already")

// CleanUp removes the work directory and lock files of a solve that was killed after it had named its table. If the
// table is damaged or of other rules, the directory belongs to a solve that was to replace it, and stays.
func CleanUp(ctx context.Context, path string, table *sparse.Table, rules custom.Rules) (err error) {
	for _, locked := range []string{path, path + WorkSuffix} {
		if _, err := os.Lstat(locked + durable.LockSuffix); err != nil {
			continue
		}
		if lock, err := durable.Lock(locked); err == nil {
			lock.Unlock() // which removes the file
		}
	}
	if _, err := os.Lstat(path + WorkSuffix); err != nil {
		return nil
	}
	lock, err := durable.Lock(path + WorkSuffix)
	if err != nil {
		return nil // it is in use, or nothing can be written
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if h := table.Header(); !custom.Unchanged(rules, h.Fingerprint, h.Rules) || table.Verify(ctx, runtime.GOMAXPROCS(0), nil) != nil {
		return nil
	}
	want, err := newCheckpoint(rules)
	if err != nil {
		return err
	}
	want.Outcomes = table.Header().Outcomes
	w, err := openWork(path+WorkSuffix, want)
	if errors.Is(err, ErrWork) {
		return nil
	}
	if err != nil {
		return err
	}
	return w.remove()
}

// failed adds the remedy to an error of the system in a work directory, which keeps what is solved.
func failed(dir string, err error) error {
	if !errors.As(err, new(syscall.Errno)) || errors.As(err, new(*durable.Error)) {
		return err
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		dir = at.Path
	}
	return tablebase.Failed(dir, "go on", err, "check the disk and solve again: what is solved so far is kept")
}

// Make solves a game and writes its table to path. It resumes what an earlier call left in the work directory beside
// the table. program names what makes the table. The error wraps ErrExists, or comes from Solve or the system.
func Make(ctx context.Context, path, program string, rules custom.Rules, o Options) (err error) {
	lock, err := durable.Lock(path + WorkSuffix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(failed(path+WorkSuffix, err), lock.Unlock()) }()
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
	solution.report(Writing, 0, 0, solution.States())
	start, done := rules.Start(), &solution.work.done
	h := sparse.Header{Game: rules.Name(), Program: program, Start: start.Key, StartTier: start.Tier, Rules: done.Rules, Fingerprint: done.Fingerprint, Outcomes: o.Outcomes}
	for _, n := range done.Ranks {
		h.Tiers = append(h.Tiers, sparse.Tier{Ranks: int64(n)})
	}
	if err := sparse.Write(path, h, rules.Tiers(), solution.Tier); err != nil {
		return errors.Join(err, solution.Close())
	}
	return solution.Remove()
}
