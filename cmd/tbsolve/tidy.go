package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"backsolve/cluster"
	"backsolve/internal/durable"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
)

// tidyTable removes what a solve left that was killed between giving the table its name
// and ending. The work of an interrupted solve, by --force or for the table's other
// form, is kept.
func (s *solver) tidyTable(cmd *cobra.Command, t *target) error {
	if _, err := os.Lstat(partialPath(t.path)); err == nil {
		return keepWork(cmd, t)
	}
	if err := clearBeside(t); err != nil {
		return readOnly(err)
	}
	if _, err := os.Lstat(t.teamDir()); err != nil && s.sharing.url == "" {
		return nil
	}
	l, err := durable.Lock(t.path)
	if errors.Is(err, durable.ErrHeld) {
		return nil // it is being solved again
	}
	if err != nil {
		return readOnly(err)
	}
	defer l.Unlock()
	o, _ := s.options()
	return s.tidyShared(cmd, t, cluster.NewSolve(t.space, o), t.teamDir())
}

// keepWork says that the table is being solved again and was interrupted.
func keepWork(cmd *cobra.Command, t *target) error {
	l, err := durable.Lock(t.path)
	if errors.Is(err, durable.ErrHeld) {
		return nil // it is being solved now
	}
	if err == nil {
		err = l.Unlock()
	}
	if err != nil {
		return readOnly(err)
	}
	left, err := tablebase.FindUnfinished(t.path)
	if err == nil && left.Shape != t.shape {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s is an interrupted solve of %v, and is kept; solve that with --force to go on with it\n", partialPath(t.path), left.Shape)
		return nil
	}
	sayKept(cmd, partialPath(t.path))
	return nil
}

// sayKept says how to go on with an interrupted solve.
func sayKept(cmd *cobra.Command, path string) {
	fmt.Fprintf(cmd.ErrOrStderr(), "note: %s is what an interrupted solve has left, and is kept; the same command with --force goes on with it\n", path)
}

// tidyResult is tidyTable for a solve that keeps no table and has saved its result.
func (s *solver) tidyResult(cmd *cobra.Command, t *target, saved *result) error {
	files, err := outofcore.Open(t.workPath(), t.space, false)
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
	of := cluster.NewStream(t.space, false, 0)
	of.Result = saved.SHA256
	if err := s.tidyShared(cmd, t, of, t.streamTeamDir()); err != nil {
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

// tidyShared deletes what several processes have left of a finished solve in NATS and in the store,
// and the directory of those of this machine.
func (s *solver) tidyShared(cmd *cobra.Command, t *target, of cluster.Solve, dir string) error {
	_, none := os.Lstat(dir)
	if s.sharing.url != "" || s.sharing.store != "" && none == nil {
		m := new(team)
		defer m.close()
		how, _, err := s.reach(cmd.Context(), m, dir)
		if err == nil {
			err = cluster.Tidy(cmd.Context(), t.space, of, how)
		}
		switch {
		case errors.Is(err, cluster.ErrUnfinished):
			fmt.Fprintf(cmd.ErrOrStderr(), "note: %v; the same command with --force goes on with it\n", err)
			return nil // its record may be in the directory
		case err != nil:
			return fmt.Errorf("it is solved, but what that has left in the cluster is not deleted: %w; run the same command again", err)
		}
		m.close()
	}
	return removeShared(dir)
}

// unsaved returns the path of work that the saved result did not come from, "" where
// there is none.
func unsaved(ctx context.Context, t *target, files *outofcore.Files, saved *result) string {
	if _, err := os.Lstat(t.streamTeamDir()); err == nil && !isSaved(t) {
		return t.streamTeamDir()
	}
	if !files.Begun() {
		return ""
	}
	if _, err := os.Lstat(partialPath(t.path)); err != nil && files.Done() {
		solved, err := files.Solve(ctx, outofcore.Options{}) // which is done, so this only adds up
		if err == nil {
			if again, err := newResult(t.rules, t.space, t.moves, solved); err == nil && again.SHA256 == saved.SHA256 {
				return ""
			}
		}
	}
	return files.StatePath()
}

// savedMark is a file that tells shared work whose result is saved from other work.
func savedMark(t *target) string { return filepath.Join(t.streamTeamDir(), "saved") }

func isSaved(t *target) bool {
	_, err := os.Lstat(savedMark(t))
	return err == nil
}

// readOnly forgets that nothing can be tidied because nothing can be written.
func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}
