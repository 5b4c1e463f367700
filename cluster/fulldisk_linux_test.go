package cluster

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A worker process whose disk is really full ends with one sentence and a status. When there is
// room, another one finishes the solve with the same bytes.
func TestWorkerOnASmallFileSystem(t *testing.T) {
	t.Parallel()
	c, disk := newTestCluster(t), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=128k"); err != nil {
		t.Skip("a small file system cannot be mounted: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	c.place = filepath.Join(disk, "store")
	c.store = openStore(t, c.place)
	wait := c.solveTable(t)
	worker := startChild(t, child{Do: "work", URL: c.server.URL(), Place: c.place}, c.server.Environment()...)
	worker.Wait()
	said := strings.Split(strings.TrimSpace(worker.Stderr.(*testLog).all), "\n")
	last := said[len(said)-1]
	for _, words := range []string{"tasks in a row have failed", "the store is full", syscall.ENOSPC.Error(), "make room in " + c.place} {
		if strings.Count(last, words) != 1 {
			t.Errorf("the worker ends with %q, without %q", last, words)
		}
	}
	if worker.ProcessState.ExitCode() != 1 {
		t.Errorf("the worker ends with %v", worker.ProcessState)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	c.startWorker(t, nil)
	wait()
	c.wantEmpty(t)
}
