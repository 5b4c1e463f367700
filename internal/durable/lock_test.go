package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestLockHeldOnce has eight goroutines fight for a lock: removing its file must
// let no two in.
func TestLockHeldOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var inside, taken atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 2000 {
				l, err := Lock(path)
				if errors.Is(err, ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d have the lock at once", n)
				}
				taken.Add(1)
				os.Stat(path) // what is done under a lock lets others run
				inside.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if taken.Load() < 100 {
		t.Errorf("the lock was taken only %d times", taken.Load())
	}
	if _, err := os.Stat(path + LockSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock file is left: %v", err)
	}
}

func TestLockIsHeldUntilUnlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if Held(path) {
		t.Error("held before it is taken")
	}
	l, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if !Held(path) {
		t.Error("not held")
	}
	_, err = Lock(path)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrHeld) || e.Path != path || e.Remedy == "" {
		t.Errorf("a second lock: %v", err)
	}
	for range 2 {
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
		again, err := Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Unlock()
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
		if _, err := Lock(path); !errors.Is(err, ErrHeld) {
			t.Errorf("a second Unlock took the lock from the next holder: %v", err)
		}
		again.Unlock()
	}
}

func TestLockFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "file")
	_, err := Lock(path)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "cannot lock "+path+".lock: ") ||
		!strings.Contains(err.Error(), "make the directory") {
		t.Errorf("below no directory: %v", err)
	}
}
