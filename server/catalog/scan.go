package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

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
	if c.closed {
		return
	}
	old := c.now.Load()
	entries, err := c.look(old)
	changed := c.report(old, entries, err)
	if !changed {
		return
	}
	c.now.Store(newSnapshot(entries, err))
	for _, e := range old.entries {
		if !slices.Contains(entries, e) {
			e.drop()
		}
	}
}

// look returns the entries of the directory, the old ones where the file is the
// same.
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
		e := old.byFile(name)
		if e == nil || !e.isStill(file) {
			e = c.openEntry(root, name, file)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// tableNames returns the names of the table files of a directory: the packed one
// only where there is no other.
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
		if strings.HasSuffix(plain, ".tb") && (plain == name || !has[plain]) {
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
	return os.SameFile(e.file, file) && e.file.Size() == file.Size() && e.file.ModTime().Equal(file.ModTime()) && e.file.Mode() == file.Mode()
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

// byFile returns the entry of a file name, nil for none.
func (s *snapshot) byFile(name string) *entry {
	for _, e := range s.entries {
		if e.File == name {
			return e
		}
	}
	return nil
}

// report logs what is other than before, and says whether anything is.
func (c *Catalog) report(old *snapshot, entries []*entry, err error) (changed bool) {
	if fmt.Sprint(old.err) != fmt.Sprint(err) {
		changed = true
		if err != nil {
			c.log.Error("no tables", "error", err)
		}
	}
	now := map[string]bool{}
	for _, e := range entries {
		now[e.File] = true
		before := old.byFile(e.File)
		switch {
		case before == e:
			continue
		case e.Err != nil:
			if before == nil || fmt.Sprint(before.Err) != e.Err.Error() {
				c.log.Warn("table broken", "file", e.File, "error", e.Err)
			}
		case before == nil:
			c.log.Info("table picked up", "file", e.File, "identity", e.Identity)
		default:
			c.log.Info("table opened again", "file", e.File, "identity", e.Identity)
		}
		changed = true
		c.reloads.Add(1)
	}
	for _, e := range old.entries {
		if !now[e.File] {
			changed = true
			c.reloads.Add(1)
			c.log.Info("table dropped", "file", e.File)
		}
	}
	return changed
}
