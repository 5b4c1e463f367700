package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/probe"
	"backsolve/internal/stamp"
	"backsolve/tablebase"
)

// ErrLink is the cause of the error for a link out of the directory.
var ErrLink = errors.New("it is a link that leads out of the directory")

var errClosed = errors.New("the catalogue of the tables is closed")

// DirError is the error of an unreadable directory.
type DirError struct {
	Dir string
	Err error
}

// Error returns directory and cause.
func (e *DirError) Error() string {
	cause := e.Err
	if at := (*fs.PathError)(nil); errors.As(cause, &at) {
		cause = at.Err
	}
	return fmt.Sprintf("cannot read %s: %v", e.Dir, cause)
}

// Unwrap returns the cause.
func (e *DirError) Unwrap() error { return e.Err }

func joined(errs []error) (all error) {
	for _, err := range errs {
		if all != nil {
			err = fmt.Errorf("%w; %w", all, err)
		}
		all = err
	}
	return all
}

// place is where a file is: its directory, by number, and its name there.
type place struct {
	dir  int
	name string
}

// Scan reads the directories and applies the changes.
func (c *Catalog) Scan() {
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.ctx.Err() != nil {
		return // closed
	}
	old := c.now.Load()
	entries, failures := c.scanAll(old)
	now := newSnapshot(entries, failures, len(c.dirs))
	if len(old.entries) > 0 && durable.TooManyFiles(now.err) {
		// Too many open files says nothing about the tables.
		c.log.Warn("tables not scanned", "error", now.err)
		return
	}
	if !c.report(old, now) {
		return
	}
	c.now.Store(now)
	for _, e := range old.entries {
		if now.byFile[e.at] != e {
			e.drop()
		}
	}
}

// scanAll returns the entries, old ones where nothing changed, and the errors of unreadable directories.
func (c *Catalog) scanAll(old *snapshot) (entries []*entry, failures []error) {
	had := map[string]int{} // directory of a table, from 1, by its name unpacked
	for dir := range c.dirs {
		found, err := c.scanDir(dir, old, had)
		if err != nil {
			failures = append(failures, err)
		}
		for _, e := range found {
			if e.Err == nil {
				had[unpackedName(e.File)] = dir + 1
			}
		}
		entries = append(entries, found...)
	}
	return entries, failures
}

// scanDir returns the entries of a directory without those that earlier directories had.
func (c *Catalog) scanDir(dir int, old *snapshot, had map[string]int) ([]*entry, error) {
	root, err := os.OpenRoot(c.dirs[dir])
	if err != nil {
		return nil, &DirError{c.dirs[dir], err}
	}
	defer root.Close()
	names, err := c.tableNames(root, dir)
	if err != nil {
		return nil, &DirError{c.dirs[dir], err}
	}
	var entries []*entry
	for _, name := range names {
		at := place{dir, name}
		if before := had[unpackedName(name)]; before > 0 {
			if !c.shadowed[at] {
				c.log.Info("table ignored", "file", name, "dir", c.dirs[dir], "used from", c.dirs[before-1])
			}
			c.shadowed[at] = true
			continue
		}
		delete(c.shadowed, at)
		file, err := root.Stat(name)
		if err != nil {
			file, err = root.Lstat(name) // a link that may not or cannot be followed
		}
		if err == nil { // else it has vanished
			entries = append(entries, c.renew(old.byFile[at], root, at, file))
		}
	}
	return entries, nil
}

func unpackedName(name string) string { return strings.TrimSuffix(name, tablebase.PackedSuffix) }

// renew returns the entry of a file: the old one unless the file or its error changed.
func (c *Catalog) renew(old *entry, root *os.Root, at place, file fs.FileInfo) *entry {
	if old != nil && old.isStill(file) && stamp.Same(old.other, statNimbers(root, at.name)) {
		return old
	}
	e := c.openEntry(root, at, file)
	if old != nil && old.Err != nil && e.Err != nil && old.Err.Error() == e.Err.Error() {
		old.file = file
		return old
	}
	return e
}

func statNimbers(root *os.Root, name string) fs.FileInfo {
	for _, other := range []string{probe.NimbersOf(name), probe.NimbersOf(name) + tablebase.PackedSuffix} {
		if file, err := root.Stat(other); err == nil {
			return file
		}
	}
	return nil
}

// tableNames returns the names of the table files of a directory. A plain file hides the packed
// one. A table hides that of its nimbers, which is opened with it.
func (c *Catalog) tableNames(root *os.Root, dir int) (names []string, err error) {
	list, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, f := range list {
		has[f.Name()] = true
	}
	for name := range has {
		plain := unpackedName(name)
		if table, isRules := strings.CutSuffix(name, games.RulesSuffix); isRules && strings.HasSuffix(table, probe.FileSuffix) && probe.ParseSparseName(table) == nil {
			c.addRules(root, place{dir, name}) // before there is a table, which tells what is wrong with them
		}
		other, nimbers := probe.NimbersBeside(plain)
		if nimbers && (has[other] || has[other+tablebase.PackedSuffix]) {
			continue
		}
		if strings.HasSuffix(plain, probe.FileSuffix) && (plain == name || !has[plain]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// isStill reports whether a file is the one that was opened, with the same contents. Errors of
// the system are worth another try. If file does not show a rewrite, as on Windows, the first
// lookup has noticed it.
func (e *entry) isStill(file fs.FileInfo) bool {
	switch {
	case e.Err != nil && !tablebase.Unusable(e.Err):
		return false
	case e.open != nil && !e.owner.always && !e.open.File().Trusting():
		return false
	}
	return stamp.Same(e.file, file)
}

func (c *Catalog) report(old, now *snapshot) (changed bool) {
	if changed = fmt.Sprint(old.err) != fmt.Sprint(now.err); changed && now.err != nil {
		message := "no tables"
		if !now.blind {
			message = "no tables of a directory"
		}
		c.log.Error(message, "error", now.err)
	}
	tell := func(level slog.Level, what string, e *entry, more ...any) {
		changed = true
		c.reloads.Add(1)
		attributes := append([]any{"file", e.File}, more...)
		if len(c.dirs) > 1 {
			attributes = append(attributes, "dir", e.Dir)
		}
		c.log.Log(c.ctx, level, what, attributes...)
	}
	for _, e := range now.entries {
		switch before := old.byFile[e.at]; {
		case before == e:
		case e.Err != nil:
			tell(slog.LevelWarn, "table broken", e, "error", e.Err)
		case before == nil:
			tell(slog.LevelInfo, "table opened", e, "identity", e.Identity)
		default:
			tell(slog.LevelInfo, "table reopened", e, "identity", e.Identity)
		}
	}
	for _, e := range old.entries {
		if now.byFile[e.at] == nil {
			tell(slog.LevelInfo, "table dropped", e)
		}
	}
	return changed
}
