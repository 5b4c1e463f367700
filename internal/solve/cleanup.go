package solve

import (
	"context"
	"errors"
	"fmt"
	"os"

	"backsolve/internal/durable"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// ErrLeftInCluster is the cause where the solve of a board is not cleaned up in a cluster.
var ErrLeftInCluster = errors.New("it is solved, but what that has left in the cluster is not deleted")

// cleanup deletes what a solve of a job has left, once there is nothing more to solve.
type cleanup struct{ *Job }

// table deletes what a solve has left that was killed after it had named the table. It keeps
// an interrupted solve that was forced, or of the table's other form.
func (j cleanup) table(ctx context.Context) error {
	for _, path := range j.forms() {
		if _, err := os.Lstat(partialPath(path)); err == nil {
			return j.keepWork(path)
		}
	}
	if err := j.clearBeside(); err != nil {
		return unlessReadOnly(err)
	}
	if j.Elsewhere != nil {
		if err := j.Elsewhere.Truncate(0); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(j.SharedDir()); err != nil && j.Sharing == nil {
		return nil
	}
	return j.locked(j.Path, func() error { return j.shared(ctx, "") })
}

// locked calls do with a lock held, unless another process holds it or nothing can be written.
func (j cleanup) locked(path string, do func() error) error {
	l, err := tablebase.Lock(path)
	if errors.Is(err, durable.ErrHeld) {
		return nil
	}
	if err != nil {
		return unlessReadOnly(err)
	}
	defer l.Unlock()
	return do()
}

// keepWork notifies that an interrupted solve, which was to replace the table, has left its work.
func (j cleanup) keepWork(path string) error {
	return j.locked(path, func() error {
		kept := Kept{Path: partialPath(path)}
		if left, err := writer.FindUnfinished(path); err == nil && (left.Shape != j.Shape || path != j.Path) {
			kept.Other = &left.Shape
		}
		j.notify(kept)
		return nil
	})
}

// result deletes what a solve has left that was killed after it had saved its result.
func (j cleanup) result(ctx context.Context, saved *Result) error {
	files, err := outofcore.Open(j.workPath(), j.Space, false)
	if errors.Is(err, outofcore.ErrBusy) {
		return nil
	}
	if err != nil {
		return unlessReadOnly(err)
	}
	defer files.Close()
	if left := j.unsaved(ctx, files, saved); left != "" {
		j.notify(Kept{Path: left})
		return nil
	}
	if err := files.Remove(); err != nil {
		return err
	}
	if err := j.shared(ctx, saved.SHA256); err != nil {
		return err
	}
	l, err := durable.Lock(j.resultPath())
	if err == nil {
		err = l.Unlock()
	}
	if err != nil {
		return err
	}
	return j.clearBeside()
}

// shared deletes what the processes of a finished solve have left, elsewhere and on this
// machine. result is the checksum of the result, "" for a table.
func (j cleanup) shared(ctx context.Context, result string) error {
	if j.Sharing != nil {
		done, err := j.Sharing.CleanUp(ctx, j.Job, result)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrLeftInCluster, err)
		}
		if !done {
			return nil
		}
	}
	return removeShared(j.SharedDir())
}

func (j cleanup) clearShared() error {
	if _, err := os.Stat(j.SharedDir()); err != nil {
		return nil
	}
	return j.locked(j.Path, func() error { return removeShared(j.SharedDir()) })
}

func removeShared(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot remove what the workers of the solve have left: %w; remove %s yourself", err, dir)
	}
	return nil
}

// unsaved returns the path of work that the saved result did not come from, or "".
func (j cleanup) unsaved(ctx context.Context, files *outofcore.Files, saved *Result) string {
	if _, err := os.Lstat(j.SharedDir()); err == nil {
		if _, err := os.Lstat(j.SavedMark()); err != nil {
			return j.SharedDir()
		}
	}
	if !files.Begun() {
		return ""
	}
	if _, err := os.Lstat(partialPath(j.Path)); err != nil && files.Done() {
		solved, err := files.Solve(ctx, outofcore.Options{}) // adds up the counts of what is solved
		if err == nil {
			if again, err := newResult(j.Rules, j.Space, j.Moves, solved); err == nil && again.SHA256 == saved.SHA256 {
				return ""
			}
		}
	}
	return files.StatePath()
}

func (j cleanup) clearBeside() error {
	err := writer.CleanUp(j.Path)
	if errors.Is(err, tablebase.ErrBusy) {
		return nil
	}
	return err
}

// unlessReadOnly drops the error where nothing can be written, as nothing can be cleaned up then.
func unlessReadOnly(err error) error {
	if isReadOnly(err) {
		return nil
	}
	return err
}
