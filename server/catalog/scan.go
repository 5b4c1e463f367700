package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"

	"backsolve/probe"
	"backsolve/tablebase"
)

// errClosed is why a closed catalogue has no tables.
var errClosed = errors.New("the catalogue of the tables is closed")

// DirError says that the directory of the tables cannot be read.
type DirError struct {
	Dir string
	Err error
}

// Error returns the sentence with the remedy.
func (e *DirError) Error() string {
	cause := e.Err
	if at := (*fs.PathError)(nil); errors.As(cause, &at) {
		cause = at.Err
	}
	return fmt.Sprintf("cannot read %s: %v; give the directory of the tables with --dir, and make it readable", e.Dir, cause)
}

// Unwrap returns the cause.
func (e *DirError) Unwrap() error { return e.Err }

// scan looks at the directory and takes over what has changed.
func (c *Catalog) scan() {
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.ctx.Err() != nil {
		return // Close has emptied it, or is about to
	}
	old := c.now.Load()
	entries, err := c.look(old)
	if len(old.entries) > 0 && (errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)) {
		// That too many files are open says nothing about these.
		c.log.Warn("tables not looked at", "error", err)
		return
	}
	now := newSnapshot(entries, err)
	if !c.report(old, now) {
		return
	}
	c.now.Store(now)
	for _, e := range old.entries {
		if now.byFile[e.File] != e {
			e.drop()
		}
	}
}

// look returns the entries of the directory, the old ones where nothing has
// changed.
func (c *Catalog) look(old *snapshot) ([]*entry, error) {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, &DirError{c.dir, err}
	}
	defer root.Close()
	names, err := tableNames(root)
	if err != nil {
		return nil, &DirError{c.dir, err}
	}
	var entries []*entry
	for _, name := range names {
		file, err := root.Stat(name)
		if err != nil { // a link to nowhere or out of the directory
			if file, err = root.Lstat(name); err != nil {
				continue // it vanished meanwhile
			}
		}
		entries = append(entries, c.renew(old.byFile[name], root, name, file))
	}
	return entries, nil
}

// renew returns the entry of a file that looks like this now: the old one, if
// there is any, unless opening the file comes to something else.
func (c *Catalog) renew(old *entry, root *os.Root, name string, file fs.FileInfo) *entry {
	if old != nil && old.isStill(file) && sameFile(old.other, statNimbers(root, name)) {
		return old
	}
	e := c.openEntry(root, name, file)
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
		plain := strings.TrimSuffix(name, tablebase.PackedSuffix)
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

// isStill says whether a file is the one that was opened. What the system alone
// has refused is worth another trial.
func (e *entry) isStill(file fs.FileInfo) bool {
	if e.Err != nil && !isVerdict(e.Err) {
		return false
	}
	return sameFile(e.file, file)
}

// sameFile reports whether a file is still what it was, or still is not there.
func sameFile(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()) && before.Mode() == now.Mode()
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
		c.log.Error("no tables", "error", now.err)
	}
	tell := func(level slog.Level, what string, e *entry, more ...any) {
		changed = true
		c.reloads.Add(1)
		c.log.Log(c.ctx, level, what, append([]any{"file", e.File}, more...)...)
	}
	for _, e := range now.entries {
		switch before := old.byFile[e.File]; {
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
		if now.byFile[e.File] == nil {
			tell(slog.LevelInfo, "table dropped", e)
		}
	}
	return changed
}
