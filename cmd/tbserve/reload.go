package main

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"backsolve/internal/stamp"
)

// reloader reads files again that may change while the server runs: certificates live for
// weeks, servers for months.
type reloader struct {
	log     *slog.Logger
	secrets []*secret
	// all is called when everything is to be read again.
	all func()
}

// secret is what some files hold together.
type secret struct {
	name  string // in the log
	files []string
	seen  []fs.FileInfo // of each file, nil where it is gone
	// read reads the files and puts what they hold to use. It returns attributes for the log.
	read func() ([]any, error)
}

// reloadInterval is the time between two looks at the files.
const reloadInterval = 5 * time.Second

// add reads files, and has them read again when one of them changes.
func (r *reloader) add(name string, read func() ([]any, error), files ...string) error {
	s := &secret{name: name, files: files, seen: make([]fs.FileInfo, len(files)), read: read}
	s.changed()
	r.secrets = append(r.secrets, s)
	_, err := read()
	return err
}

// watch looks at the files again and again until ctx ends, and reads everything at each signal.
func (r *reloader) watch(ctx context.Context, hangups <-chan os.Signal) {
	tick := time.NewTicker(reloadInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.look(false)
		case <-hangups:
			r.log.Info("everything is read again, as SIGHUP asks")
			r.look(true)
			r.all()
		}
	}
}

// look reads those files again that have changed, or all. If that fails, as when only one of
// two files has been replaced yet, what they held before is kept.
func (r *reloader) look(all bool) {
	for _, s := range r.secrets {
		if changed := s.changed(); !changed && !all {
			continue
		}
		if attributes, err := s.read(); err != nil {
			r.log.Error("the "+s.name+" before is kept", "error", err)
		} else {
			r.log.Info(s.name+" read again", attributes...)
		}
	}
}

// changed reports whether a file is another one than at the last call, or is gone.
func (s *secret) changed() (changed bool) {
	for i, name := range s.files {
		file, _ := os.Stat(name) // nil where it is gone
		if !stamp.Same(s.seen[i], file) {
			changed = true
		}
		s.seen[i] = file
	}
	return changed
}

// hangups returns a channel that gets each SIGHUP, which does not end the process then, until
// stop is called.
func hangups() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}
