package writer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

const otherDir = "make the directory writable, or choose another one"

func lock(table string) (*durable.Locked, error) {
	l, err := tablebase.Lock(table)
	if err != nil {
		return nil, lockFailed(table, err)
	}
	return l, nil
}

func lockFailed(table string, err error) error {
	if errors.Is(err, durable.ErrHeld) {
		return &tablebase.Error{Path: table, Err: tablebase.ErrBusy, Remedy: "wait for it, or stop it: a solver keeps what it has solved"}
	}
	return tablebase.Failed(table+durable.LockSuffix, "lock the table", err, otherDir)
}

type target struct {
	path  string
	shape tablebase.Shape
}

func (t target) partialPath() string  { return t.path + tablebase.PartialSuffix }
func (t target) manifestPath() string { return t.path + tablebase.ManifestSuffix }
func (t target) classPath() string    { return t.path + ".class" }

// written is the file in which other processes write a class.
func (t target) written() string {
	if t.packed() {
		return t.classPath()
	}
	return t.partialPath()
}

// WrittenTo returns the file in which other processes write the classes of a table (see Writer.Layout).
func WrittenTo(path string) string { return target{path: path}.written() }

func (t target) other() target {
	path, packed := strings.CutSuffix(t.path, tablebase.PackedSuffix)
	if !packed {
		path += tablebase.PackedSuffix
	}
	return target{path, t.shape}
}

func (t target) packed() bool { return strings.HasSuffix(t.path, tablebase.PackedSuffix) }

// lock takes the lock of a table that can have the shape.
func (t target) lock() (*durable.Locked, error) {
	err := t.shape.Check()
	if err == nil && t.shape.Archive && !t.packed() {
		err = fmt.Errorf("the name of an archive ends in %s", tablebase.PackedSuffix)
	}
	if err != nil {
		return nil, tablebase.Inputf(t.path, "%v", err)
	}
	return lock(t.path)
}

func (t target) magic() string {
	switch {
	case t.shape.Archive:
		return format.ArchiveMagic
	case t.packed():
		return format.PackingMagic
	}
	return format.ManifestMagic
}

func (t target) shapeOf(manifest []byte) (tablebase.Shape, error) {
	t.shape.Archive = t.packed() && bytes.HasPrefix(manifest, []byte(format.ArchiveMagic))
	return format.ManifestShape(manifest, t.magic())
}

func (t target) closed() error { return &tablebase.Error{Path: t.path, Err: tablebase.ErrClosed} }

func (t target) writeError(path string, cause error) error {
	return tablebase.Failed(path, "write the table", cause,
		"check the disk and solve again: what is solved so far is kept")
}

type interrupted struct {
	manifest []byte // nil where the solve starts over
	size     int64  // of the partial file, −1 for none
	dropped  string // why it starts over, "" where nothing was damaged
}

// inspect returns what an interrupted solve has left. It changes nothing. Errors come from Create.
func (t target) inspect(overwrite bool) (i interrupted, err error) {
	if err := t.checkPlace(overwrite); err != nil {
		return i, err
	}
	if err := t.checkOther(overwrite); err != nil {
		return i, err
	}
	if i.size, err = t.partialSize(); err != nil {
		return i, err
	}
	most := format.MaxManifest(i.size)
	if t.packed() {
		// A frame is longer than its entry and its share of the checksums in the manifest.
		most += 2 * i.size
	}
	i.manifest, err = readUpTo(t.manifestPath(), most)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return i, tablebase.Failed(t.manifestPath(), "read what an interrupted solve left", err, "")
	case i.size >= 0 && len(i.manifest) > 0:
		err := t.checkManifest(&i, overwrite)
		return i, err
	case i.size > 0:
		i.dropped = t.partialPath() + ": the manifest of the interrupted solve is gone; all is solved again"
	}
	i.manifest = nil
	return i, nil
}

func (t target) checkManifest(i *interrupted, overwrite bool) error {
	shape, err := t.shapeOf(i.manifest)
	if err == nil && shape == t.shape {
		return nil
	}
	i.manifest = nil
	if err != nil && !errors.Is(err, tablebase.ErrNewer) {
		i.dropped = fmt.Sprintf("%s: the manifest of the interrupted solve is unusable (%v); all is solved again", t.manifestPath(), err)
		return nil
	}
	if overwrite {
		return nil
	}
	return t.otherSolve(shape, err)
}

// checkOther refuses to begin beside an interrupted solve of the other form with at least one class.
func (t target) checkOther(overwrite bool) error {
	u, err := FindUnfinished(t.other().path)
	if overwrite || errors.Is(err, fs.ErrNotExist) || err == nil && u.Classes == 0 {
		return nil
	}
	return t.other().otherSolve(u.Shape, err)
}

// otherSolve is the error for an interrupted solve of a shape, or of an unknown one for a reason.
func (t target) otherSolve(shape tablebase.Shape, unknown error) error {
	detail := fmt.Sprint(shape)
	if t.packed() && !shape.Archive {
		detail += ", packed"
	}
	if unknown != nil {
		detail = unknown.Error()
	}
	return &tablebase.Error{Path: t.partialPath(), Err: tablebase.ErrOtherSolve, Detail: detail}
}

func (t target) discard() error {
	for _, path := range []string{t.manifestPath(), t.partialPath(), t.classPath()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return t.writeError(path, err)
		}
	}
	return nil
}

// CleanUp removes the manifest that a solve left, in either form, if it was killed when it had named
// its table. It returns ErrBusy while another process writes the table.
func CleanUp(path string) error {
	l, err := lock(path)
	if err != nil {
		return err
	}
	defer l.Unlock()
	t := target{path: path}
	for _, t := range []target{t, t.other()} {
		if size, err := t.partialSize(); err == nil && size < 0 {
			os.Remove(t.manifestPath()) // if this fails, the next solve tries again
		}
	}
	return nil
}

func (t target) checkPlace(overwrite bool) error {
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return tablebase.Failed(t.path, "write the table", err, "")
	case info.IsDir():
		return &tablebase.Error{Path: t.path, Err: tablebase.ErrExists, Detail: "it is a directory", Remedy: "choose another place"}
	case overwrite:
		return nil
	}
	return &tablebase.Error{Path: t.path, Err: tablebase.ErrExists}
}

// partialSize returns the length of the partial file, −1 where there is none.
func (t target) partialSize() (int64, error) {
	info, err := os.Lstat(t.partialPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return -1, nil
	case err != nil:
		return 0, tablebase.Failed(t.partialPath(), "read what an interrupted solve left", err, "")
	}
	return info.Size(), nil
}

func readUpTo(path string, most int64) ([]byte, error) {
	f, err := durable.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// Check returns the error with which Create would fail. It takes the lock of the table for a moment.
func Check(path string, shape tablebase.Shape, overwrite bool) error {
	t := target{path, shape}
	l, err := t.lock()
	if err != nil {
		return err
	}
	defer l.Unlock()
	if _, err = t.inspect(overwrite); err != nil {
		return err
	}
	for _, path := range []string{t.manifestPath(), t.partialPath()} {
		if f, err := durable.Open(path, os.O_RDWR); err == nil {
			f.Close()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return tablebase.Failed(path, "write the table", err, otherDir)
		}
	}
	return nil
}

// Unfinished describes the interrupted solve of a table.
type Unfinished struct {
	// Shape is what is being solved.
	Shape tablebase.Shape
	// Classes is how many classes are sealed.
	Classes int
	// Bytes is the length of the data so far.
	Bytes int64
}

// FindUnfinished describes the interrupted solve of the table at path by its manifest; Create
// checks the data. The error is fs.ErrNotExist where nothing was begun.
func FindUnfinished(path string) (u Unfinished, err error) {
	t := target{path: path}
	info, err := os.Lstat(t.partialPath())
	if err != nil {
		return u, err
	}
	u.Bytes = info.Size()
	b, err := readUpTo(t.manifestPath(), math.MaxInt64)
	if err != nil {
		return u, err
	}
	if u.Shape, err = t.shapeOf(b); err != nil {
		return u, fmt.Errorf("%s: %w", t.manifestPath(), err)
	}
	for rest := b[format.PreambleSize:]; ; u.Classes++ {
		frame, err := format.NextFrame(rest)
		if frame == nil || err != nil {
			return u, nil // what follows was not sealed
		}
		rest = rest[len(frame):]
	}
}
