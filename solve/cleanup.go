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

// ErrLeftInCluster is the cause where a board is solved, but what its solve has left in a
// cluster is not deleted.
var ErrLeftInCluster = errors.New("it is solved, but what that has left in the cluster is not deleted")

// cleanUpTable deletes what a solve has left that was killed between naming the table and
// ending. It keeps an interrupted solve that was forced, or of the table's other form.
func (j *Job) cleanUpTable(ctx context.Context) error {
	if _, err := os.Lstat(partialPath(j.Path)); err == nil {
		return j.keepWork()
	}
	if err := j.clearBeside(); err != nil {
		return unlessReadOnly(err)
	}
	if _, err := os.Lstat(j.SharedDir()); err != nil && j.Sharing == nil {
		return nil
	}
	return j.locked(j.Path, func() error { return j.cleanUpShared(ctx, "") })
}

// locked does something while it holds a lock, and nothing where another process holds the
// lock or nothing can be written.
func (j *Job) locked(path string, do func() error) error {
	l, err := durable.Lock(path)
	if errors.Is(err, durable.ErrHeld) {
		return nil
	}
	if err != nil {
		return unlessReadOnly(err)
	}
	defer l.Unlock()
	return do()
}

// keepWork notifies that the table was being solved again when that was interrupted.
func (j *Job) keepWork() error {
	path := partialPath(j.Path)
	return j.locked(j.Path, func() error {
		kept := Kept{Path: path}
		if left, err := writer.FindUnfinished(j.Path); err == nil && left.Shape != j.Shape {
			kept.Other = &left.Shape
		}
		j.notify(kept)
		return nil
	})
}

// cleanUpResult is cleanUpTable for a job that keeps no table and has saved its result.
func (j *Job) cleanUpResult(ctx context.Context, saved *Result) error {
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
	if err := j.cleanUpShared(ctx, saved.SHA256); err != nil {
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

// cleanUpShared deletes what the processes of a finished solve have left, elsewhere and on
// this machine. result is the checksum of the result, "" for a table.
func (j *Job) cleanUpShared(ctx context.Context, result string) error {
	if j.Sharing != nil {
		done, err := j.Sharing.CleanUp(ctx, j, result)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrLeftInCluster, err)
		}
		if !done {
			return nil
		}
	}
	return removeShared(j.SharedDir())
}

// unsaved returns the path of work that the saved result did not come from, "" where there
// is none.
func (j *Job) unsaved(ctx context.Context, files *outofcore.Files, saved *Result) string {
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

// clearBeside removes what writing the table of the job, where it is there, has left beside
// it.
func (j *Job) clearBeside() error {
	if _, err := os.Stat(j.Path); err != nil {
		return nil
	}
	w, err := writer.Create(j.Path, j.Shape, false) // removes it before it refuses
	if err == nil {
		return w.Close() // the table has gone meanwhile
	}
	if errors.Is(err, tablebase.ErrExists) || errors.Is(err, tablebase.ErrBusy) {
		return nil
	}
	return err
}

// unlessReadOnly drops an error that says that nothing can be written: nothing can be
// cleaned up then.
func unlessReadOnly(err error) error {
	if isReadOnly(err) {
		return nil
	}
	return err
}
