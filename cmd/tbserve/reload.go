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

// reloader reads files again that change while the server runs, such as certificates.
type reloader struct {
	log     *slog.Logger
	secrets []*secret
	// all is called after a SIGHUP.
	all func()
}

// secret is the content of some files.
type secret struct {
	name  string // in the log
	files []string
	seen  []fs.FileInfo // of each file, nil if it is missing
	// read reads and uses the files. It returns attributes for the log.
	read func() ([]any, error)
}

// reloadInterval is the time between two checks of the files.
const reloadInterval = 5 * time.Second

// add reads files, now and whenever one of them changes.
func (r *reloader) add(name string, read func() ([]any, error), files ...string) error {
	s := &secret{name: name, files: files, seen: make([]fs.FileInfo, len(files)), read: read}
	s.changed()
	r.secrets = append(r.secrets, s)
	_, err := read()
	return err
}

// watch checks the files until ctx ends, and reads all of them at each signal.
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
			r.log.Info("reading everything again after SIGHUP")
			r.look(true)
			r.all()
		}
	}
}

// look reads changed files, or all. If that fails, perhaps because only one of two files has
// been replaced yet, the old content is kept.
func (r *reloader) look(all bool) {
	for _, s := range r.secrets {
		if changed := s.changed(); !changed && !all {
			continue
		}
		if attributes, err := s.read(); err != nil {
			r.log.Error("keeping the old "+s.name, "error", err)
		} else {
			r.log.Info(s.name+" read again", attributes...)
		}
	}
}

// changed reports whether a file has changed since the last call, or is missing.
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

// hangups returns a channel that gets each SIGHUP until stop is called.
func hangups() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}
