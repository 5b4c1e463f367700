package reload

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Every few seconds it is looked whether files have changed; a signal has them all read at once.
func TestWatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, "a")
	synctest.Test(t, func(t *testing.T) {
		reads, all := 0, 0
		files := &Files{Log: slog.New(slog.DiscardHandler), All: func() { all++ }}
		read := func() ([]any, error) { reads++; return nil, nil }
		if err := files.Add("file", read, name); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		signals, done := make(chan os.Signal), make(chan bool)
		go func() {
			files.Watch(ctx, signals)
			close(done)
		}()
		want := func(wantReads, wantAll int) {
			t.Helper()
			synctest.Wait()
			if reads != wantReads || all != wantAll {
				t.Errorf("after %d reads and %d of everything, want %d and %d", reads, all, wantReads, wantAll)
			}
		}
		time.Sleep(3 * interval)
		want(1, 0)
		write(t, name, "bb")
		time.Sleep(interval)
		want(2, 0)
		signals <- syscall.SIGHUP
		want(3, 1)
		cancel()
		<-done
	})
}
