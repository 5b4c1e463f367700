package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"backsolve/internal/durable"
)

// newDir is where files are written before they have their names, in the store's
// directory. No part of a name begins with a dot, so it is no object's.
const newDir = ".new"

// stale is after what time without a write a file in newDir is one that a killed process
// left. Clocks of machines that share a directory may differ, but not by that much.
const stale = 24 * time.Hour

// directory keeps files below a directory. Through its root no name and no symbolic
// link leads out of that.
type directory struct {
	path string
	root *os.Root
}

// openDirectory opens the store in a directory, and makes that if need be.
func openDirectory(dir string) (Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(filepath.Join(dir, newDir), 0o755); err != nil {
		return nil, fmt.Errorf("the store cannot be opened: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the store cannot be opened: %w; choose another directory", err)
	}
	d := &directory{dir, root}
	d.sweep(time.Now().Add(-stale))
	return &framed{d}, nil
}

func (d *directory) String() string { return d.path }

// sweep removes what killed processes have left, as far as that is possible.
func (d *directory) sweep(before time.Time) {
	left, err := fs.ReadDir(d.root.FS(), newDir)
	if err != nil {
		return
	}
	for _, file := range left {
		if info, err := file.Info(); err == nil && info.ModTime().Before(before) {
			d.root.Remove(path.Join(newDir, file.Name()))
		}
	}
}

// throughTo is how bytes get into a file; tests put a full disk in its place.
var throughTo = func(f *os.File) io.Writer { return f }

// put writes a file under another name and renames it. It does not wait for the disk, which
// would take longer than most solves of a group: what a power cut takes of an object is
// noticed by its checksums, as any other damage is, and is made again.
func (d *directory) put(ctx context.Context, name string, r io.Reader, _ int64) error {
	made := path.Join(newDir, rand.Text())
	f, err := d.root.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return d.explain(err)
	}
	_, err = io.Copy(throughTo(f), r)
	if closed := f.Close(); err == nil {
		err = closed // a network's filesystem tells only now that it is full
	}
	if err == nil {
		err = d.give(ctx, made, name+suffix)
	}
	if err != nil {
		d.root.Remove(made)
	}
	return d.explain(err)
}

// give gives a written file its name. Whoever deletes the last object beside it takes the
// directory away, at any moment, and a directory that goes while it is being made is both
// there already and not there. So whether there is one is left to the renaming to say.
func (d *directory) give(ctx context.Context, made, name string) error {
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := d.root.MkdirAll(path.Dir(name), 0o755)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
		err = d.root.Rename(made, name)
		if !errors.Is(err, fs.ErrNotExist) || try == 100 {
			return err
		}
	}
}

// explain says what an error of the system means here.
func (d *directory) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w; make room in %s", ErrFull, err, d.path)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w; make %s readable and writable", err, d.path)
	}
	return err
}

// explainRead says what an error means where a file is asked for.
func (d *directory) explainRead(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return d.explain(err)
}

// get reads a file.
func (d *directory) get(_ context.Context, name string) (io.ReadCloser, int64, error) {
	f, err := d.root.Open(name + suffix)
	if err != nil {
		return nil, 0, d.explainRead(err)
	}
	size, err := sizeOf(f.Stat())
	if err != nil {
		f.Close()
		return nil, 0, d.explainRead(err)
	}
	return f, size, nil
}

// sizeOf returns the length of a file. What is no file is not there.
func sizeOf(info fs.FileInfo, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fs.ErrNotExist
	}
	return info.Size(), nil
}

// stat returns the length of a file.
func (d *directory) stat(_ context.Context, name string) (int64, error) {
	size, err := sizeOf(d.root.Stat(name + suffix))
	return size, d.explainRead(err)
}

// list goes through the files in the directory of a prefix, and below it.
func (d *directory) list(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		top := path.Dir(prefix + "x") // the whole directory that a prefix with a slash at its end names
		err := fs.WalkDir(d.root.FS(), top, func(at string, entry fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case errors.Is(err, fs.ErrNotExist):
				return nil // it was taken away in the meantime, or never there
			case err != nil:
				return d.explain(err)
			case entry.IsDir() && entry.Name() == newDir:
				return fs.SkipDir
			}
			name, is := strings.CutSuffix(at, suffix)
			if !is || !entry.Type().IsRegular() || !strings.HasPrefix(name, prefix) {
				return nil
			}
			size, err := sizeOf(entry.Info())
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return d.explain(err)
			}
			if !yield(Info{name, size}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(Info{}, err)
		}
	}
}

// sync has the system write files, and the directories that have their names, to the disk.
func (d *directory) sync(ctx context.Context, prefix string) error {
	dirs := map[string]bool{}
	for info, err := range d.list(ctx, prefix) {
		if err != nil {
			return err
		}
		f, err := d.root.OpenFile(info.Name+suffix, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was taken away in the meantime
		}
		if err != nil {
			return d.explain(err)
		}
		err = f.Sync()
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return d.explain(err)
		}
		for dir := path.Dir(info.Name); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		if err := durable.SyncDir(filepath.Join(d.path, filepath.FromSlash(dir))); err != nil {
			return d.explain(err)
		}
	}
	return nil
}

// remove takes a file away, and directories that are empty then.
func (d *directory) remove(_ context.Context, name string) error {
	err := d.root.Remove(name + suffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.explain(err)
	}
	for dir := path.Dir(name); dir != "." && d.root.Remove(dir) == nil; {
		dir = path.Dir(dir)
	}
	return nil
}
