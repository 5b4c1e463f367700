package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"backsolve/internal/stamp"
	"backsolve/probe"
	"backsolve/tablebase"
)

// ErrLink is the cause where a file is a link that leads out of the directory.
var ErrLink = errors.New("it is a link that leads out of the directory")

// errClosed is why a closed catalogue has no tables.
var errClosed = errors.New("the catalogue of the tables is closed")

// DirError says that the directory of the tables cannot be read.
type DirError struct {
	Dir string
	Err error
}

// Error returns the sentence.
func (e *DirError) Error() string {
	cause := e.Err
	if at := (*fs.PathError)(nil); errors.As(cause, &at) {
		cause = at.Err
	}
	return fmt.Sprintf("cannot read %s: %v", e.Dir, cause)
}

// Unwrap returns the cause.
func (e *DirError) Unwrap() error { return e.Err }

// dirErrors are of several directories.
type dirErrors []error

// Error returns their sentences.
func (e dirErrors) Error() string {
	var texts []string
	for _, err := range e {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns them.
func (e dirErrors) Unwrap() []error { return e }

// joined returns one error for some, nil for none.
func joined(errs []error) error {
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return dirErrors(errs)
}

// place is where a file is: its directory, by number, and its name there.
type place struct {
	dir  int
	name string
}

// Scan looks at the directories and takes over what has changed.
func (c *Catalog) Scan() {
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.ctx.Err() != nil {
		return // Close has emptied it, or is about to
	}
	old := c.now.Load()
	entries, failures := c.look(old)
	if err := joined(failures); len(old.entries) > 0 && (errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)) {
		// That too many files are open says nothing about these.
		c.log.Warn("tables not looked at", "error", err)
		return
	}
	now := newSnapshot(entries, failures, len(c.dirs))
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

// look returns the entries of the directories, the old ones where nothing has
// changed, and why some cannot be read.
func (c *Catalog) look(old *snapshot) (entries []*entry, failures []error) {
	had := map[string]int{} // the directory that has a table, 1 for the first, by its name unpacked
	for dir := range c.dirs {
		found, err := c.lookIn(dir, old, had)
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

// lookIn returns the entries of a directory, but for the tables that an earlier one
// had.
func (c *Catalog) lookIn(dir int, old *snapshot, had map[string]int) ([]*entry, error) {
	root, err := os.OpenRoot(c.dirs[dir])
	if err != nil {
		return nil, &DirError{c.dirs[dir], err}
	}
	defer root.Close()
	names, err := tableNames(root)
	if err != nil {
		return nil, &DirError{c.dirs[dir], err}
	}
	var entries []*entry
	for _, name := range names {
		at := place{dir, name}
		if before := had[unpackedName(name)]; before > 0 {
			if !c.passed[at] {
				c.log.Info("table passed over", "file", name, "dir", c.dirs[dir], "taken from", c.dirs[before-1])
			}
			c.passed[at] = true
			continue
		}
		delete(c.passed, at)
		if file := c.stat(root, name); file != nil {
			entries = append(entries, c.renew(old.byFile[at], root, at, file))
		}
	}
	return entries, nil
}

// stat describes a file, or the link where that leads to nothing that may be opened;
// nil where it has vanished meanwhile.
func (c *Catalog) stat(root *os.Root, name string) fs.FileInfo {
	file, err := root.Stat(name)
	if err != nil && c.links {
		file, err = os.Stat(filepath.Join(root.Name(), name))
	}
	if err != nil {
		file, err = root.Lstat(name)
	}
	if err != nil {
		return nil
	}
	return file
}

// unpackedName returns the name of a table's file without the suffix of packed ones.
func unpackedName(name string) string { return strings.TrimSuffix(name, tablebase.PackedSuffix) }

// renew returns the entry of a file that looks like this now: the old one, if
// there is any, unless opening the file comes to something else.
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

// statNimbers returns what the file looks like with the nimbers of the board whose table
// has a name, nil where there is none.
func statNimbers(root *os.Root, name string) fs.FileInfo {
	for _, other := range []string{probe.NimbersOf(name), probe.NimbersOf(name) + tablebase.PackedSuffix} {
		if file, err := root.Stat(other); err == nil {
			return file
		}
	}
	return nil
}

// tableNames returns the names of the table files of a directory: the packed one
// only where there is no other, and one with nimbers only where its board has no other,
// which else is answered from both.
func tableNames(root *os.Root) (names []string, err error) {
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

// isStill reports whether a file is the one that was opened, with the same contents. A refusal
// by the system alone is worth another try. Where the description of the file does not tell that
// it was rewritten, as on Windows, the first lookup has found out.
func (e *entry) isStill(file fs.FileInfo) bool {
	switch {
	case e.Err != nil && !isVerdict(e.Err):
		return false
	case e.table != nil && !e.owner.always && !e.table.Stored().Trusting():
		return false
	}
	return stamp.Same(e.file, file)
}

// isVerdict says whether an error is about what is in the file.
func isVerdict(err error) bool {
	for _, verdict := range []error{tablebase.ErrForeign, tablebase.ErrTruncated, tablebase.ErrDamaged, tablebase.ErrNewer} {
		if errors.Is(err, verdict) {
			return true
		}
	}
	return false
}

// report logs what is other than before, and says whether anything is.
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
			tell(slog.LevelInfo, "table picked up", e, "identity", e.Identity)
		default:
			tell(slog.LevelInfo, "table opened again", e, "identity", e.Identity)
		}
	}
	for _, e := range old.entries {
		if now.byFile[e.at] == nil {
			tell(slog.LevelInfo, "table dropped", e)
		}
	}
	return changed
}
