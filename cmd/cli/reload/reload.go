// Package reload reads files again that change while a server runs, such as certificates.
package reload

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"backsolve/internal/server/token"
	"backsolve/internal/stamp"
)

// Files are read again when they change. The zero value has none.
type Files struct {
	Log     *slog.Logger // reports files read and failures
	All     func()       // unless nil, called after a SIGHUP
	secrets []*secret
}

type secret struct {
	name  string // in the log
	files []string
	seen  []fs.FileInfo                        // of each file, nil if it is missing
	read  func() (attributes []any, err error) // reads and uses the files; attributes are for the log
}

const interval = 5 * time.Second

// Add reads files, now and whenever one of them changes.
func (r *Files) Add(name string, read func() ([]any, error), files ...string) error {
	s := &secret{name: name, files: files, seen: make([]fs.FileInfo, len(files)), read: read}
	s.changed()
	r.secrets = append(r.secrets, s)
	_, err := read()
	return err
}

// Tokens reads the tokens of a file and calls use with them. Without a file it does nothing.
func (r *Files) Tokens(file string, use func(*token.Set)) error {
	if file == "" {
		return nil
	}
	return r.Add("tokens", func() ([]any, error) {
		t, err := token.Read(file)
		if err == nil {
			use(t)
		}
		return nil, err
	}, file)
}

// Watch checks the files until ctx ends, and reads all of them at each signal.
func (r *Files) Watch(ctx context.Context, hangups <-chan os.Signal) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.Look(false)
		case <-hangups:
			r.Log.Info("reading everything again after SIGHUP")
			r.Look(true)
			if r.All != nil {
				r.All()
			}
		}
	}
}

// Look reads changed files, or all. If that fails, as when one of two is not replaced yet, the old content is kept.
func (r *Files) Look(all bool) {
	for _, s := range r.secrets {
		if changed := s.changed(); !changed && !all {
			continue
		}
		if attributes, err := s.read(); err != nil {
			r.Log.Error("keeping the old "+s.name, "error", err)
		} else {
			r.Log.Info(s.name+" read again", attributes...)
		}
	}
}

func (s *secret) changed() (changed bool) {
	for i, name := range s.files {
		file, _ := os.Stat(name) // nil if it is missing
		if !stamp.Same(s.seen[i], file) {
			changed = true
		}
		s.seen[i] = file
	}
	return changed
}

// Hangups returns a channel that gets each SIGHUP until stop is called.
func Hangups() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}
