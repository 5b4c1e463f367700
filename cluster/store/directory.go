package store

import (
	"bufio"
	"cmp"
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

const (
	// tempDir is the subdirectory for incomplete files. No segment of a name begins with a dot.
	tempDir = ".new"
	// tempAge is after how long without a write a file in tempDir was left by a killed process.
	// The clocks of the machines that share a directory differ by less.
	tempAge = 24 * time.Hour
)

// directory keeps objects as files. Its root keeps names and symbolic links from leading out of it.
type directory struct {
	path string
	root *os.Root
}

func openDirectory(dir string) (Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(filepath.Join(dir, tempDir), 0o755); err != nil {
		return nil, fmt.Errorf("the store cannot be opened: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the store cannot be opened: %w; choose another directory", err)
	}
	d := &directory{dir, root}
	d.removeTemps(time.Now().Add(-tempAge))
	return checked{d}, nil
}

func (d *directory) String() string { return d.path }

// removeTemps removes temporary files, as far as it can.
func (d *directory) removeTemps(before time.Time) {
	temps, _ := fs.ReadDir(d.root.FS(), tempDir)
	for _, file := range temps {
		if info, err := file.Info(); err == nil && info.ModTime().Before(before) {
			d.root.Remove(path.Join(tempDir, file.Name()))
		}
	}
}

// fileWriter writes to a file. Tests replace it to simulate a full disk.
var fileWriter = func(f *os.File) io.Writer { return f }

// Put writes a temporary file and renames it. It does not sync, which would take longer than
// solving most shards: after a power failure, a damaged object is made again like any other.
func (d *directory) Put(ctx context.Context, name string, data ...[]byte) error {
	temp := path.Join(tempDir, rand.Text())
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return d.wrap(err)
	}
	buffer := bufio.NewWriterSize(fileWriter(f), 16<<10)
	for _, piece := range data {
		buffer.Write(piece)
	}
	// Flush reports the errors of Write, and a network file system a full disk only at the end.
	if err = errors.Join(buffer.Flush(), f.Close()); err == nil {
		err = d.rename(ctx, temp, name+suffix)
	}
	if err != nil {
		d.root.Remove(temp)
	}
	return d.wrap(err)
}

// rename gives a complete file its name. Another process may remove the empty directory at any
// moment, between MkdirAll and Rename or during MkdirAll. So rename tries again.
func (d *directory) rename(ctx context.Context, temp, name string) error {
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := d.root.MkdirAll(path.Dir(name), 0o755)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
		err = d.root.Rename(temp, name)
		if !errors.Is(err, fs.ErrNotExist) || try == 100 {
			return err
		}
	}
}

func (d *directory) wrap(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w; make %s readable and writable", err, d.path)
	}
	return FullError(err, d.path)
}

func (d *directory) Get(ctx context.Context, name string) (*Reader, error) {
	f, err := d.root.Open(name + suffix)
	if err == nil {
		info, failed := f.Stat()
		if failed == nil && info.Mode().IsRegular() {
			return &Reader{info.Size(), ctx, f}, nil
		}
		f.Close()
		err = cmp.Or(failed, fs.ErrNotExist)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	return nil, d.wrap(err)
}

// List walks the directory that prefix names, up to its last slash.
func (d *directory) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := fs.WalkDir(d.root.FS(), path.Dir(prefix+"x"), func(at string, entry fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case errors.Is(err, fs.ErrNotExist):
				return nil // deleted meanwhile, or never there
			case err != nil:
				return d.wrap(err)
			case entry.IsDir() && entry.Name() == tempDir:
				return fs.SkipDir
			}
			name, isObject := strings.CutSuffix(at, suffix)
			if !isObject || !entry.Type().IsRegular() || !strings.HasPrefix(name, prefix) {
				return nil
			}
			if !yield(name, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield("", err)
		}
	}
}

// Sync writes files to the disk, and the directories that hold their names.
func (d *directory) Sync(ctx context.Context, prefix string) error {
	dirs := map[string]bool{}
	for name, err := range d.List(ctx, prefix) {
		if err != nil {
			return err
		}
		f, err := d.root.OpenFile(name+suffix, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return d.wrap(err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return d.wrap(err)
		}
		for dir := path.Dir(name); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		if err := durable.SyncDir(filepath.Join(d.path, filepath.FromSlash(dir))); err != nil {
			return d.wrap(err)
		}
	}
	return nil
}

// Delete removes a file, and the directories that are empty then.
func (d *directory) Delete(_ context.Context, name string) error {
	err := d.root.Remove(name + suffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.wrap(err)
	}
	for dir := path.Dir(name); dir != "." && d.root.Remove(dir) == nil; {
		dir = path.Dir(dir)
	}
	return nil
}

func (d *directory) Locate(path string) string {
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.Rel(d.path, path)
	}
	if err != nil || !filepath.IsLocal(path) {
		return ""
	}
	return filepath.ToSlash(path)
}

func (d *directory) OpenFile(name string, flag int) (*os.File, error) {
	f, err := d.root.OpenFile(filepath.FromSlash(name), flag, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s in %s: %w", name, d, d.wrap(err))
	}
	return f, nil
}
