package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backsolve/tablebase/writer"
)

// A disk that is really full ends a solve in shards with one sentence. After room is made it
// resumes, as often as that happens, and ends with the same bytes.
func TestShardsOnASmallFileSystem(t *testing.T) {
	for _, steps := range []bool{false, true} { // files of planes alone, and of logs too
		t.Run(fmt.Sprintf("steps=%v", steps), func(t *testing.T) { testSmallFileSystem(t, steps) })
	}
}

func testSmallFileSystem(t *testing.T, steps bool) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4k"); err != nil {
		t.Skip("a small file system cannot be mounted: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	space := newVariant(t, "quixo:4x3")
	o := tuned{Options{Threads: 2, Steps: steps, DownTo: enoughOf4x3}, tuning{sectionBits: 1, inShards: 4}}
	whole, _ := solve(t, space, o.Options)
	path := filepath.Join(t.TempDir(), "t.tb")
	o.LogPath = filepath.Join(disk, "log")
	full, resumed := 0, 0
	for size := 4; ; size *= 2 {
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%dk", size)); err != nil {
			t.Fatal(err)
		}
		w, err := writer.Create(path, shape(space, steps), false)
		if err != nil {
			t.Fatal(err)
		}
		resumed = max(resumed, len(w.Sealed()))
		_, err = o.solve(context.Background(), space, w)
		w.Close()
		if left, _ := filepath.Glob(filepath.Join(disk, "*")); len(left) > 0 {
			t.Errorf("%d KiB: left are %v", size, left)
		}
		if err == nil {
			break
		}
		if full++; !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), "check the disk and solve again") != 1 || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%d KiB: %v", size, err)
		}
	}
	if full == 0 || resumed == 0 || !bytes.Equal(contents(t, written(path, o.Options)), contents(t, written(whole, o.Options))) {
		t.Errorf("the disk was full %d times, %d classes were kept, or other bytes", full, resumed)
	}
}
