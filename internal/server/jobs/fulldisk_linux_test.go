package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backsolve/internal/server/api"
)

// A disk that is really full fails the job that fills it and takes no more, but loses none: the
// records are as they were, and after room is made the job resumes.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96k"); err != nil {
		t.Skip("a small file system cannot be mounted: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	q, log := open(t, dir, limits{})
	done := add(t, q, "quick", 4)
	stop := q.start()
	until(t, q, done.Id, api.JobStateDone)
	if err := os.WriteFile(filepath.Join(TablesDir(dir), "brim.partial"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	brim := add(t, q, "brim", 4)
	failed := until(t, q, brim.Id, api.JobStateFailed)
	stop()
	if !strings.Contains(*failed.Reason, "no space left") || !strings.Contains(log.String(), "the record of a job cannot be written") {
		t.Errorf("%s: %s", *failed.Reason, log)
	}
	if _, err := q.Add(t.Context(), api.JobRequest{Game: "slow", Size: 4}); !errors.Is(err, ErrRecord) {
		t.Errorf("a job is taken on a full disk: %v", err)
	}
	if list := q.List(); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	full, err := os.Stat(filepath.Join(TablesDir(dir), "brim.partial"))
	if err != nil || full.Size() == 0 || full.Size() > 150_000 {
		t.Fatalf("%v, %+v", err, full)
	}
	q, _ = open(t, dir, limits{})
	if j, err := q.Get(done.Id); err != nil || j.State != api.JobStateDone {
		t.Errorf("%v, %+v", err, j)
	}
	defer q.start()()
	if j, err := q.Get(brim.Id); err != nil || j.State == api.JobStateFailed { // its failure was not written
		t.Errorf("%v, %+v", err, j)
	}
	until(t, q, brim.Id, api.JobStateDone)
}
