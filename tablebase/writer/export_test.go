package writer

import (
	"os"
	"time"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

type File = file

const SyncEvery = syncEvery

// Files returns where the Writer has its files, so that tests can put others in their place.
func (w *Writer) Files() (partial, manifest *File) { return &w.partial, &w.manifest }

// EveryPartDirect has parts of any length written around the cache, until restore is called.
func EveryPartDirect() (restore func()) {
	before := directBytes
	directBytes = 1
	return func() { directBytes = before }
}

// IsDirect reports whether parts are written around the cache, and how many were read back. It
// waits for these.
func (w *Writer) IsDirect() (direct bool, known int, err error) {
	err = w.endReadBack()
	return w.direct != nil, len(w.known), err
}

// SetDirect puts another file in place of the partial file around the cache.
func (w *Writer) SetDirect(f *os.File) {
	w.direct.Close()
	w.direct = f
}

// DirectFile returns the partial file around the cache.
func (w *Writer) DirectFile() File { return directFile{w.direct, w.partial} }

// Kill gives up what a killed process gives up, and does nothing else.
func (w *Writer) Kill() {
	w.partial.Close()
	w.direct.Close()
	w.manifest.Close()
	w.lock.Unlock()
}

// Synced returns when the files were flushed last.
func (w *Writer) Synced() *time.Time { return &w.synced }

// Ends returns where the data and the manifest end.
func (w *Writer) Ends() (data, manifest int64) { return w.end(), w.listed }

func (w *Writer) WriteEnds() error {
	_, err := w.writeEnds()
	return err
}

func (w *Writer) Records() []*format.Record { return w.records }

// Entries returns the entries of a packed table's seek table.
func (w *Writer) Entries() []byte { return w.packer.Entries() }

// LockTable takes the lock of a table as a Writer does.
func LockTable(path string) (unlock func() error, err error) {
	l, err := lock(path)
	if err != nil {
		return nil, err
	}
	return l.Unlock, nil
}

// SealUnchecked is Seal with counts that need not add up.
func (w *Writer) SealUnchecked(c tablebase.Class, p tablebase.Planes, n tablebase.Counts) error {
	r, err := w.layOutUncounted(c, format.DigitsOf(&p), n)
	if err != nil {
		return err
	}
	return w.seal(r, p, c.Masks)
}

// Load reads the planes of the i-th sealed class.
func (w *Writer) Load(i int) (p tablebase.Planes, err error) {
	blocks := 1
	if i < len(w.records) {
		blocks = w.records[i].Blocks
	}
	err = w.LoadRun(i, 0, blocks, &p)
	return p, err
}
