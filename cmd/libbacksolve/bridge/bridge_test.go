package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"backsolve"
)

// solved returns the path of a table of Quixo 2×2.
func solved(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	table, err := backsolve.Solve(t.Context(), dir, "quixo 2", backsolve.Options{Steps: true})
	if err != nil {
		t.Fatal(err)
	}
	table.Close()
	return filepath.Join(dir, "quixo-2x2.tb")
}

// TestCopyText checks that the longest prefix of whole characters that fits is copied, and
// ended by a zero.
func TestCopyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 20, -1).Draw(t, "text")
		buffer := make([]byte, 100)
		for i := range buffer {
			buffer[i] = '#'
		}
		size := rapid.IntRange(0, 100).Draw(t, "size")
		CopyText(buffer[:size], text)
		if strings.Trim(string(buffer[size:]), "#") != "" {
			t.Fatal("more was written than there was room for")
		}
		if size == 0 {
			return
		}
		want := ""
		for _, r := range text {
			if len(want)+utf8.RuneLen(r) >= size {
				break
			}
			want += string(r)
		}
		if got := string(buffer[:len(want)+1]); got != want+"\x00" {
			t.Fatalf("%q of %q in %d bytes, want %q", got, text, size, want)
		}
	})
}

func TestStatusOf(t *testing.T) {
	for want, errs := range map[Status][]error{
		OK:       {nil},
		Failed:   {errors.New("?"), fs.ErrPermission},
		Input:    {Inputf("%s is NULL", "path"), fmt.Errorf("so: %w", backsolve.ErrPosition)},
		NoTable:  {fs.ErrNotExist},
		BadTable: {fmt.Errorf("so: %w", backsolve.ErrBadTable)},
		Closed:   {noTable(7), fs.ErrClosed},
	} {
		for _, err := range errs {
			if got := StatusOf(err); got != want {
				t.Errorf("%v has status %d, not %d", err, got, want)
			}
		}
	}
}

func opener(path string) func() (*backsolve.Table, error) {
	return func() (*backsolve.Table, error) { return backsolve.OpenFile(path) }
}

func TestTables(t *testing.T) {
	path := solved(t)
	var s Handles[*backsolve.Table]
	handle, err := s.Open(API, opener(path))
	if err != nil || handle == 0 {
		t.Fatal(handle, err)
	}
	other, err := s.Open(API, opener(path))
	if err != nil || other == handle {
		t.Fatal(other, err)
	}
	if err := s.Use(handle, func(t *backsolve.Table) error { _, err := t.Ask("../.. x"); return err }); err != nil {
		t.Error(err)
	}
	if err := s.Close(handle); err != nil {
		t.Error(err)
	}
	used := func(*backsolve.Table) error { t.Error("a table that is not open is used"); return nil }
	for _, wrong := range []uint64{0, handle, 99, 1 << 63} {
		if err := s.Use(wrong, used); StatusOf(err) != Closed {
			t.Errorf("used %d: %v", wrong, err)
		}
		if err := s.Close(wrong); StatusOf(err) != Closed {
			t.Errorf("closed %d: %v", wrong, err)
		}
	}
	if err := s.Close(other); err != nil {
		t.Error(err)
	}
	for _, api := range []uint32{0, API + 1} {
		if _, err := s.Open(api, opener(path)); StatusOf(err) != Input || !strings.Contains(err.Error(), "build it with the backsolve.h of this library") {
			t.Errorf("version %d: %v", api, err)
		}
	}
	if _, err := s.Open(API, opener(os.DevNull)); StatusOf(err) != BadTable {
		t.Errorf("%v", err)
	}
}

// TestCloseWaits checks that closing a table waits for answers in progress.
func TestCloseWaits(t *testing.T) {
	path := solved(t)
	for range 50 {
		var s Handles[*backsolve.Table]
		handle, err := s.Open(API, opener(path))
		if err != nil {
			t.Fatal(err)
		}
		var closed atomic.Bool
		var asking, done sync.WaitGroup
		for range 4 {
			asking.Add(1)
			done.Go(func() {
				first := true
				for {
					err := s.Use(handle, func(table *backsolve.Table) error {
						if first {
							first = false
							asking.Done()
						}
						if closed.Load() {
							t.Error("it is closed while it is asked")
						}
						_, err := table.Lookup(0, 0, false)
						return err
					})
					switch StatusOf(err) {
					case OK:
						continue
					case Closed:
						if !errors.Is(err, errHandle) {
							t.Errorf("it was closed under a question: %v", err)
						}
					default:
						t.Error(err)
					}
					return
				}
			})
		}
		asking.Wait()
		if err := s.Close(handle); err != nil {
			t.Error(err)
		}
		closed.Store(true)
		done.Wait()
	}
}
