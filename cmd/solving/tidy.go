package solving

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"backsolve/internal/durable"
	"backsolve/retro/outofcore"
	"backsolve/tablebase/writer"
)

// tidyTable removes what a solve left that was killed between giving the table its name
// and ending. The work of an interrupted solve, by --force or for the table's other
// form, is kept.
func (s *solver) tidyTable(cmd *cobra.Command, t *Target) error {
	if _, err := os.Lstat(partialPath(t.Path)); err == nil {
		return keepWork(cmd, t)
	}
	if err := clearBeside(t); err != nil {
		return readOnly(err)
	}
	if _, err := os.Lstat(t.SharedDir()); err != nil && s.sharing == nil {
		return nil
	}
	l, err := durable.Lock(t.Path)
	if errors.Is(err, durable.ErrHeld) {
		return nil // it is being solved again
	}
	if err != nil {
		return readOnly(err)
	}
	defer l.Unlock()
	return s.tidyShared(cmd, t, "", t.SharedDir())
}

// keepWork says that the table is being solved again and was interrupted.
func keepWork(cmd *cobra.Command, t *Target) error {
	l, err := durable.Lock(t.Path)
	if errors.Is(err, durable.ErrHeld) {
		return nil // it is being solved now
	}
	if err == nil {
		err = l.Unlock()
	}
	if err != nil {
		return readOnly(err)
	}
	left, err := writer.FindUnfinished(t.Path)
	if err == nil && left.Shape != t.Shape {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s is an interrupted solve of %v, and is kept; solve that with --force to go on with it\n", partialPath(t.Path), left.Shape)
		return nil
	}
	sayKept(cmd, partialPath(t.Path))
	return nil
}

// sayKept says how to go on with an interrupted solve.
func sayKept(cmd *cobra.Command, path string) {
	fmt.Fprintf(cmd.ErrOrStderr(), "note: %s is what an interrupted solve has left, and is kept; the same command with --force goes on with it\n", path)
}

// tidyResult is tidyTable for a solve that keeps no table and has saved its result.
func (s *solver) tidyResult(cmd *cobra.Command, t *Target, saved *result) error {
	files, err := outofcore.Open(t.workPath(), t.Space, false)
	if errors.Is(err, outofcore.ErrBusy) {
		return nil
	}
	if err != nil {
		return readOnly(err)
	}
	defer files.Close()
	if left := unsaved(cmd.Context(), t, files, saved); left != "" {
		sayKept(cmd, left)
		return nil
	}
	if err := files.Remove(); err != nil {
		return err
	}
	if err := s.tidyShared(cmd, t, saved.SHA256, t.StreamDir()); err != nil {
		return err
	}
	l, err := durable.Lock(t.resultPath())
	if err == nil {
		err = l.Unlock()
	}
	if err != nil {
		return err
	}
	return clearBeside(t)
}

// tidyShared deletes what several processes have left of a finished solve, where they share it
// and in the directory of those of this machine.
func (s *solver) tidyShared(cmd *cobra.Command, t *Target, result, dir string) error {
	if s.sharing != nil {
		o, _ := s.options()
		done, err := s.sharing.Tidy(cmd, t, o, result)
		if err != nil {
			return fmt.Errorf("it is solved, but what that has left in the cluster is not deleted: %w; run the same command again", err)
		}
		if !done {
			return nil
		}
	}
	return removeShared(dir)
}

// unsaved returns the path of work that the saved result did not come from, "" where
// there is none.
func unsaved(ctx context.Context, t *Target, files *outofcore.Files, saved *result) string {
	if _, err := os.Lstat(t.StreamDir()); err == nil && !isSaved(t) {
		return t.StreamDir()
	}
	if !files.Begun() {
		return ""
	}
	if _, err := os.Lstat(partialPath(t.Path)); err != nil && files.Done() {
		solved, err := files.Solve(ctx, outofcore.Options{}) // which is done, so this only adds up
		if err == nil {
			if again, err := newResult(t.Rules, t.Space, t.Moves, solved); err == nil && again.SHA256 == saved.SHA256 {
				return ""
			}
		}
	}
	return files.StatePath()
}

func isSaved(t *Target) bool {
	_, err := os.Lstat(t.SavedMark())
	return err == nil
}

// readOnly forgets that nothing can be tidied because nothing can be written.
func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}
